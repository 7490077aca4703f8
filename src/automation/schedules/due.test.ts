import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { nextAfter, nextRuns } from '../scripts/cron.ts'
import { comingTo, LATE_MAX_MS } from './due.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'

const ZURICH = 'Europe/Zurich'
const daily = { cron: '30 2 * * *', timeZone: ZURICH }
const DUE = Date.parse('2026-03-10T01:30:00Z')

test.each([
  ['skip', 0, true],
  ['skip', LATE_MAX_MS, true],
  ['skip', LATE_MAX_MS + 1, false],
  ['run_once', LATE_MAX_MS + 1, true],
  ['run_once', 3 * DAY_MS, true],
  ['skip', 3 * DAY_MS, true],
  ['skip', 3 * DAY_MS + LATE_MAX_MS + 1, false],
] as const)('a daily one that may %s is run %p ms later: %p', (misfire, lateMs, isRun) => {
  const found = comingTo({ ...daily, misfire, nextAt: DUE }, DUE + lateMs)
  expect(found.isRun).toBe(isRun)
  expect(found.nextAt).toBe(nextAfter(daily.cron, ZURICH, DUE + lateMs))
})

const ZONES = ['UTC', ZURICH, 'America/New_York', 'Australia/Lord_Howe']
const CRONS = ['* * * * *', '*/7 * * * *', '30 2 * * *', '0 */2 * * *', '15,45 1-3 * * *', '0 12 * * MON']
/** Around a change of the clock of each zone, and elsewhere. */
const STARTS = [
  '2026-03-07',
  '2026-03-28',
  '2026-04-04',
  '2026-06-15',
  '2026-10-03',
  '2026-10-24',
  '2026-10-31',
].map((day) => Date.parse(`${day}T12:00:00Z`))

/** The instants that are run if schedules are checked after each of these gaps. */
function watch(
  times: { cron: string; timeZone: string; misfire: 'skip' | 'run_once' },
  from: number,
  gapsMs: readonly number[],
) {
  const runs: { readonly at: number; readonly dueAt: number }[] = []
  let nextAt = nextAfter(times.cron, times.timeZone, from)
  let now = from
  for (const gapMs of gapsMs) {
    now += gapMs
    if (nextAt === null || nextAt > now) continue
    const found = comingTo({ ...times, nextAt }, now)
    if (found.isRun) runs.push({ at: now, dueAt: nextAt })
    nextAt = found.nextAt
  }
  return { runs, now, nextAt }
}

test('a check every minute runs each instant exactly once, also where the clock is changed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CRONS),
      fc.constantFrom(...ZONES),
      fc.constantFrom(...STARTS),
      fc.constantFrom('skip', 'run_once'),
      (cron, timeZone, from, misfire) => {
        const gaps = Array.from({ length: 20 * 60 }, () => MINUTE_MS)
        const { runs, now } = watch({ cron, timeZone, misfire }, from, gaps)
        const wanted = nextRuns(cron, timeZone, from, 20 * 60 + 1).filter((at) => at <= now)
        expect(runs.map(({ dueAt }) => dueAt)).toEqual(wanted)
      },
    ),
    { numRuns: 8 },
  )
})

test('after any gap between two checks no instant is run twice, and a due one is run once or not at all', () => {
  const gap = fc.oneof(fc.integer({ min: 1, max: 10 * MINUTE_MS }), fc.integer({ min: 1, max: 3 * DAY_MS }))
  fc.assert(
    fc.property(
      fc.constantFrom(...CRONS),
      fc.constantFrom(...ZONES),
      fc.constantFrom(...STARTS),
      fc.array(gap, { minLength: 1, maxLength: 30 }),
      (cron, timeZone, from, gaps) => {
        const once = watch({ cron, timeZone, misfire: 'run_once' }, from, gaps)
        const skip = watch({ cron, timeZone, misfire: 'skip' }, from, gaps)
        expect(skip.nextAt).toBe(once.nextAt)
        let [at, lookedAt] = [from, from]
        const [ranOnce, ranSkip] = [once, skip].map(({ runs }) => new Set(runs.map((run) => run.at)))
        for (const gapMs of gaps) {
          lookedAt = at
          at += gapMs
          const first = nextAfter(cron, timeZone, lookedAt)
          const isDue = first !== null && first <= at
          // One run for all that was due since the last look.
          expect(ranOnce?.has(at)).toBe(isDue)
          const late = nextAfter(cron, timeZone, Math.max(lookedAt, at - LATE_MAX_MS - 1))
          expect(ranSkip?.has(at)).toBe(isDue && late !== null && late <= at)
        }
      },
    ),
    { numRuns: 200 },
  )
})
