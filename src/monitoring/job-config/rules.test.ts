import { describe, expect, test } from 'bun:test'
import { rulesOf } from './rules.ts'
import { parametersSchema, thresholdsSchema } from './schema.ts'
import { DAY_MS } from '../../lib/time.ts'

const JOB = {
  revision: 3,
  createdAt: 5,
  collectorId: 7,
  intervalMs: 60_000,
  stopped: false,
  forcedState: null,
  flapping: null,
}

describe('rulesOf', () => {
  test('durations become milliseconds, values their divisors, and absent ones nothing', () => {
    const parameters = parametersSchema.parse({
      timeout: 'PT15M',
      returnValue: [{ valueName: 'a' }, { valueName: 'b', valueDivisor: 1000 }],
      stringValue: [{ valueName: 'version' }],
    })
    expect(rulesOf({ ...JOB, parameters, thresholds: {} }, 'UTC')).toEqual({
      revision: 3,
      createdAt: 5,
      collectorId: 7,
      timeoutMs: 900_000,
      graceMs: null,
      intervalMs: 60_000,
      healsOnData: false,
      divisors: [1, 1000],
      textCount: 1,
      thresholds: [],
      stopped: false,
      forced: null,
      retention: { rawMs: 400 * DAY_MS, minutesMs: 800 * DAY_MS, hoursMs: 3_660 * DAY_MS },
      flapping: null,
    })
  })

  test.each([
    [{ raw: 'P1D', minutes: 'P1D', hours: 'P1D' }, null],
    [{ raw: 'P36600D', minutes: 'P36600D', hours: 'P36600D' }, null],
    [{ raw: 'PT24H' }, null],
    [{ raw: 'PT23H59M' }, 'raw'],
    [{ hours: 'P36600DT1S' }, 'hours'],
    [{ raw: 'P1Y' }, 'raw'],
    [{ raw: 'P801D' }, 'minutes'],
    [{ minutes: 'P3661D' }, 'hours'],
    [{ days: 'P1D' }, ''],
  ])('a retention of %j is accepted, or rejected at %p', (retention, at) => {
    const { success, error } = parametersSchema.safeParse({ retention })
    expect(success).toBe(at === null)
    if (at !== null) expect(error?.issues.map(({ path }) => path.slice(1).join('.'))).toContain(at)
  })

  test('levels come worst first, with any order in the body', () => {
    const level = { conditions: [{ key: 'errorCode', operator: '>', value: 0 }] }
    const thresholds = thresholdsSchema.parse({ warning: level, major: level, minor: level })
    const { thresholds: rules } = rulesOf(
      { ...JOB, parameters: parametersSchema.parse({}), thresholds },
      'UTC',
    )
    expect(rules.map(({ level: name }) => name)).toEqual(['major', 'minor', 'warning'])
  })

  test('a condition with inFuture or adaptive values is marked as predicted', () => {
    const condition = { key: 'returnValue1', operator: '>', value: 1 }
    const thresholds = thresholdsSchema.parse({
      major: {
        conditions: [
          condition,
          { ...condition, inFuture: 'PT1H' },
          { ...condition, adaptiveValues: { window: 'P28D' } },
        ],
      },
    })
    const { thresholds: rules } = rulesOf(
      { ...JOB, parameters: parametersSchema.parse({}), thresholds },
      'UTC',
    )
    expect(rules[0]?.conditions.map(({ predicted }) => predicted)).toEqual([false, true, true])
  })

  test.each([
    ['PT1H', 60, 240],
    [{ within: 'PT1H' }, 60, 240],
    [{ within: 'PT1H', window: 'PT64M' }, 60, 64],
    ['PT1M', 1, 10],
    ['P30D', 30 * 1440, 90 * 1440],
  ])('inFuture %j looks %d minutes ahead over a window of %d minutes', (inFuture, within, window) => {
    const thresholds = thresholdsSchema.parse({
      major: { conditions: [{ key: 'returnValue1', operator: '>', value: 1, inFuture }] },
    })
    const { thresholds: rules } = rulesOf(
      { ...JOB, parameters: parametersSchema.parse({}), thresholds },
      'UTC',
    )
    expect(rules[0]?.conditions[0]?.ahead).toEqual({ withinMs: within * 60_000, windowMs: window * 60_000 })
  })
})

describe('invalid thresholds', () => {
  const refused: [string, object][] = [
    ['a string operator for a number', { key: 'returnValue1', operator: 'contains', value: 1 }],
    ['a number operator for a string', { key: 'stringValue1', operator: '>', value: 'a' }],
    ['a string limit for a number', { key: 'returnValue1', operator: '>', value: 'a' }],
    ['a number limit for a string', { key: 'stringValue1', operator: '=', value: 1 }],
    ['an unknown key', { key: 'value1', operator: '>', value: 1 }],
    ['an unknown operator', { key: 'returnValue1', operator: '~', value: 1 }],
    ['a prediction for a string', { key: 'stringValue1', operator: '=', value: 'a', inFuture: 'PT1H' }],
    [
      'a recovery of another type',
      { key: 'returnValue1', operator: '>', value: 1, recovery: { value: 'a' } },
    ],
    ['a negative repetition', { key: 'returnValue1', operator: '>', value: 1, repetition: -1 }],
    ['an unknown field', { key: 'returnValue1', operator: '>', value: 1, colour: 'red' }],
  ]
  for (const [what, condition] of refused) {
    test(what, () =>
      expect(thresholdsSchema.safeParse({ minor: { conditions: [condition] } }).success).toBe(false),
    )
  }

  test('32 conditions are accepted and 33 are rejected', () => {
    const condition = { key: 'returnValue1', operator: '>', value: 1 }
    const of = (total: number) =>
      thresholdsSchema.safeParse({ minor: { conditions: Array(total).fill(condition) } }).success
    expect([of(32), of(33)]).toEqual([true, false])
  })
})
