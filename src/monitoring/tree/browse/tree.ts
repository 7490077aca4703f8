import type { State } from '../../../domain/state.ts'
import { STATES } from '../../../domain/state.ts'
import type { Permissions } from '../../../access/rights/permissions.ts'
import type { NodeField, TreeNode } from './schema.ts'
import type { NodeRow } from './store.ts'

type Count = { readonly id: number; readonly state: State; readonly total: number }

export type TreeQuery = {
  readonly depth: number | null
  readonly states?: readonly State[] | undefined
  readonly fields?: readonly (NodeField | 'id' | 'type')[] | undefined
  readonly permissionsOf: (row: NodeRow) => Permissions
}

/** Builds a tree from rows, the top first and parents before their children; null without a top. */
export function growTree(
  rows: readonly NodeRow[],
  counts: readonly Count[],
  wish: TreeQuery,
): TreeNode | null {
  const countsOf = Map.groupBy(counts, ({ id }) => id)
  const childrenOf = Map.groupBy(rows, ({ parentId, depth }) => (depth === 0 ? null : parentId))
  const states = new Set(wish.states ?? STATES)

  const grow = (row: NodeRow): TreeNode[] => {
    const below = countsOf.get(row.id) ?? []
    const isWanted = row.depth === 0 || states.has(row.state) || below.some(({ state }) => states.has(state))
    if (!isWanted) return []
    const permissions = wish.permissionsOf(row)
    const isLoaded = wish.depth === null || row.depth < wish.depth || !row.hasChildren
    const children = isLoaded ? { children: (childrenOf.get(row.id) ?? []).flatMap(grow) } : {}
    return [pick({ ...nodeOf(row, below), permissions, ...children }, wish.fields)]
  }

  const [top] = (childrenOf.get(null) ?? []).flatMap(grow)
  return top ?? null
}

function nodeOf(row: NodeRow, below: readonly Count[]): TreeNode {
  const { id, type, subType, name, state, hasChildren } = row
  const counts: Record<string, number> = { major: 0, minor: 0, warning: 0, ok: 0 }
  for (const count of below) counts[count.state] = count.total
  const worstChild = STATES.find((known) => below.some((count) => count.state === known)) ?? null
  return { id, type, subType, name, state, worstChild, counts, hasChildren }
}

function pick(node: TreeNode, fields: TreeQuery['fields']): TreeNode {
  if (!fields) return node
  const { id, type, ...rest } = node
  const wanted = Object.entries(rest).filter(([name]) => fields.some((field) => field === name))
  return { id, type, ...Object.fromEntries(wanted) }
}
