import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { BEGIN_AT, conditionWith, deliveryWith, MINUTE_MS, rulesWith } from '../../../../test/engine/rules.ts'
import type { Bucket, BucketsQuery } from '../../../domain/series.ts'
import type { Range } from '../../../lib/range.ts'
import type { JobActors } from '../../../ports/job-actors.ts'
import type { Thresholds } from '../../../domain/job-rules.ts'
import type { State } from '../../../domain/state.ts'
import { step } from '../actor.ts'
import type { Sample } from '../actor.ts'
import { arrivalsOf, samplesOfBuckets } from './arrivals.ts'
import { readBands } from './bands.ts'
import { Replay } from './replay.ts'
import type { Arrival } from './replay.ts'

const above = (value: number, more: object = {}) => conditionWith({ operator: '>', value, ...more })
const LIMITS: Thresholds = [
  { level: 'major', mode: 'or', conditions: [above(8)] },
  { level: 'minor', mode: 'and', conditions: [above(5, { repetition: 2 }), above(3)] },
  { level: 'warning', mode: 'or', conditions: [above(4, { recovery: { value: 2, repetition: 2 } })] },
]
const RULES = rulesWith({ thresholds: LIMITS, timeoutMs: 10 * MINUTE_MS, healsOnData: true })

const arrival = (minute: number, value: number): Arrival => ({
  at: BEGIN_AT + minute * MINUTE_MS,
  values: { returnValue1: value },
  errorCode: null,
})

function replayOf(arrivals: readonly Arrival[], endMinute: number): Replay {
  const [first, ...others] = arrivals
  const replay = new Replay(RULES, first ?? arrival(0, 0))
  for (const one of others) replay.add(one)
  replay.end(BEGIN_AT + endMinute * MINUTE_MS)
  return replay
}

const spansOf = ({ spans }: Replay) =>
  spans.map(({ state, beginAt, endAt }) => [
    state,
    (beginAt - BEGIN_AT) / MINUTE_MS,
    (endAt - BEGIN_AT) / MINUTE_MS,
  ])

describe('a replay', () => {
  test('has spans of states, openings of each level, and crossings of each condition', () => {
    const replay = replayOf([arrival(0, 1), arrival(2, 9), arrival(4, 6), arrival(6, 1), arrival(8, 1)], 10)
    expect(spansOf(replay)).toEqual([
      ['ok', 0, 2],
      ['major', 2, 4],
      ['minor', 4, 6],
      ['warning', 6, 8],
      ['ok', 8, 10],
    ])
    expect(replay.openings).toEqual({ major: 1, minor: 1, warning: 1 })
    expect(replay.crossings).toEqual([1, 1, 1, 1])
  })

  test('counts no opening and no crossing for the state at its begin', () => {
    const replay = replayOf([arrival(0, 9), arrival(2, 9)], 4)
    expect(spansOf(replay)).toEqual([['major', 0, 4]])
    expect(replay.openings).toEqual({ major: 0, minor: 0, warning: 0 })
    expect(replay.crossings).toEqual([0, 1, 0, 0])
  })

  test('times out after a silence, also after the last value', () => {
    const replay = replayOf([arrival(0, 1), arrival(30, 1)], 45)
    expect(spansOf(replay)).toEqual([
      ['ok', 0, 10],
      ['warning', 10, 30],
      ['ok', 30, 40],
      ['warning', 40, 45],
    ])
    expect(replay.openings.warning).toBe(2)
  })

  test('leaves out values that the rules refuse', () => {
    const refused = { ...arrival(2, 9), values: { returnValue7: 9 } }
    expect(spansOf(replayOf([arrival(0, 1), refused], 5))).toEqual([['ok', 0, 5]])
  })

  test('learns the usual values of adaptive limits as it reaches them', async () => {
    const adaptive = {
      windowMs: 7 * 86_400_000,
      season: 'day',
      bucketMs: 3_600_000,
      timeZone: 'Europe/Zurich',
      factor: 3,
      side: 'both',
      minSamples: 3,
      minWidth: 2,
      offset: 0,
      learnsMaintenance: false,
    } as const
    const conditions = [conditionWith({ predicted: true, adaptive })]
    const rules = rulesWith({ timeoutMs: null, thresholds: [{ level: 'major', mode: 'or', conditions }] })
    // Eight days of a value by the hour; at the end 3 o'clock has the value of 10 o'clock, twice.
    const hours = Array.from({ length: 8 * 24 }, (_, hour) => hour)
    const isWild = (hour: number) => hour === 7 * 24 + 3 || hour === 7 * 24 + 4
    const valueOf = (hour: number) => (isWild(hour) ? 100 : 10 * (hour % 24) + (hour % 5) / 10)
    const arrivals = hours.map((hour) => arrival(60 * hour, valueOf(hour)))
    const buckets = ({ edges }: { readonly edges: readonly number[] }) =>
      edges.slice(0, -1).map((at, index): Bucket => {
        const within = arrivals.filter((one) => one.at >= at && one.at < (edges[index + 1] ?? 0))
        const values = within.map(({ values: { returnValue1 } }) => Number(returnValue1))
        const known = { min: Math.min(...values), max: Math.max(...values) }
        const none = { min: null, max: null }
        return { at, value: null, ...(values.length > 0 ? known : none), count: values.length }
      })
    const actors = {
      buckets: (_: number, query: BucketsQuery) => Promise.resolve({ buckets: buckets(query) }),
    }
    const range = { beginAt: BEGIN_AT, endAt: BEGIN_AT + 8 * 86_400_000 }
    const read = (maintenance: readonly Range[]) =>
      readBands(
        { actors: actors as unknown as JobActors, maintenanceIn: () => Promise.resolve(maintenance) },
        { jobId: 1, rules, range },
      )
    const spansAfter = async (maintenance: readonly Range[]) => {
      const [first = arrival(0, 0), ...others] = arrivals
      const bands = await read(maintenance)
      expect(bands.isAbout).toBe(false)
      const replay = new Replay(rules, first, bands)
      for (const one of others) replay.add(one)
      replay.end(range.endAt)
      return spansOf(replay)
    }
    const [wildAt, calmAt] = [60 * (7 * 24 + 3), 60 * (7 * 24 + 5)]
    expect(await spansAfter([])).toEqual([
      ['ok', 0, wildAt],
      ['major', wildAt, calmAt],
      ['ok', calmAt, 8 * 24 * 60],
    ])
    // Without the days of a maintenance, there is too little history.
    const days = { beginAt: BEGIN_AT, endAt: BEGIN_AT + 7 * 86_400_000 }
    expect(await spansAfter([days])).toEqual([['ok', 0, 8 * 24 * 60]])
  })

  test('of the stored samples has the transitions of the job', () => {
    const deliveries = fc.array(
      fc.record({
        minutes: fc.integer({ min: 1, max: 25 }),
        value: fc.integer({ min: 0, max: 10 }),
        errorCode: fc.constantFrom(null, null, 0, 3),
      }),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(deliveries, (sent) => {
        let state = step(null, { kind: 'configure', jobId: 0, rules: RULES }, BEGIN_AT).state
        const stored: Sample[] = []
        const lived: (readonly [State, number])[] = []
        let at = BEGIN_AT
        for (const { minutes, value, errorCode } of [{ minutes: 0, value: 0, errorCode: 0 }, ...sent]) {
          at += minutes * MINUTE_MS
          const delivery = deliveryWith({ values: { returnValue1: value }, errorCode, timestampAt: at })
          const dueAt = state.deadline?.at ?? Infinity
          const events = dueAt < at ? [[{ kind: 'wake' } as const, dueAt] as const] : []
          for (const [event, now] of [...events, [{ kind: 'deliver', delivery } as const, at] as const]) {
            const done = step(state, event, now)
            state = done.state
            stored.push(...done.samples)
            for (const { from, to, at: changedAt } of done.transitions)
              if (from !== to) lived.push([to, changedAt])
          }
        }
        const series = Map.groupBy(stored, ({ key }) => key)
        const arrivals = arrivalsOf([...series].map(([key, samples]) => ({ key, samples })))
        const [first = arrival(0, 0), ...others] = arrivals
        const replay = new Replay(RULES, first)
        for (const one of others) replay.add(one)
        replay.end(at + 1)
        const replayed = replay.spans.slice(1).map(({ state: to, beginAt }) => [to, beginAt] as const)
        expect(replayed).toEqual(lived)
      }),
    )
  })
})

describe('arrivals', () => {
  test('join the samples of an instant, by time, without error codes of a silence', () => {
    const arrivals = arrivalsOf([
      {
        key: 'returnValue1',
        samples: [
          { at: 1, value: 7 },
          { at: 5, value: 8 },
        ],
      },
      { key: 'stringValue1', samples: [{ at: 1, value: 'a' }] },
      {
        key: 'errorCode',
        samples: [
          { at: 1, value: 5 },
          { at: 3, value: 5 },
          { at: 4, value: 2 },
        ],
      },
    ])
    expect(arrivals).toEqual([
      { at: 1, values: { returnValue1: 7, stringValue1: 'a' }, errorCode: 5 },
      { at: 4, values: {}, errorCode: 2 },
      { at: 5, values: { returnValue1: 8 }, errorCode: null },
    ])
  })

  test('of summaries are the least, the greatest and the last value', () => {
    const bucket = (at: number, count: number): Bucket =>
      count === 0 ? { at, value: null, min: null, max: null, count } : { at, value: 2, min: 1, max: 9, count }
    expect(samplesOfBuckets('returnValue1', [bucket(0, 4), bucket(300, 0)], 300).samples).toEqual([
      { at: 0, value: 1 },
      { at: 100, value: 9 },
      { at: 200, value: 2 },
    ])
  })
})
