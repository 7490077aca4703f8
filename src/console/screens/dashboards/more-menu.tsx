import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { call, send } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { forget, invalidate, useGet } from '../../api/resource.ts'
import { Check } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog, Menu } from '../../kit/overlays.tsx'
import { saveFile } from '../../kit/save-file.ts'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { Dashboard, Nested, Values } from './dashboard.ts'
import { MailDialog } from './mail-dialog.tsx'
import type { ShownData } from './mail-dialog.tsx'
import { refusedMailing, refusedMaking, refusedWriting } from './rights.ts'
import { ShareDialog } from './share-dialog.tsx'
import { startItem } from './start.tsx'
import { VersionsDialog } from './versions-dialog.tsx'

/** Saves dashboards as a file: equal dashboards give equal files. */
export async function exportDashboards(
  what: { readonly ids: readonly number[] } | { readonly groupIds: readonly number[] },
  name: string,
): Promise<void> {
  const init = {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...what, stable: true }),
  }
  await saveFile(() => send('POST', '/dashboards/export', init), `${name}.json`)
}

/** The actions on a dashboard as a whole. */
export function MoreMenu({
  nested,
  params,
  shown,
}: {
  readonly nested: Nested
  /** The values that the page shows. */
  readonly params: Values
  /** What the user chose of them. */
  readonly shown: ShownData
}): JSX.Element {
  const { dashboard } = nested
  const { route } = useLocation()
  const [dialog, setDialog] = useState<'versions' | 'share' | 'mail' | 'delete' | null>(null)
  const close = (): void => setDialog(null)
  const copy = async (): Promise<void> => {
    const path = { id: String(dashboard.id) }
    const made = await call('post', '/dashboards/{id}/copy', { path, body: {} })
    invalidate('/dashboards')
    toast({ text: t('boards.copied', { name: dashboard.name }) })
    route(linkTo(`dashboards/${made.urlName}`))
  }
  return (
    <>
      <Menu
        label={t('data.moreOf', { name: dashboard.name })}
        items={[
          { text: t('boards.versions'), icon: 'clock', run: () => setDialog('versions') },
          {
            text: t('boards.share'),
            icon: 'link',
            refused: refusedWriting(dashboard),
            run: () => setDialog('share'),
          },
          {
            text: t('boards.mail'),
            icon: 'mail',
            refused: refusedMailing(),
            run: () => setDialog('mail'),
          },
          startItem(dashboard),
          { text: t('boards.print'), icon: 'file', run: () => print() },
          {
            text: t('boards.export'),
            icon: 'download',
            action: () => exportDashboards({ ids: [dashboard.id] }, dashboard.urlName),
          },
          { text: t('boards.copy'), icon: 'copy', refused: refusedMaking(), action: copy },
          {
            text: t('data.delete'),
            icon: 'close',
            danger: true,
            refused: refusedWriting(dashboard),
            run: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'versions' && <VersionsDialog nested={nested} onClose={close} />}
      {dialog === 'share' && <ShareDialog dashboard={dashboard} params={params} onClose={close} />}
      {dialog === 'mail' && <MailDialog nested={nested} shown={shown} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog dashboard={dashboard} onClose={close} />}
    </>
  )
}

/** Deletes a dashboard. While others embed it or lead to it, that must be asked for. */
function DeleteDialog({
  dashboard,
  onClose,
}: {
  readonly dashboard: Dashboard
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  const path = { id: String(dashboard.id) }
  const dependents = useGet('/dashboards/{id}/dependents', { path })
  const [isForced, setForced] = useState(false)
  const items = dependents.data?.items ?? []
  const total = dependents.data?.total ?? 0
  const remove = async (): Promise<void> => {
    try {
      await call('delete', '/dashboards/{id}', { path, query: { forceDelete: isForced } })
    } catch (error) {
      if (asFailure(error).code === 'has_dependents') dependents.reload()
      throw error
    }
    toast({ text: t('data.deleted', { name: dashboard.name }) })
    forget(`/dashboards/${dashboard.id}`)
    forget(`/dashboards/${dashboard.urlName}`)
    invalidate('/dashboards')
    route(linkTo('dashboards', { group: dashboard.groupId }))
  }
  return (
    <FormDialog
      title={t('data.deleteName', { name: dashboard.name })}
      submit={t('data.delete')}
      danger
      refused={total > 0 && !isForced ? t('boards.usedFirst') : undefined}
      onSubmit={remove}
      onClose={onClose}
    >
      {() => (
        <>
          <p>{t('boards.deleteEffect', { count: dashboard.version })}</p>
          {total > 0 && (
            <>
              <Note kind="warning">
                <b>{t('boards.usedBy', { count: total })}</b>
                <ul>
                  {items.map(({ dashboardId, widgetId, title }) => (
                    <li key={`${dashboardId} ${widgetId}`}>
                      <a href={linkTo(`dashboards/${dashboardId}`)}>{title || widgetId}</a>
                    </li>
                  ))}
                </ul>
              </Note>
              <Check label={t('data.deleteAnyway')} checked={isForced} onChange={setForced} />
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}
