import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { Menu } from '../../kit/overlays.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { exportConfiguration } from './configuration.ts'
import { ConfigurationDialog } from './configuration-dialog.tsx'
import { SourceForm } from './source-form.tsx'
import { importLink, placeOf, refusedToChange, sourceLink, sourcesSentence } from './sources.ts'
import type { Source } from './sources.ts'

/** All data sources. */
export function SourceList(): JSX.Element {
  const sources = useGet('/dataSources', {})
  const [dialog, setDialog] = useState<'new' | 'import' | null>(null)
  const all = sources.data?.items ?? []
  const refused = refusedToChange()
  const add = (
    <>
      <Button icon="plus" refused={refused} onClick={() => setDialog('new')}>
        {t('data.new')}
      </Button>
      {refused === undefined && (
        <a class="btn primary" href={importLink('new')}>
          <Icon name="file" />
          {t('data.import')}
        </a>
      )}
    </>
  )
  return (
    <>
      <PageHead
        title={t('data.title')}
        sentence={all.length > 0 ? sourcesSentence(all) : undefined}
        actions={
          <>
            {add}
            <Menu
              label={t('data.more')}
              items={[
                {
                  text: t('data.importConfiguration'),
                  icon: 'upArrow',
                  refused,
                  run: () => setDialog('import'),
                },
                {
                  text: t('data.exportConfiguration'),
                  icon: 'download',
                  refused: refused ?? (all.length === 0 ? t('data.none') : undefined),
                  action: () => exportConfiguration(),
                },
              ]}
            />
          </>
        }
      />
      <div class="body">
        <Show resource={sources} what={t('data.failed')} skeleton={<Skeleton lines={8} />}>
          {({ items }) => (
            <Card>
              {items.length === 0 ? (
                <Empty
                  title={t('data.none')}
                  text={t('data.noneText')}
                  action={<span class="row wrap middle">{add}</span>}
                />
              ) : (
                <SourceTable sources={items} />
              )}
            </Card>
          )}
        </Show>
      </div>
      {dialog === 'new' && <SourceForm onClose={() => setDialog(null)} />}
      {dialog === 'import' && <ConfigurationDialog sources={all} onClose={() => setDialog(null)} />}
    </>
  )
}

function SourceTable({ sources }: { readonly sources: readonly Source[] }): JSX.Element {
  return (
    <Table<Source>
      label={t('data.title')}
      rows={sources}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('data.name'),
          cell: ({ id, name, description }) => (
            <>
              <a href={sourceLink(id)}>{name}</a>
              {description && <div class="path">{description}</div>}
            </>
          ),
        },
        { key: 'type', title: t('data.type'), cell: ({ type }) => t(`data.type.${type}`) },
        {
          key: 'place',
          title: t('data.place'),
          wide: true,
          cell: (source) => <span class="quiet">{placeOf(source)}</span>,
        },
        {
          key: 'changed',
          title: t('data.changed'),
          wide: true,
          cell: ({ updatedAt }) => <Time at={updatedAt} />,
        },
      ]}
    />
  )
}
