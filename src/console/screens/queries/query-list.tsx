import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import type { Summary } from './query.ts'

/** All data queries. */
export function QueryList(): JSX.Element {
  const queries = useGet('/dataQueries', {})
  const [search, setSearch] = useQuery<string>('name', '')
  const all = queries.data?.items ?? []
  const shown = all.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase()),
  )
  const add = (
    <a class="btn primary" href={linkTo('queries/new')}>
      <Icon name="plus" />
      {t('queries.new')}
    </a>
  )
  const unpublished = all.filter(({ published }) => published === 0).length
  return (
    <>
      <PageHead
        title={t('queries.title')}
        sentence={all.length > 0 && t('queries.say.list', { count: all.length, unpublished })}
        actions={add}
      />
      <div class="body">
        <Show resource={queries} what={t('queries.failed')} skeleton={<Skeleton lines={8} />}>
          {({ items }) =>
            items.length === 0 ? (
              <Card>
                <Empty title={t('queries.none')} text={t('queries.noneText')} action={add} />
              </Card>
            ) : (
              <>
                <input
                  class="input search-box"
                  type="search"
                  aria-label={t('queries.search')}
                  placeholder={t('queries.search')}
                  value={search}
                  onInput={(event) => setSearch(event.currentTarget.value)}
                />
                <Card>
                  {shown.length === 0 ? (
                    <Empty
                      title={t('queries.noMatch')}
                      action={<Button onClick={() => setSearch('')}>{t('data.clearSearch')}</Button>}
                    />
                  ) : (
                    <QueryTable queries={shown} />
                  )}
                </Card>
              </>
            )
          }
        </Show>
      </div>
    </>
  )
}

function QueryTable({ queries }: { readonly queries: readonly Summary[] }): JSX.Element {
  const sources = useGet('/dataSources', {})
  const nameOf = (id: number): string => sources.data?.items.find((one) => one.id === id)?.name ?? `#${id}`
  return (
    <Table<Summary>
      label={t('queries.title')}
      rows={queries}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('data.name'),
          cell: ({ id, name, description }) => (
            <>
              <a href={linkTo(`queries/${id}`)}>{name}</a>
              {description && <div class="path">{description}</div>}
            </>
          ),
        },
        {
          key: 'source',
          title: t('queries.source'),
          wide: true,
          cell: ({ dataSourceId }) => nameOf(dataSourceId),
        },
        {
          key: 'published',
          title: t('queries.published'),
          cell: ({ published }) =>
            published === 0 ? (
              <span class="faint">{t('queries.notPublished')}</span>
            ) : (
              t('queries.version', { number: published })
            ),
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
