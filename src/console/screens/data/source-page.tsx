import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { together, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Tabs } from '../../kit/data.tsx'
import { readKey, Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import { Unread } from '../../kit/unread.tsx'
import { t } from '../../language/t.ts'
import { exportConfiguration } from './configuration.ts'
import { DeleteSource } from './delete-source.tsx'
import { RefreshesTab } from './refreshes-tab.tsx'
import { ScopesTab } from './scopes-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { SourceForm } from './source-form.tsx'
import { hasFiles, importLink, refusedToChange, tablesSentence } from './sources.ts'
import type { Source } from './sources.ts'
import { SyncDialog } from './sync-dialog.tsx'
import { NewTable } from './table-dialogs.tsx'
import { TablesTab } from './tables-tab.tsx'

const TABS = ['tables', 'refreshes', 'scopes', 'settings'] as const
type TabName = (typeof TABS)[number]
type DialogName = 'edit' | 'delete' | 'sync' | 'table'

/** One data source: its tables, its scopes and its settings. */
export function SourcePage({ id }: { readonly id: number }): JSX.Element {
  const tables = useGet('/dataSources/{id}/tables', { path: { id } })
  const resource = together(useGet('/dataSources/{id}', { path: { id } }), tables)
  const [asked, setTab] = useQuery<TabName>('tab', 'tables')
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const { data: source, failure } = resource
  if (!source || failure?.isGone) return <Unread resource={resource} what={t('data.failedOne')} />
  // The rows of a database are in no copies there.
  const tabs = TABS.filter((one) => one !== 'refreshes' || hasFiles(source))
  const tab = tabs.find((one) => one === asked) ?? 'tables'
  return (
    <>
      <PageHead
        crumbs={[{ text: t('data.title'), href: linkTo('data') }]}
        title={source.name}
        badge={<span class="chip">{t(`data.type.${source.type}`)}</span>}
        sentence={tables.data && tablesSentence(tables.data, source)}
        actions={<Actions source={source} onDialog={setDialog} />}
      />
      <div key={readKey(source)} class="body">
        <Show resource={resource}>
          {(shown) => (
            <Card>
              <Tabs
                label={shown.name}
                value={tab}
                onChange={(value) => setTab(value)}
                tabs={tabs.map((value) => ({ value, text: t(`data.tab.${value}`) }))}
              >
                {tab === 'tables' && <TablesTab source={shown} tables={tables} />}
                {tab === 'refreshes' && <RefreshesTab source={shown} tables={tables} />}
                {tab === 'scopes' && <ScopesTab source={shown} />}
                {tab === 'settings' && <SettingsTab source={shown} onEdit={() => setDialog('edit')} />}
              </Tabs>
            </Card>
          )}
        </Show>
      </div>
      {dialog === 'edit' && (
        <SourceForm source={source} etag={resource.etag} onClose={() => setDialog(null)} />
      )}
      {dialog === 'delete' && (
        <DeleteSource source={source} tables={tables.data?.length} onClose={() => setDialog(null)} />
      )}
      {dialog === 'table' && <NewTable source={source} onClose={() => setDialog(null)} />}
      {dialog === 'sync' && <SyncDialog source={source} onClose={() => setDialog(null)} />}
    </>
  )
}

function Actions({
  source,
  onDialog,
}: {
  readonly source: Source
  readonly onDialog: (dialog: DialogName) => void
}): JSX.Element {
  const refused = refusedToChange()
  return (
    <>
      {hasFiles(source) && refused === undefined && (
        <a class="btn primary" href={importLink(source.id)}>
          <Icon name="file" />
          {t('data.import')}
        </a>
      )}
      {!hasFiles(source) && (
        <Button icon="refresh" refused={refused} onClick={() => onDialog('sync')}>
          {t('data.sync')}
        </Button>
      )}
      <Menu
        label={t('data.moreOf', { name: source.name })}
        items={[
          ...(hasFiles(source)
            ? [{ text: t('data.newTable'), icon: 'table' as const, refused, run: () => onDialog('table') }]
            : []),
          { text: t('data.edit'), icon: 'edit', refused, run: () => onDialog('edit') },
          {
            text: t('data.exportConfiguration'),
            icon: 'download',
            refused,
            action: () => exportConfiguration([source.id]),
          },
          { text: t('data.delete'), icon: 'close', danger: true, refused, run: () => onDialog('delete') },
        ]}
      />
    </>
  )
}
