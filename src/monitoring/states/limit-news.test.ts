import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { BEGIN_AT, conditionWith, deliveryWith, rulesWith } from '../../../test/engine/rules.ts'
import type { Condition } from '../../domain/job-rules.ts'
import { step } from '../jobs/actor.ts'
import type { Event } from '../jobs/actor.ts'
import { limitMessage, readLimitNews } from './limit-news.ts'
import type { LimitNews } from './limit-news.ts'

const MINUTE_MS = 60_000
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const six = (value: number) => Number(value.toPrecision(6)) + 0

describe('the message of a limit', () => {
  test.each<[LimitNews, string]>([
    [
      { kind: 'unusual', key: 'returnValue2', value: 812.3456789, lower: 120, upper: 340.5 },
      'returnValue2 is 812.346; usual are values from 120 to 340.5',
    ],
    [
      { kind: 'unusual', key: 'returnValue1', value: -1, lower: 0, upper: null },
      'returnValue1 is -1; usual are values of at least 0',
    ],
    [
      { kind: 'unusual', key: 'returnValue1', value: 9, lower: null, upper: 8 },
      'returnValue1 is 9; usual are values of at most 8',
    ],
    [
      { kind: 'predicted', key: 'returnValue1', relation: 'at least', limit: 90, at: BEGIN_AT },
      'returnValue1 is predicted to be at least 90 at 2026-03-02T08:00:00.000Z',
    ],
  ])('%j', (news, message) => {
    expect(limitMessage(news)).toBe(message)
  })

  test('is read again', () => {
    const key = fc.constantFrom('returnValue1', 'returnValue64')
    const relation = fc.constantFrom(
      'above' as const,
      'at least' as const,
      'below' as const,
      'at most' as const,
    )
    const at = fc.integer({ min: 0, max: 4e12 })
    const predicted = fc.record({ kind: fc.constant('predicted' as const), key, relation, limit: number, at })
    const bounds = fc.oneof(
      fc.record({ lower: number, upper: number }),
      fc.record({ lower: number, upper: fc.constant(null) }),
      fc.record({ lower: fc.constant(null), upper: number }),
    )
    const unusual = fc
      .tuple(key, number, bounds)
      .map(([of, value, { lower, upper }]): LimitNews => ({ kind: 'unusual', key: of, value, lower, upper }))
    fc.assert(
      fc.property(fc.oneof<fc.Arbitrary<LimitNews>[]>(predicted, unusual), (news) => {
        const read = readLimitNews(limitMessage(news))
        if (news.kind === 'predicted') expect(read).toEqual({ ...news, limit: news.limit + 0 })
        else {
          const { lower, upper, value } = news
          expect(read).toEqual({
            ...news,
            value: six(value),
            lower: lower === null ? null : six(lower),
            upper: upper === null ? null : six(upper),
          })
        }
      }),
    )
  })

  test.each([
    '',
    'no data',
    'returnValue1 is x; usual are values from 1 to 2',
    'returnValue1 is predicted to be above 1 at noon',
  ])('is not read from %j', (text) => {
    expect(readLimitNews(text)).toBeNull()
  })
})

describe('a change of a state', () => {
  const adaptive = {
    windowMs: 7 * 86_400_000,
    season: 'none',
    bucketMs: 3_600_000,
    timeZone: 'UTC',
    factor: 3,
    side: 'above',
    minSamples: 1,
    minWidth: 0,
    offset: 0,
    learnsMaintenance: true,
  } as const

  /** The messages of the changes after some events, a minute apart. */
  function messagesOf(condition: Condition, events: readonly Event[]): (string | null)[] {
    const rules = rulesWith({
      timeoutMs: null,
      thresholds: [{ level: 'minor', mode: 'or', conditions: [condition] }],
    })
    let { state } = step(null, { kind: 'configure', jobId: 1, rules }, BEGIN_AT)
    return events.flatMap((event, index) => {
      const done = step(state, event, BEGIN_AT + index * MINUTE_MS)
      state = done.state
      return done.transitions.map(({ message }) => message)
    })
  }
  const sent = (returnValue1: number, message: string | null = null): Event => ({
    kind: 'deliver',
    delivery: deliveryWith({ values: { returnValue1 }, message }),
  })

  test('by an adaptive limit says what came and what is usual, unless the sender does', () => {
    const band = { madeAt: BEGIN_AT, cells: [[BEGIN_AT, null, 8]], endAt: BEGIN_AT + 3_600_000 } as const
    const bands: Event = { kind: 'bands', revision: 1, bands: [[0, band]] }
    const limit = conditionWith({ predicted: true, adaptive })
    expect(messagesOf(limit, [bands, sent(9), sent(1), sent(9, 'too hot')])).toEqual([
      'returnValue1 is 9; usual are values of at most 8',
      null,
      'too hot',
    ])
    const run = { key: 'returnValue1', at: [1, 2, 3].map((minute) => BEGIN_AT + minute), values: [1, 2, 10] }
    expect(messagesOf(limit, [bands, { kind: 'run', run }])).toEqual([
      'returnValue1 is 10; usual are values of at most 8',
    ])
  })

  test('by a limit that looks ahead says when', () => {
    const ahead = { withinMs: 60 * MINUTE_MS, windowMs: 64 * MINUTE_MS }
    const events = Array.from({ length: 43 }, (_, minute) => sent(minute))
    expect(messagesOf(conditionWith({ value: 100, predicted: true, ahead }), events)).toEqual([
      'returnValue1 is predicted to be above 100 at 2026-03-02T09:40:00.000Z',
    ])
  })

  test('by a limit with a number has no message of its own', () => {
    expect(messagesOf(conditionWith({ value: 5 }), [sent(9)])).toEqual([null])
  })
})
