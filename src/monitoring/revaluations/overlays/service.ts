import { Refusal } from '../../../lib/errors.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import type { State } from '../../../ports/job-actors.ts'
import { occurrencesIn } from '../occurrences.ts'
import type { REVALUATION_TYPES } from '../schema.ts'
import type { RevaluationRow } from '../store.ts'
import * as store from './store.ts'

const OVERLAYS_MAX = 10_000
const LISTED_MAX = 1_000
const EVERY_TYPE = ['maintenance', 'adjustment', 'comment'] as const

/** A revaluation within a range: what it is, and when it applies there. */
export type Placed<Type = (typeof REVALUATION_TYPES)[number]> = Range & {
  readonly id: number
  readonly objectId: number
  readonly type: Type
  readonly name: string
  readonly adjustTo: State
  /** Apart from each other and in order. */
  readonly ranges: readonly Range[]
}

export type PlacedOverlay = Placed<'maintenance' | 'adjustment'>

/** The corrections of the past that concern an object in a range, in order of creation: on it, on what it is in, and on
 * what it is made of; and the objects below it at which these begin to matter.
 * @throws {Refusal} invalid where there are too many */
export async function readOverlays(
  database: Database,
  { id, path }: { readonly id: number; readonly path: string },
  range: Range,
): Promise<{ readonly overlays: readonly PlacedOverlay[]; readonly seeds: readonly number[] }> {
  const found = await store.findOverlays(database, path, { ...range, limit: OVERLAYS_MAX + 1 })
  if (found.length > OVERLAYS_MAX) throw tooMuch(`${OVERLAYS_MAX} corrections of the past`)
  if (found.length === 0) return { overlays: [], seeds: [] }
  const rows = await store.readByIds(database, [...new Set(found.map((one) => one.id))])
  const seeds = new Set(found.map(({ seed }) => seed).filter((seed) => seed !== id))
  return { overlays: rows.flatMap((row) => placedIn(row, range) as PlacedOverlay[]), seeds: [...seeds] }
}

/** The maintenance of some objects that was lived through in a range. */
export async function readLivedThrough(
  database: Database,
  objectIds: readonly number[],
  range: Range,
): Promise<readonly PlacedOverlay[]> {
  const wanted = { ...range, types: ['maintenance'], limit: OVERLAYS_MAX } as const
  const rows = await store.readOn(database, objectIds, wanted)
  return rows.filter(({ inPast }) => !inPast).flatMap((row) => placedIn(row, range) as PlacedOverlay[])
}

/** What was entered for an object, or what it is in, and applies in a range: by begin, 1,000 at most. */
export async function readEntered(
  database: Database,
  path: string,
  range: Range,
): Promise<readonly Placed[]> {
  const rows = await store.readOn(database, idsIn(path), { ...range, types: EVERY_TYPE, limit: LISTED_MAX })
  return rows.flatMap((row) => placedIn(row, range))
}

/** The ids of an object and of what it is in. */
export function idsIn(path: string): number[] {
  return path.split('/').filter(Boolean).map(Number)
}

/** Refuses what would look at too much. */
export function tooMuch(what: string): Refusal {
  return new Refusal('invalid', 'That is too much to recalculate at once.', [
    { pointer: '?recalc', message: `would take more than ${what}: ask for a shorter time` },
  ])
}

/** Nothing where it does not apply in the range. */
function placedIn(row: RevaluationRow, range: Range): Placed[] {
  const { id, objectId, type, name, adjustTo, beginAt, endAt } = row
  const ranges = occurrencesIn(row, range)
  return ranges.length === 0 ? [] : [{ id, objectId, type, name, adjustTo, beginAt, endAt, ranges }]
}
