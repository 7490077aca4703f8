import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Dialog } from '../../kit/overlays.tsx'
import { Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { Nested } from './dashboard.ts'
import { differencesOf } from './difference.ts'
import type { Difference } from './difference.ts'
import { refusedWriting } from './rights.ts'

/** The versions of a dashboard: their differences from the present one, and the way back to them. */
export function VersionsDialog({
  nested,
  onClose,
}: {
  readonly nested: Nested
  readonly onClose: () => void
}): JSX.Element {
  const { dashboard } = nested
  const path = { id: String(dashboard.id) }
  const versions = useGet('/dashboards/{id}/versions', { path })
  const [compared, compare] = useState<number | null>(null)
  const restore = async (number: number): Promise<void> => {
    await call('post', '/dashboards/{id}/versions/{number}/restore', { path: { ...path, number } })
    invalidate('/dashboards')
    toast({ text: t('boards.restored', { number }) })
    onClose()
  }
  return (
    <Dialog title={t('boards.versionsOf', { name: dashboard.name })} onClose={onClose} wide>
      <div class="col spread">
        <Show resource={versions}>
          {({ items }) => (
            <Table
              label={t('boards.versions')}
              rows={items}
              keyOf={({ number }) => number}
              current={compared}
              columns={[
                { key: 'number', title: t('boards.version'), cell: ({ number }) => number },
                { key: 'at', title: t('data.changed'), cell: ({ createdAt }) => <Time at={createdAt} /> },
                { key: 'by', title: t('boards.changedBy'), cell: ({ createdBy }) => createdBy },
                {
                  key: 'actions',
                  title: <span class="vh">{t('boards.actions')}</span>,
                  cell: ({ number }) =>
                    number !== dashboard.version && (
                      <span class="row wrap">
                        <Button
                          small
                          aria-label={t('boards.compareVersion', { number })}
                          onClick={() => compare(number)}
                        >
                          {t('boards.compareNow')}
                        </Button>
                        <Button
                          small
                          refused={refusedWriting(dashboard)}
                          aria-label={t('boards.restoreVersion', { number })}
                          action={() => restore(number)}
                        >
                          {t('boards.restore')}
                        </Button>
                      </span>
                    ),
                },
              ]}
            />
          )}
        </Show>
        {compared !== null && <Differences nested={nested} number={compared} />}
      </div>
    </Dialog>
  )
}

/** The differences of a version from the present one. */
function Differences({ nested, number }: { readonly nested: Nested; readonly number: number }): JSX.Element {
  const { id, version } = nested.dashboard
  const read = (one: number) => ({ path: { id: String(id), number: one } })
  const present = useGet('/dashboards/{id}/versions/{number}', read(version))
  const former = useGet('/dashboards/{id}/versions/{number}', read(number))
  return (
    <section class="col" aria-label={t('boards.since', { number })}>
      <h3>{t('boards.since', { number })}</h3>
      <Show resource={former}>
        {(before) => (
          <Show resource={present}>
            {(after) => <Rows number={number} rows={differencesOf(before, after, nested)} />}
          </Show>
        )}
      </Show>
    </section>
  )
}

/** The fields that differ, each with its values. */
function Rows({
  number,
  rows,
}: {
  readonly number: number
  readonly rows: readonly Difference[]
}): JSX.Element {
  if (rows.length === 0) return <p class="quiet">{t('boards.noDifference')}</p>
  return (
    <Table
      label={t('boards.since', { number })}
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { key: 'field', title: t('boards.field'), cell: ({ field }) => field },
        { key: 'before', title: t('boards.then'), cell: ({ before }) => <Value text={before} /> },
        { key: 'after', title: t('boards.nowIs'), cell: ({ after }) => <Value text={after} /> },
      ]}
    />
  )
}

/** The value of a field, with its lines. */
const Value = ({ text }: { readonly text: string }): JSX.Element => (
  <span class="lines-kept">{text === '' ? '–' : text}</span>
)
