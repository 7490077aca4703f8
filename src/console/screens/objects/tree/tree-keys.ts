import type { TreeRow } from './branches.ts'

/** The effect of a key in a tree (WAI-ARIA Authoring Practices). */
export type TreeMove =
  | { readonly go: number }
  | { readonly open: readonly number[] }
  | { readonly close: number }

/** The effect of a key on the row at an index; null when the tree does not use the key. */
export function moveOf(key: string, rows: readonly TreeRow[], at: number): TreeMove | null {
  const row = rows[at]
  if (!row) return null
  switch (key) {
    case 'ArrowDown':
      return { go: Math.min(rows.length - 1, at + 1) }
    case 'ArrowUp':
      return { go: Math.max(0, at - 1) }
    case 'Home':
      return { go: 0 }
    case 'End':
      return { go: rows.length - 1 }
    case 'ArrowRight':
      return inward(rows, at)
    case 'ArrowLeft':
      return outward(rows, at)
    case '*':
      return { open: siblingsToOpen(rows, row) }
    default:
      return null
  }
}

function inward(rows: readonly TreeRow[], at: number): TreeMove | null {
  const row = rows[at]
  if (row?.isOpen === false) return { open: [row.node.id] }
  return row?.isOpen && rows[at + 1]?.parentId === row.node.id ? { go: at + 1 } : null
}

function outward(rows: readonly TreeRow[], at: number): TreeMove | null {
  const row = rows[at]
  if (row?.isOpen) return { close: row.node.id }
  const parent = rows.findIndex(({ node }) => node.id === row?.parentId)
  return parent < 0 ? null : { go: parent }
}

function siblingsToOpen(rows: readonly TreeRow[], { parentId }: TreeRow): readonly number[] {
  return rows.filter((one) => one.parentId === parentId && one.isOpen === false).map(({ node }) => node.id)
}

/** The next row whose name begins with the typed letters, from the present row on and round.
 * Only longer texts match the present row itself. @returns -1 for none */
export function jump(names: readonly string[], at: number, typed: string): number {
  const text = typed.toLowerCase()
  const from = typed.length > 1 ? 0 : 1
  for (let step = from; step < names.length + from; step++) {
    const index = (at + step) % names.length
    if (names[index]?.toLowerCase().startsWith(text)) return index
  }
  return -1
}
