import { spanAround } from '../../lib/time.ts'
import { raw, sql } from './fragment.ts'
import type { Writer } from './dialects/writer.ts'
import type { Fragment } from './fragment.ts'

/** The value of a function of time from an instant on, until the next step. */
export type Step = { readonly fromS: number; readonly value: number }

const FIRST_MS = Date.UTC(1900, 0)
const LAST_MS = Date.UTC(2100, 0)
const ZONES_MAX = 50
const zones = new Map<string, readonly Step[]>()

/** The offsets of a zone in seconds, from 1900 to 2100. They come from here: databases have other rules, or none. */
export function offsetsOf(timeZone: string): readonly Step[] {
  const known = zones.get(timeZone)
  if (known) return known
  const offsets: Step[] = []
  for (let at = FIRST_MS; at < LAST_MS;) {
    const { untilAt, offsetMs } = spanAround(at, timeZone)
    const value = Math.round(offsetMs / 1_000)
    if (offsets.at(-1)?.value !== value) offsets.push({ fromS: Math.round(at / 1_000), value })
    at = untilAt
  }
  if (zones.size >= ZONES_MAX) zones.clear()
  zones.set(timeZone, offsets)
  return offsets
}

/** The value at a time, as a balanced tree: its depth is the logarithm of the number of steps. */
export function stepSql(seconds: Fragment, steps: readonly Step[], writer: Pick<Writer, 'either'>): Fragment {
  const middle = steps.length >> 1
  const at = steps[middle]
  if (middle === 0 || !at) return raw(String(steps[0]?.value ?? 0))
  const [before, after] = [steps.slice(0, middle), steps.slice(middle)]
  return writer.either(
    sql`${seconds}<${raw(at.fromS < 0 ? `(${at.fromS})` : String(at.fromS))}`,
    stepSql(seconds, before, writer),
    stepSql(seconds, after, writer),
  )
}

export const HOUR_S = 3_600
export const DAY_S = 24 * HOUR_S

/** The seconds before 1970 from which spans of so many seconds are counted: it began on a Thursday, and weeks begin on a Monday. */
export function originS(seconds: number): number {
  return seconds === 7 * DAY_S ? 3 * DAY_S : 0
}

/** The greatest multiple of a count up to a number, counted from `-origin`. */
export function floored(number: Fragment, count: number, origin = 0): Fragment {
  const shifted = origin === 0 ? number : sql`(${number} + ${raw(String(origin))})`
  const size = raw(String(count))
  return sql`(${number} - ((${shifted} % ${size} + ${size}) % ${size}))`
}
