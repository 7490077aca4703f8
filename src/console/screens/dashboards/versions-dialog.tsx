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
import type { Dashboard } from './dashboard.ts'
import { refusedWriting } from './rights.ts'

/** The versions of a dashboard: their differences from the present one, and the way back to them. */
export function VersionsDialog({
  dashboard,
  onClose,
}: {
  readonly dashboard: Dashboard
  readonly onClose: () => void
}): JSX.Element {
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
        {compared !== null && <Difference id={path.id} number={compared} />}
      </div>
    </Dialog>
  )
}

const VALUE_MAX = 200

/** The differences of a version from the present one. */
function Difference({ id, number }: { readonly id: string; readonly number: number }): JSX.Element {
  const changes = useGet('/dashboards/{id}/versions/{number}/diff', { path: { id, number } })
  const text = (value: unknown): string =>
    value === undefined ? '–' : JSON.stringify(value).slice(0, VALUE_MAX)
  return (
    <section class="col" aria-label={t('boards.since', { number })}>
      <h3>{t('boards.since', { number })}</h3>
      <Show resource={changes}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">{t('boards.noDifference')}</p>
          ) : (
            <Table
              label={t('boards.since', { number })}
              rows={items}
              keyOf={({ path }) => path}
              columns={[
                {
                  key: 'path',
                  title: t('boards.place'),
                  cell: ({ path }) => <code class="wrap-code">{path.replace('/definition', '')}</code>,
                },
                {
                  key: 'from',
                  title: t('boards.then'),
                  cell: ({ from }) => <code class="wrap-code">{text(from)}</code>,
                },
                {
                  key: 'to',
                  title: t('boards.nowIs'),
                  cell: ({ to }) => <code class="wrap-code">{text(to)}</code>,
                },
              ]}
            />
          )
        }
      </Show>
    </section>
  )
}
