import { timeFormat } from '../../../src/lib/time.ts'
import { TIME_ZONE } from '../../hosts/host.ts'
import type { Row } from '../play.ts'

const format = timeFormat(TIME_ZONE)

/** The hour of an instant on the clock of the stories. */
export function localHourOf(at: number): number {
  return Number(format(at).slice(11, 13))
}

/** What a story expected and did not find. */
class Unmet extends Error {
  constructor(wanted: string, found: string) {
    super(`expected ${wanted}\nfound    ${found}`)
    this.name = 'Unmet'
  }
}

/** @throws {Unmet} when they are not the same */
export function same(wanted: string | number, found: unknown): void {
  if (wanted !== found) throw new Unmet(String(wanted), String(found))
}

/** Compares lists line by line; of what was found, the columns that are written count.
 * @throws {Unmet} showing both */
export function sameRows(wanted: readonly Row[], found: readonly Row[]): void {
  const isSame = (row: Row, index: number) =>
    Object.entries(row).every(([column, value]) => found[index]?.[column] === value)
  if (wanted.length === found.length && wanted.every(isSame)) return
  throw new Unmet(shown(wanted), shown(found))
}

function shown(rows: readonly Row[]): string {
  if (rows.length === 0) return 'none'
  return rows.map((row) => `\n  ${Object.entries(row).map(shownCell).join(', ')}`).join('')
}

/** Columns whose names end so are instants. */
function shownCell([column, value]: [string, string | number | null]): string {
  return `${column} ${column.endsWith('At') && typeof value === 'number' ? format(value) : String(value)}`
}

/** Epoch ms of an instant on the wire; null where there is none. */
export function instantAt(value: unknown): number | null {
  return typeof value === 'string' ? Date.parse(value) : null
}
