import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { isUnread, together, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, readKey, Show, Skeleton } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Menu } from '../../kit/overlays.tsx'
import type { MenuItem } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { crumbsOf, idsBelow, itemsIn, pathOf, pathText } from '../queries/groups.ts'
import type { Group, Summary } from './dashboard.ts'
import { ImportDialog } from './import-dialog.tsx'
import { DeleteGroupDialog, GroupDialog, NewDialog } from './list-dialogs.tsx'
import { exportDashboards } from './more-menu.tsx'
import { refusedMaking, refusedWriting } from './rights.ts'
import { useStart } from './start.tsx'

type DialogName = 'import' | 'new' | 'newGroup' | 'editGroup' | 'deleteGroup'

/** The dashboards of a group with its groups, or the ones of all groups that a search finds. */
export function DashboardList(): JSX.Element {
  const dashboards = useGet('/dashboards', {})
  const grouped = useGet('/dashboards/groups', {})
  const all = dashboards.data?.items ?? []
  const start = useStart(all.length > 0)
  const read = together(dashboards, grouped, start)
  // A head that grows before the dashboards are there would move their skeleton.
  const isRead = ![dashboards, grouped, start].some(isUnread)
  const groups = (isRead && grouped.data?.items) || []
  const [search, setSearch] = useQuery<string>('name', '')
  const [groupText] = useQuery<string>('group', '')
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const path = pathOf(groups, groupText === '' ? null : Number(groupText))
  const group = path.at(-1) ?? null
  const isPlaced = groupText === '' || isRead
  return (
    <>
      <PageHead
        crumbs={isPlaced ? crumbsOf(t('boards.title'), path, groupLink) : null}
        title={group?.name ?? t('boards.title')}
        sentence={read.data && sentenceOf(all, groups, group)}
        actions={isPlaced && <Actions group={group} onDialog={setDialog} />}
      />
      <div key={readKey(read.data)} class="body">
        <Show resource={read} what={t('boards.failed')} skeleton={<Skeleton lines={8} />}>
          {({ items }) =>
            items.length === 0 && groups.length === 0 ? (
              <Card>
                <Empty title={t('boards.none')} text={t('boards.noneText')} />
              </Card>
            ) : (
              <>
                <input
                  class="input search-box"
                  type="search"
                  aria-label={t('boards.search')}
                  placeholder={t('boards.search')}
                  value={search}
                  onInput={(event) => setSearch(event.currentTarget.value)}
                />
                <Card>
                  <Contents
                    rows={search === '' ? rowsIn(group, groups, items) : rowsFound(search, groups, items)}
                    start={start.data?.id}
                    search={search}
                    onClear={() => setSearch('')}
                  />
                </Card>
              </>
            )
          }
        </Show>
      </div>
      <Dialogs
        dialog={dialog}
        group={group}
        groups={groups}
        dashboards={all}
        onClose={() => setDialog(null)}
      />
    </>
  )
}

type Placed = {
  readonly group: Group | null
  readonly groups: readonly Group[]
  readonly dashboards: readonly Summary[]
}

function Dialogs({
  dialog,
  onClose,
  ...placed
}: Placed & { readonly dialog: DialogName | null; readonly onClose: () => void }): JSX.Element | null {
  const { group, groups } = placed
  if (dialog === 'new') return <NewDialog groups={groups} groupId={group?.id ?? null} onClose={onClose} />
  if (dialog === 'import') return <ImportDialog onClose={onClose} />
  if (dialog === 'newGroup')
    return <GroupDialog group={null} groups={groups} parentId={group?.id ?? null} onClose={onClose} />
  if (group && dialog === 'editGroup')
    return <GroupDialog group={group} groups={groups} parentId={null} onClose={onClose} />
  if (group && dialog === 'deleteGroup')
    return <DeleteGroupDialog {...placed} group={group} onClose={onClose} />
  return null
}

function Actions({
  group,
  onDialog,
}: {
  readonly group: Group | null
  readonly onDialog: (dialog: DialogName) => void
}): JSX.Element {
  const refused = refusedMaking()
  return (
    <>
      <Button icon="group" refused={refused} onClick={() => onDialog('newGroup')}>
        {t('boards.newGroup')}
      </Button>
      <Button kind="primary" icon="plus" refused={refused} onClick={() => onDialog('new')}>
        {t('boards.new')}
      </Button>
      <Menu
        label={t('data.moreOf', { name: group?.name ?? t('boards.title') })}
        items={[
          { text: t('boards.import'), icon: 'file', refused, run: () => onDialog('import') },
          ...(group ? groupItems(group, onDialog) : []),
        ]}
      />
    </>
  )
}

function groupItems(group: Group, onDialog: (dialog: DialogName) => void): readonly MenuItem[] {
  const refused = refusedWriting(group)
  return [
    {
      text: t('boards.export'),
      icon: 'download',
      action: () => exportDashboards({ groupIds: [group.id] }, group.name),
    },
    { text: t('boards.editGroup'), icon: 'edit', refused, run: () => onDialog('editGroup') },
    { text: t('data.delete'), icon: 'close', danger: true, refused, run: () => onDialog('deleteGroup') },
  ]
}

const groupLink = (id: number | null): string => linkTo('dashboards', { group: id })

function sentenceOf(all: readonly Summary[], groups: readonly Group[], group: Group | null): string {
  const inside = group ? itemsIn(idsBelow(groups, group.id), all) : all
  if (inside.length === 0) return ''
  return t('boards.say', { count: inside.length, invalid: inside.filter(({ valid }) => !valid).length })
}

type Row =
  | { readonly kind: 'group'; readonly group: Group; readonly count: number }
  | { readonly kind: 'dashboard'; readonly dashboard: Summary; readonly path: string }

function rowsIn(
  group: Group | null,
  groups: readonly Group[],
  dashboards: readonly Summary[],
): readonly Row[] {
  const id = group?.id ?? null
  const known = new Set(groups.map((one) => one.id))
  // The content of a group that the user may not read is shown in the root.
  const placeOf = (place: number | null): number | null => (place !== null && known.has(place) ? place : null)
  return [
    ...groups
      .filter(({ parentId }) => placeOf(parentId) === id)
      .toSorted((a, b) => a.position - b.position || a.name.localeCompare(b.name))
      .map((one) => ({ kind: 'group' as const, group: one, count: countIn(one, groups, dashboards) })),
    ...dashboards
      .filter(({ groupId }) => placeOf(groupId) === id)
      .map((dashboard) => ({ kind: 'dashboard' as const, dashboard, path: '' })),
  ]
}

function rowsFound(search: string, groups: readonly Group[], dashboards: readonly Summary[]): readonly Row[] {
  return dashboards
    .filter(({ name, urlName, description }) =>
      `${name} ${urlName} ${description}`.toLowerCase().includes(search.toLowerCase()),
    )
    .map((dashboard) => ({ kind: 'dashboard', dashboard, path: pathText(groups, dashboard.groupId) }))
}

function countIn({ id }: Group, groups: readonly Group[], dashboards: readonly Summary[]): number {
  return itemsIn(idsBelow(groups, id), dashboards).length
}

function Contents({
  rows,
  start,
  search,
  onClear,
}: {
  readonly rows: readonly Row[]
  /** The id of the dashboard that the user sees first. */
  readonly start: number | undefined
  readonly search: string
  readonly onClear: () => void
}): JSX.Element {
  if (rows.length === 0 && search !== '')
    return (
      <Empty
        title={t('boards.noMatch')}
        action={<Button onClick={onClear}>{t('data.clearSearch')}</Button>}
      />
    )
  if (rows.length === 0) return <Empty title={t('boards.emptyGroup')} text={t('boards.emptyGroupText')} />
  return (
    <Table<Row>
      label={t('boards.title')}
      rows={rows}
      keyOf={(row) => (row.kind === 'group' ? `group ${row.group.id}` : row.dashboard.id)}
      columns={[
        { key: 'name', title: t('data.name'), cell: (row) => <NameCell row={row} start={start} /> },
        {
          key: 'version',
          title: t('boards.version'),
          figures: true,
          cell: (row) => row.kind === 'dashboard' && row.dashboard.version,
        },
        {
          key: 'changed',
          title: t('data.changed'),
          wide: true,
          cell: (row) => <Time at={row.kind === 'group' ? row.group.updatedAt : row.dashboard.updatedAt} />,
        },
        {
          key: 'by',
          title: t('boards.changedBy'),
          wide: true,
          cell: (row) => row.kind === 'dashboard' && row.dashboard.updatedBy,
        },
      ]}
    />
  )
}

function NameCell({ row, start }: { readonly row: Row; readonly start: number | undefined }): JSX.Element {
  if (row.kind === 'group')
    return (
      <>
        <a class="row" href={groupLink(row.group.id)}>
          <Icon name="group" />
          {row.group.name}
        </a>
        <div class="path">{t('boards.countIn', { count: row.count })}</div>
      </>
    )
  const { id, name, urlName, description, valid, public: isPublic, managedBy } = row.dashboard
  const notes = [row.path, description, managedBy === '' ? '' : t('boards.managedBy', { origin: managedBy })]
  return (
    <>
      <a href={linkTo(`dashboards/${urlName}`)}>{name}</a>{' '}
      {id === start && <span class="chip">{t('boards.start')}</span>}{' '}
      {isPublic && <span class="chip">{t('boards.isPublic')}</span>}{' '}
      {!valid && <State state="warning" text={t('boards.invalid')} />}
      {notes.filter(Boolean).map((text) => (
        <div key={text} class="path">
          {text}
        </div>
      ))}
    </>
  )
}
