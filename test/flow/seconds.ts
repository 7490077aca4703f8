import { DAYS } from '../../src/monitoring/slcs/active-time.ts'
import type { State } from '../../src/domain/state.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Four days around the night of 2026-03-29 in Zurich, which was an hour shorter. */
export const BEGIN = Date.parse('2026-03-27T18:00:00Z')
export const END = BEGIN + 4 * DAY_MS
/** Until when seconds are counted. */
export const TOLD_UNTIL = END + HOUR_MS
const SUMMER = Date.parse('2026-03-29T01:00:00Z')

const offsetAt = (at: number) => (at < SUMMER ? HOUR_MS : 2 * HOUR_MS)
const dayOf = (at: number) => Math.floor((at + offsetAt(at)) / DAY_MS)
export const isNight = (at: number) => new Date(at + offsetAt(at)).getUTCHours() < 6
export const NIGHT = [{ days: DAYS, begin: '00:00', end: '06:00' }]

/** The changes of a container over days of Zurich, second by second; within a second by whole ms. */
export function countSeconds(
  isBad: (at: number) => boolean,
  isActive: (at: number) => boolean,
  allowed: number,
): [at: number, to: State][] {
  const changes: [number, State][] = []
  let [used, today] = [0, dayOf(BEGIN)]
  const state = (): State => changes.at(-1)?.[1] ?? 'ok'
  for (let at = BEGIN; at < TOLD_UNTIL; at += SECOND_MS) {
    if (dayOf(at) !== today) {
      ;[used, today] = [0, dayOf(at)]
      if (state() !== 'ok') changes.push([at, 'ok'])
    }
    if (!isBad(at) || !isActive(at)) continue
    const credit = allowed * activeOn(today, isActive)
    const minorAt = at + Math.ceil((0.8 * credit - used) * SECOND_MS - 1e-6)
    const majorAt = at + Math.floor((credit - used) * SECOND_MS + 1e-6) + 1
    used++
    if (state() === 'ok' && minorAt <= at + SECOND_MS) changes.push([minorAt, 'minor'])
    if (state() === 'minor' && majorAt <= at + SECOND_MS) changes.push([majorAt, 'major'])
  }
  return changes
}

const activeSeconds = new Map<string, number>()

/** How many seconds of a day are active, counted once. */
function activeOn(day: number, isActive: (at: number) => boolean): number {
  const key = `${day} ${isActive === isNight}`
  let count = activeSeconds.get(key)
  if (count !== undefined) return count
  count = 0
  for (let at = (day - 1) * DAY_MS; at < (day + 2) * DAY_MS; at += SECOND_MS) {
    if (dayOf(at) === day && isActive(at)) count++
  }
  activeSeconds.set(key, count)
  return count
}

/** The same numbers in every run (Numerical Recipes' linear congruential generator). */
let chance = 7
export function next(max: number): number {
  chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((chance / 2 ** 32) * max)
}
