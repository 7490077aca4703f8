import type { Cell } from '../../../ports/values-database.ts'

export function integer(cell: Cell | undefined): number {
  return Number(cell ?? 0)
}

/** @throws {TypeError} when the cell holds no bytes */
export function bytes(cell: Cell | undefined): Uint8Array {
  if (cell instanceof Uint8Array) return cell
  throw new TypeError('A row has no bytes where there must be some.')
}
