import type { JSX } from 'preact'

import { State } from '../../kit/state.tsx'
import { Ago, now, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { courseOf } from './refresh.ts'
import type { Course, RefreshState } from './refresh.ts'

const STATES = {
  never: 'undefined',
  running: 'ok',
  failing: 'warning',
  fresh: 'ok',
} as const satisfies Readonly<Record<Course, string>>

/** How the refreshes of a table go: a word, the age of its rows, and the next refresh. */
export function CourseText({ state }: { readonly state: RefreshState }): JSX.Element {
  const course = courseOf(state)
  return (
    <>
      <State look="plain" state={STATES[course]} text={t(`data.refresh.course.${course}`)} />
      <div class="path">
        {state.refreshedAt === null ? (
          t('data.refresh.noRows')
        ) : (
          <>
            {t('data.refresh.rowsOf')} <Ago at={state.refreshedAt} />
          </>
        )}
      </div>
    </>
  )
}

export function NextRefresh({ state: { nextRefreshAt } }: { readonly state: RefreshState }): JSX.Element {
  if (nextRefreshAt === null) return <span class="faint">{t('data.refresh.onDemand')}</span>
  return Date.parse(nextRefreshAt) <= now.value ? <>{t('data.refresh.isDue')}</> : <Time at={nextRefreshAt} />
}
