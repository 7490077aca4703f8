import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { isUnread, together, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, readKey, Show, Skeleton } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { DeleteGroupDialog, GroupDialog } from './group-dialogs.tsx'
import { crumbsOf, idsBelow, itemsIn, pathOf, pathText } from './groups.ts'
import type { Group } from './groups.ts'
import type { Summary } from './query.ts'

type DialogName = 'new' | 'edit' | 'delete'

/** The data queries of a group with its groups, or the ones of all groups that a search finds. */
export function QueryList(): JSX.Element {
  const queries = useGet('/dataQueries', {})
  const grouped = useGet('/dataQueries/groups', {})
  const [search, setSearch] = useQuery<string>('name', '')
  const [groupText] = useQuery<string>('group', '')
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const read = together(queries, grouped)
  // A head that grows before the data queries are there would move their skeleton.
  const isRead = !isUnread(queries) && !isUnread(grouped)
  const groups = (isRead && grouped.data?.items) || []
  const all = queries.data?.items ?? []
  const path = pathOf(groups, groupText === '' ? null : Number(groupText))
  const group = path.at(-1) ?? null
  const isPlaced = groupText === '' || isRead
  return (
    <>
      <PageHead
        crumbs={isPlaced ? crumbsOf(t('queries.title'), path, groupLink) : null}
        title={group?.name ?? t('queries.title')}
        sentence={read.data && sentenceOf(read.data.items, groups, group)}
        actions={isPlaced && <Actions group={group} onDialog={setDialog} />}
      />
      <div key={readKey(read.data)} class="body">
        <Show resource={read} what={t('queries.failed')} skeleton={<Skeleton lines={8} />}>
          {({ items }) =>
            items.length === 0 && groups.length === 0 ? (
              <Card>
                <Empty
                  title={t('queries.none')}
                  text={t('queries.noneText')}
                  action={<NewQuery group={null} />}
                />
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
                  {search === '' ? (
                    <Contents group={group} groups={groups} queries={items} />
                  ) : (
                    <Found search={search} groups={groups} queries={items} onClear={() => setSearch('')} />
                  )}
                </Card>
              </>
            )
          }
        </Show>
      </div>
      <Dialogs dialog={dialog} group={group} groups={groups} queries={all} onClose={() => setDialog(null)} />
    </>
  )
}

function Actions({
  group,
  onDialog,
}: {
  readonly group: Group | null
  readonly onDialog: (dialog: DialogName) => void
}): JSX.Element {
  return (
    <>
      <Button icon="group" onClick={() => onDialog('new')}>
        {t('queries.newGroup')}
      </Button>
      <NewQuery group={group} />
      {group && <More group={group} onDialog={onDialog} />}
    </>
  )
}

function Dialogs({
  dialog,
  group,
  groups,
  queries,
  onClose,
}: ContentsProps & { readonly dialog: DialogName | null; readonly onClose: () => void }): JSX.Element | null {
  if (dialog === 'new')
    return <GroupDialog group={null} groups={groups} parentId={group?.id ?? null} onClose={onClose} />
  if (group && dialog === 'edit')
    return <GroupDialog group={group} groups={groups} parentId={null} onClose={onClose} />
  if (group && dialog === 'delete')
    return <DeleteGroupDialog group={group} groups={groups} queries={queries} onClose={onClose} />
  return null
}

const groupLink = (id: number | null): string => linkTo('queries', { group: id })

function sentenceOf(all: readonly Summary[], groups: readonly Group[], group: Group | null): string {
  const inside = group ? itemsIn(idsBelow(groups, group.id), all) : all
  if (inside.length === 0) return group?.description ?? ''
  const unpublished = inside.filter(({ published }) => published === 0).length
  const faulty = inside.filter(({ hasErrors }) => hasErrors).length
  const counted = t('queries.say.list', { count: inside.length, unpublished, faulty })
  return group?.description ? `${group.description} · ${counted}` : counted
}

function NewQuery({ group }: { readonly group: Group | null }): JSX.Element {
  return (
    <a class="btn primary" href={linkTo('queries/new', { group: group?.id })}>
      <Icon name="plus" />
      {t('queries.new')}
    </a>
  )
}

function More({
  group,
  onDialog,
}: {
  readonly group: Group
  readonly onDialog: (dialog: DialogName) => void
}): JSX.Element {
  return (
    <Menu
      label={t('data.moreOf', { name: group.name })}
      items={[
        { text: t('queries.editGroup'), icon: 'edit', run: () => onDialog('edit') },
        { text: t('data.delete'), icon: 'close', danger: true, run: () => onDialog('delete') },
      ]}
    />
  )
}

type ContentsProps = {
  readonly group: Group | null
  readonly groups: readonly Group[]
  readonly queries: readonly Summary[]
}

/** The groups in a group, then its data queries. */
function Contents({ group, groups, queries }: ContentsProps): JSX.Element {
  const id = group?.id ?? null
  const rows: readonly Row[] = [
    ...groups
      .filter(({ parentId }) => parentId === id)
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map((one) => ({ kind: 'group' as const, group: one, count: countIn(one, groups, queries) })),
    ...queries
      .filter(({ groupId }) => groupId === id)
      .map((query) => ({ kind: 'query' as const, query, path: '' })),
  ]
  if (rows.length === 0)
    return (
      <Empty
        title={t('queries.emptyGroup')}
        text={t('queries.emptyGroupText')}
        action={<NewQuery group={group} />}
      />
    )
  return <QueryTable rows={rows} />
}

function countIn({ id }: Group, groups: readonly Group[], queries: readonly Summary[]): number {
  return itemsIn(idsBelow(groups, id), queries).length
}

function Found({
  search,
  groups,
  queries,
  onClear,
}: Omit<ContentsProps, 'group'> & {
  readonly search: string
  readonly onClear: () => void
}): JSX.Element {
  const found = queries.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase()),
  )
  if (found.length === 0)
    return (
      <Empty
        title={t('queries.noMatch')}
        action={<Button onClick={onClear}>{t('data.clearSearch')}</Button>}
      />
    )
  return (
    <QueryTable
      rows={found.map((query) => ({ kind: 'query', query, path: pathText(groups, query.groupId) }))}
    />
  )
}

type Row =
  | { readonly kind: 'group'; readonly group: Group; readonly count: number }
  | { readonly kind: 'query'; readonly query: Summary; readonly path: string }

function QueryTable({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  const sources = useGet('/dataSources', {})
  const nameOf = (id: number): string => sources.data?.items.find((one) => one.id === id)?.name ?? `#${id}`
  return (
    <Table<Row>
      label={t('queries.title')}
      rows={rows}
      keyOf={(row) => (row.kind === 'group' ? `group ${row.group.id}` : row.query.id)}
      columns={[
        { key: 'name', title: t('data.name'), cell: (row) => <NameCell row={row} /> },
        {
          key: 'source',
          title: t('queries.source'),
          wide: true,
          cell: (row) => row.kind === 'query' && nameOf(row.query.dataSourceId),
        },
        {
          key: 'published',
          title: t('queries.published'),
          cell: (row) => {
            if (row.kind === 'group') return null
            const { published, state, hasErrors } = row.query
            return (
              <span class="row wrap">
                {published === 0 ? (
                  <span class="faint">{t('queries.notPublished')}</span>
                ) : (
                  t('queries.version', { number: published })
                )}
                <ResultState state={state} />
                {hasErrors && <State state="warning" text={t('queries.faulty')} />}
              </span>
            )
          },
        },
        {
          key: 'changed',
          title: t('data.changed'),
          wide: true,
          cell: (row) => <Time at={row.kind === 'group' ? row.group.updatedAt : row.query.updatedAt} />,
        },
      ]}
    />
  )
}

/** A stored result that is old, is computed now, or could not be computed. */
function ResultState({ state }: Pick<Summary, 'state'>): JSX.Element | null {
  if (state === 'draft' || state === 'ready') return null
  return <State state={state === 'failed' ? 'minor' : 'warning'} text={t(`queries.resultState.${state}`)} />
}

function NameCell({ row }: { readonly row: Row }): JSX.Element {
  if (row.kind === 'group')
    return (
      <>
        <a class="row" href={groupLink(row.group.id)}>
          <Icon name="group" />
          {row.group.name}
        </a>
        <div class="path">
          {[t('queries.countIn', { count: row.count }), row.group.description].filter(Boolean).join(' · ')}
        </div>
      </>
    )
  const { id, name, description } = row.query
  return (
    <>
      <a href={linkTo(`queries/${id}`)}>{name}</a>
      {[row.path, description].filter(Boolean).map((text) => (
        <div key={text} class="path">
          {text}
        </div>
      ))}
    </>
  )
}
