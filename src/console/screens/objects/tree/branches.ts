import { signal } from '@preact/signals'

import type { Answer } from '../../../api/client.ts'

export type Node = Answer<'/root/tree/{parentType}/{parentId}/tree'>
export const ROOT_ID = 1

/** A visible row of the tree. */
export type TreeRow = {
  readonly node: Node
  readonly parentId: number | null
  /** The level in the tree, from 1. */
  readonly level: number
  /** The place among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
  /** Null for a row that cannot be opened. */
  readonly isOpen: boolean | null
  /** The device, in a list without a tree. */
  readonly note?: string | undefined
}

/** The objects whose children are shown. Kept while the user is on other screens. */
export const openIds = signal<ReadonlySet<number>>(new Set([ROOT_ID]))
/** Objects that were read with their children, by id. */
export const branches = signal<ReadonlyMap<number, Node>>(new Map())

/** Keeps an object with its children. */
export function keepBranch(node: Node): void {
  branches.value = new Map(branches.value).set(node.id, node)
}

export function setOpen(ids: readonly number[], isOpen: boolean): void {
  const next = new Set(openIds.value)
  for (const id of ids)
    if (isOpen) next.add(id)
    else next.delete(id)
  openIds.value = next
}

/** Service levels have links to objects below them, which are shown in their places only. */
const canOpen = ({ type, hasChildren }: Node): boolean =>
  (type === 'group' || type === 'device') && hasChildren === true

/** The rows of the tree: the root and everything below objects that are open, as far as it was read. */
export function rowsOf(known: ReadonlyMap<number, Node>, open: ReadonlySet<number>): readonly TreeRow[] {
  const root = known.get(ROOT_ID)
  if (!root) return []
  const rows: TreeRow[] = []
  const add = (row: Omit<TreeRow, 'isOpen'>): void => {
    const { node, level } = row
    const isOpen = canOpen(node) ? open.has(node.id) : null
    rows.push({ ...row, isOpen })
    const children = isOpen ? (known.get(node.id)?.children ?? []) : []
    for (const [at, child] of children.entries())
      add({
        node: child,
        parentId: node.id,
        level: level + 1,
        position: at + 1,
        siblings: children.length,
      })
  }
  add({ node: root, parentId: null, level: 1, position: 1, siblings: 1 })
  return rows
}
