import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { FailureNote, Skeleton } from '../../kit/feedback.tsx'
import { addStyles } from '../../kit/own-styles.ts'
import { t } from '../../language/t.ts'
import dataStyles from '../data/data.css' with { type: 'text' }
import { Board } from './board.tsx'
import type { Nested } from './dashboard.ts'
import styles from './dashboards.css' with { type: 'text' }
import { useData } from './use-data.ts'

/** The least height of a row in `wall.css`. */
const ROW_PX = 110

addStyles(dataStyles)
addStyles(styles)

/** A dashboard on a wall: its first page with the default values of its parameters. */
export function WallBoard({ id }: { readonly id: string }): JSX.Element {
  const nested = useGet('/dashboards/{id}/nested', { path: { id } })
  if (nested.data) return <Shown nested={nested.data} />
  if (nested.failure) return <FailureNote failure={nested.failure} what={t('boards.failedOne')} />
  return <Skeleton lines={12} />
}

function Shown({ nested }: { readonly nested: Nested }): JSX.Element {
  const { dashboard } = nested
  const page = dashboard.definition.pages[0]
  const data = useData(
    page ? { id: dashboard.id, values: {}, timeRange: null, page: page.id, width: {} } : null,
  )
  return (
    <section aria-label={dashboard.name}>
      <h2>{dashboard.name}</h2>
      {page && (
        <div inert>
          <Board
            dashboard={dashboard}
            nested={nested}
            page={page}
            data={data}
            timeRange={null}
            rowPx={ROW_PX}
            onValue={() => undefined}
            onSpan={() => undefined}
          />
        </div>
      )}
    </section>
  )
}
