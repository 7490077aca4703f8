import type { JSX } from 'preact'

import { useGet } from '../../../api/resource.ts'
import { user } from '../../../api/session.ts'
import { Button } from '../../../kit/controls.tsx'
import { Empty, Note, Show, Skeleton } from '../../../kit/feedback.tsx'
import { rankOf } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import { ROOT_ID } from './branches.ts'
import type { Node, TreeRow } from './branches.ts'
import { isEmpty, jsonOf } from './filter.ts'
import type { Definition } from './filter.ts'

const FOUND_MAX = 5_000
/** The greatest `limit` of `GET /alarms`. */
const ALARMS_MAX = 1_000

type FoundNode = Node & { readonly deviceName?: string }
type Props = {
  readonly definition: Definition
  /** Only objects whose alarm the user has acknowledged. */
  readonly isMine: boolean
  readonly onClear: () => void
  /** @param found the number of objects that match, in words */
  readonly children: (rows: readonly TreeRow[], found: string) => JSX.Element
}

/** The objects that match a filter, as a flat list. The page of an object has its place. */
export function Found({ definition, isMine, onClear, children }: Props): JSX.Element {
  const search = useGet(
    '/groups/{id}/search',
    isEmpty(definition)
      ? null
      : { path: { id: ROOT_ID }, query: { filterDefinition: jsonOf(definition), limit: FOUND_MAX } },
    ['state'],
  )
  const alarms = useGet(
    '/alarms',
    isMine && user.value ? { query: { assignee: user.value.id, limit: ALARMS_MAX } } : null,
    ['alarm'],
  )
  const mine = (alarms.data?.items ?? []).filter(({ assignee }) => assignee?.userId === user.value?.id)
  const mineIds = new Set(mine.map(({ object }) => object.id))
  const found: readonly FoundNode[] = isEmpty(definition)
    ? mine.map(({ object, state }) => ({ ...object, state, deviceName: placeOf(object.path) }))
    : (search.data?.items ?? []).filter(({ id }) => !isMine || mineIds.has(id))
  const rows = found.toSorted(worstFirst).map((node, at) => ({
    node,
    parentId: null,
    level: 1,
    position: at + 1,
    siblings: found.length,
    isOpen: null,
    note: node.deviceName,
  }))
  // Without the alarms of the user, an object that matches could be missing.
  const asked = isEmpty(definition) || (isMine && alarms.data === undefined) ? alarms : search
  const isCut = (search.data?.items.length ?? 0) >= FOUND_MAX || alarms.data?.nextCursor != null
  return (
    <Show
      resource={{ ...asked, data: asked.data === undefined ? undefined : rows }}
      what={t('objects.filterFailed')}
      skeleton={<Skeleton lines={8} />}
    >
      {() => (
        <>
          {isCut && <Note kind="warning">{t('objects.foundCut')}</Note>}
          {rows.length === 0 ? (
            <Empty
              title={t('objects.noMatch')}
              action={<Button onClick={onClear}>{t('objects.clearFilter')}</Button>}
            />
          ) : (
            children(rows, t(isCut ? 'objects.foundLeast' : 'objects.found', { count: rows.length }))
          )}
        </>
      )}
    </Show>
  )
}

const byName = new Intl.Collator(undefined, { numeric: true })

/** Orders objects by their state, worst first, then by device and name with numbers in their numeric order. */
function worstFirst(a: FoundNode, b: FoundNode): number {
  return (
    rankOf(b.state) - rankOf(a.state) ||
    byName.compare(a.deviceName ?? '', b.deviceName ?? '') ||
    byName.compare(a.name ?? '', b.name ?? '')
  )
}

const placeOf = (path: string): string => path.split('/').at(-2) ?? ''
