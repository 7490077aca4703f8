import type { JSX } from 'preact'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { usePages } from '../../api/pages.ts'
import type { Pages } from '../../api/pages.ts'
import type { Item } from '../../api/client.ts'
import { useUrl } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { nameOf } from '../../kit/object-name.ts'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { StatusPage } from './status-page.tsx'
import type { Publishable } from './status-page.tsx'

type Listed = Item<'/status-pages'>
const PAGE = 100

const pageLink = ({ type, id }: Pick<Found, 'type' | 'id'>): string => linkTo(`status-pages/${type}/${id}`)

/** The status pages of all objects that the user may change, or the status page of one object. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  const { type, id } = params
  if (type === undefined || id === undefined) return <List />
  return <OnePage key={`${type} ${id}`} type={type as Found['type']} id={Number(id)} />
}

function List(): JSX.Element {
  const pages = usePages('/status-pages', { query: { limit: PAGE } })
  const { data, more } = pages
  const [isNew, setNew] = useState(false)
  const publish = (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      {t('pages.new')}
    </Button>
  )
  const count = data?.length ?? 0
  return (
    <>
      <PageHead
        title={t('pages.title')}
        sentence={count > 0 && t(more ? 'pages.countMore' : 'pages.count', { count })}
        actions={publish}
      />
      <div class="body">
        <Card title={t('pages.list')}>
          <Show resource={pages} what={t('pages.failed')}>
            {(rows) =>
              rows.length === 0 ? (
                <Empty title={t('pages.empty')} text={t('pages.emptyText')} />
              ) : (
                <Rows pages={pages} />
              )
            }
          </Show>
        </Card>
      </div>
      {isNew && <NewPage onClose={() => setNew(false)} />}
    </>
  )
}

function Rows({ pages }: { readonly pages: Pages<Listed> }): JSX.Element {
  return (
    <>
      <Table<Listed>
        label={t('pages.list')}
        rows={pages.data ?? []}
        keyOf={({ object }) => object.id}
        columns={[
          {
            key: 'object',
            title: t('pages.object'),
            cell: ({ object, title }) => (
              <>
                <a href={pageLink(object)}>{nameOf(object)}</a>
                {title !== null && <div class="path">{title}</div>}
              </>
            ),
          },
          { key: 'state', title: t('pages.state'), cell: ({ object }) => <State state={object.state} /> },
          {
            key: 'summary',
            title: t('pages.summary'),
            wide: true,
            cell: ({ days, components }) =>
              `${t('pages.daysShort', { days })}, ${t('pages.componentCount', { count: components })}`,
          },
          {
            key: 'open',
            title: <span class="vh">{t('pages.actions')}</span>,
            figures: true,
            cell: ({ object, page }) => (
              <a
                class="btn small"
                href={page}
                target="_blank"
                rel="noreferrer"
                aria-label={t('pages.openOf', { name: nameOf(object) })}
              >
                {t('pages.open')}
              </a>
            ),
          },
        ]}
      />
      {(pages.more || pages.isLoading) && (
        <footer>
          <Button small busy={pages.isLoading} onClick={() => pages.more?.()}>
            {t('pages.more')}
          </Button>
        </footer>
      )}
    </>
  )
}

/** Chooses the object whose page is published on the next screen. */
function NewPage({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { route } = useLocation()
  const [object, setObject] = useState<Found | null>(null)
  return (
    <FormDialog
      title={t('pages.choose')}
      submit={t('pages.next')}
      refused={object === null ? t('pages.needsObject') : undefined}
      onSubmit={async () => {
        if (object) route(pageLink(object))
      }}
      onClose={onClose}
    >
      {() => <ObjectPicker label={t('pages.chosen')} value={object} onChange={setObject} />}
    </FormDialog>
  )
}

function OnePage({ type, id }: Pick<Found, 'type' | 'id'>): JSX.Element {
  const object = useUrl<Omit<Publishable, 'type'>>(`/${type}s/${id}`)
  return (
    <Show
      isPage
      resource={object}
      what={t('pages.objectFailed')}
      skeleton={<Skeleton lines={8} height="24rem" />}
    >
      {(found) => (
        <>
          <PageHead
            crumbs={[{ text: t('pages.title'), href: linkTo('status-pages') }]}
            title={nameOf(found)}
            actions={
              <a class="btn" href={objectLink(type, id)}>
                {t('pages.toObject')}
              </a>
            }
          />
          <div class="body">
            <StatusPage object={{ ...found, type }} />
          </div>
        </>
      )}
    </Show>
  )
}
