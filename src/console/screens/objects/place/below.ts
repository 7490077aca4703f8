import type { Node } from '../tree/branches.ts'

export type Below = Readonly<Record<Node['type'] | 'total', number>>

/** The objects below an object by type, without itself. */
export function countBelow(node: Node | undefined): Below {
  const counts = { group: 0, device: 0, job: 0, slo: 0, slc: 0, total: 0 }
  for (const { type } of nodesBelow(node)) {
    counts[type] += 1
    counts.total += 1
  }
  return counts
}

/** All objects below an object that was read with its whole tree. Links of service levels are not below them. */
export function nodesBelow(node: Node | undefined): readonly Node[] {
  const isPlace = node?.type === 'group' || node?.type === 'device'
  return (isPlace ? (node.children ?? []) : []).flatMap((child) => [child, ...nodesBelow(child)])
}
