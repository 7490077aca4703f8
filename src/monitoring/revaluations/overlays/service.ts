import { idsOf } from '../../../access/rights/permissions.ts'
import { Refusal } from '../../../lib/errors.ts'
import { cut, unionOf } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import type { State } from '../../../domain/state.ts'
import { countOccurrences, occurrencesIn } from '../occurrences.ts'
import type { REVALUATION_TYPES } from '../schema.ts'
import { readByIds, readRevaluations } from '../store.ts'
import type { RevaluationRow } from '../store.ts'
import * as store from './store.ts'

const OVERLAYS_MAX = 10_000
const OCCURRENCES_MAX = 100_000
const LISTED_MAX = 1_000

/** A revaluation that affects states. */
export type PlacedRevaluation = Range & {
  readonly id: number
  readonly objectId: number
  readonly type: (typeof REVALUATION_TYPES)[number]
  readonly name: string
  /** Whether it applies at any time of a range. */
  readonly appliesIn: (range: Range) => boolean
  /** When it applies in a range: disjoint and in order; at most so many times. */
  readonly timesIn: (range: Range, max: number) => readonly Range[]
}

/** A revaluation that changes states, and when it applies. */
export type PlacedOverlay = PlacedRevaluation & {
  readonly type: 'maintenance' | 'adjustment'
  readonly adjustTo: State
  /** Whether service level containers ignore the maintenance. */
  readonly slaRelevant: boolean
  /** Disjoint and in order. */
  readonly ranges: readonly Range[]
}

/** The corrections of the past that affect objects in a range, in order of creation: on them, on the objects above, and
 * on their children at any depth; and the seeds, the objects at which the corrections take effect.
 * @throws {Refusal} invalid if there are too many */
export async function readOverlays(
  database: Database,
  ids: readonly number[],
  range: Range,
): Promise<{ readonly overlays: readonly PlacedOverlay[]; readonly seeds: readonly number[] }> {
  const found = await store.findOverlays(database, ids, { ...range, limit: OVERLAYS_MAX + 1 })
  if (found.length > OVERLAYS_MAX) throw tooMuch(`${OVERLAYS_MAX} corrections of the past`)
  if (found.length === 0) return { overlays: [], seeds: [] }
  const rows = await readByIds(database, [...new Set(found.map((one) => one.id))])
  return { overlays: overlaysIn(rows, range), seeds: [...new Set(found.map(({ seed }) => seed))] }
}

/** The maintenance of objects that applied in a range as time passed. @throws {Refusal} invalid if there is too much */
export function readExperienced(
  database: Database,
  objectIds: readonly number[],
  range: Range,
): Promise<readonly PlacedOverlay[]> {
  return readThose(database, objectIds, range, ({ inPast, type }) => !inPast && type === 'maintenance')
}

/** When an object was in maintenance in a range, also by corrections of the past; ascending, without touching
 * neighbours. @throws {Refusal} invalid if there is too much */
export async function maintenanceOf(
  database: Database,
  objectId: number,
  range: Range,
): Promise<readonly Range[]> {
  const path = await store.findPath(database, objectId)
  const found = await readThose(database, idsOf(path ?? ''), range, ({ type }) => type === 'maintenance')
  return unionOf(found.flatMap(({ ranges }) => ranges))
}

/** The corrections of the past on an object and on the objects above it, in order of creation.
 * @throws {Refusal} invalid if there are too many */
export async function readCorrections(
  database: Database,
  path: string,
  range: Range,
): Promise<readonly PlacedOverlay[]> {
  const found = await readThose(database, idsOf(path), range, ({ inPast }) => inPast)
  return found.toSorted((a, b) => a.id - b.id)
}

async function readThose(
  database: Database,
  objectIds: readonly number[],
  range: Range,
  isWanted: (row: RevaluationRow) => boolean,
): Promise<readonly PlacedOverlay[]> {
  const rows = await readRevaluations(database, objectIds, { ...range, limit: OVERLAYS_MAX + 1 })
  if (rows.length > OVERLAYS_MAX) throw tooMuch(`${OVERLAYS_MAX} revaluations`)
  return overlaysIn(rows.filter(isWanted), range)
}

/** Whether it counts for service level containers: they ignore maintenance that is `slaRelevant`. */
export function countsForSla({ type, slaRelevant }: Pick<PlacedOverlay, 'type' | 'slaRelevant'>): boolean {
  return type === 'adjustment' || !slaRelevant
}

/** The revaluations of an object and of the objects above it that overlap a range, by begin, at most 1,000. */
export async function readEntered(
  database: Database,
  path: string,
  range: Range,
): Promise<readonly PlacedRevaluation[]> {
  const rows = await readRevaluations(database, idsOf(path), { ...range, limit: LISTED_MAX })
  return rows.map(placed)
}

/** The refusal of a recalculation that would read too much. */
export function tooMuch(what: string): Refusal {
  return new Refusal('invalid', 'The range has too much to recalculate in one request.', [
    { pointer: '?recalc', message: `would need more than ${what}; use a shorter range` },
  ])
}

function placed(row: RevaluationRow): PlacedRevaluation {
  const { id, objectId, type, name, beginAt, endAt } = row
  const appliesIn = (range: Range) => occurrencesIn(row, range).length > 0
  const timesIn = (range: Range, max: number) => occurrencesIn(row, range).slice(0, max)
  return { id, objectId, type, name, beginAt, endAt, appliesIn, timesIn }
}

/** The overlays that apply in a range. @throws {Refusal} invalid if they apply too often */
function overlaysIn(rows: readonly RevaluationRow[], range: Range): PlacedOverlay[] {
  const parts = rows.flatMap((row) => cut(row, range).map((part) => countOccurrences(row.active, part)))
  if (parts.reduce((sum, count) => sum + count, 0) > OCCURRENCES_MAX)
    throw tooMuch(`${OCCURRENCES_MAX} occurrences of revaluations`)
  return rows.flatMap((row) => {
    const { type, adjustTo, slaRelevant } = row
    const ranges = occurrencesIn(row, range)
    if (type === 'comment' || ranges.length === 0) return []
    return [{ ...placed(row), type, adjustTo, slaRelevant, ranges }]
  })
}
