import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { conditionWith } from '../../../test/engine/rules.ts'
import type { Value } from '../../domain/delivery.ts'
import type { Condition, Operator, Thresholds } from '../../domain/job-rules.ts'
import type { Level } from '../../domain/state.ts'
import { compare, NUMBER_OPERATORS, TEXT_OPERATORS } from './comparison.ts'
import { count, countSilence, evaluate, uncountedSpan } from './thresholds.ts'
import type { Counter } from './thresholds.ts'

const comparisons: readonly (readonly [value: Value, operator: Operator, limit: Value, holds: boolean])[] = [
  [2, '>', 1, true],
  [1, '>', 1, false],
  [0, '>', 1, false],
  [2, '>=', 1, true],
  [1, '>=', 1, true],
  [0, '>=', 1, false],
  [0, '<', 1, true],
  [1, '<', 1, false],
  [2, '<', 1, false],
  [0, '<=', 1, true],
  [1, '<=', 1, true],
  [2, '<=', 1, false],
  [1, '=', 1, true],
  [1.5, '=', 1, false],
  [1, '<>', 1, false],
  [2, '<>', 1, true],
  [-1, '<', 0, true],
  [0.1 + 0.2, '=', 0.3, false],
  ['on', '=', 'on', true],
  ['on', '=', 'On', false],
  ['on', '<>', 'on', false],
  ['on', '<>', 'off', true],
  ['version 2', 'contains', 'on 2', true],
  ['version 2', 'contains', 'on 3', false],
  ['version 2', 'contains', '', true],
  ['version 2', 'not_contains', 'on 2', false],
  ['version 2', 'not_contains', 'on 3', true],
  ['version 2', 'starts_with', 'ver', true],
  ['version 2', 'starts_with', 'er', false],
  ['version 2', 'ends_with', ' 2', true],
  ['version 2', 'ends_with', 'version', false],
  ['version 2', 'matches', 'v*2', true],
  ['version 2', 'matches', 'v*3', false],
  ['version 2', 'matches', 'version', false],
  ['version 2', 'not_matches', 'v*2', false],
  ['version 2', 'not_matches', 'v*3', true],
]

test.each(comparisons)('%p %s %p is %p', (value, operator, limit, holds) => {
  expect(compare(operator, value, limit)).toBe(holds)
})

test('every operator for numbers and for texts has a row that holds and one that does not', () => {
  const shown = (type: string, holds: boolean) =>
    new Set(comparisons.filter((row) => typeof row[0] === type && row[3] === holds).map((row) => row[1]))
  for (const holds of [true, false]) {
    expect([...shown('number', holds)].toSorted()).toEqual([...NUMBER_OPERATORS].toSorted())
    expect([...shown('string', holds)].toSorted()).toEqual([...TEXT_OPERATORS].toSorted())
  }
})

test('a number is never compared with a text, nor with an operator for texts, and the other way round', () => {
  const operators: readonly Operator[] = [...NUMBER_OPERATORS, ...TEXT_OPERATORS]
  for (const operator of operators) {
    expect(compare(operator, 1, '1')).toBe(false)
    expect(compare(operator, '1', 1)).toBe(false)
  }
  const textOnly = TEXT_OPERATORS.filter((operator) => operator !== '=' && operator !== '<>')
  for (const operator of textOnly) expect(compare(operator, 1, 1)).toBe(false)
  for (const operator of ['>', '>=', '<', '<='] as const) expect(compare(operator, 'b', 'a')).toBe(false)
})

describe('counting', () => {
  test('minor above 200 with repetition 3 holds at the third value in a row, and not at three in all', () => {
    const thresholds = levels({ minor: [conditionWith({ repetition: 3 })] })
    expect(statesOf(thresholds, numbers(250, 250, 150, 250, 250, 250))).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
      'minor',
    ])
  })

  test('the first good value clears at once', () => {
    const thresholds = levels({ minor: [conditionWith({ repetition: 2 })] })
    expect(statesOf(thresholds, numbers(250, 250, 250, 200, 250))).toEqual([
      'ok',
      'minor',
      'minor',
      'ok',
      'ok',
    ])
  })

  test.each([0, 1])('repetition %p holds at the first value', (repetition) => {
    const thresholds = levels({ major: [conditionWith({ repetition })] })
    expect(statesOf(thresholds, numbers(201, 200, 201))).toEqual(['major', 'ok', 'major'])
  })

  test('a missing key leaves the counter where it is, whether it counts or holds', () => {
    const thresholds = levels({ major: [conditionWith({ repetition: 2 })] })
    const other = { returnValue2: 0 }
    const values = [{ returnValue1: 201 }, other, { returnValue1: 201 }, other, { returnValue1: 0 }]
    expect(statesOf(thresholds, values)).toEqual(['ok', 'ok', 'major', 'major', 'ok'])
  })

  test('a predicted condition never holds, not even beside one that does', () => {
    const predicted = conditionWith({ predicted: true })
    expect(statesOf(levels({ major: [predicted] }), numbers(999, 999))).toEqual(['ok', 'ok'])
    const both: Thresholds = [{ level: 'major', mode: 'and', conditions: [predicted, conditionWith()] }]
    expect(statesOf(both, numbers(999))).toEqual(['ok'])
    const either: Thresholds = [{ level: 'major', mode: 'or', conditions: [predicted, conditionWith()] }]
    expect(statesOf(either, numbers(999))).toEqual(['major'])
  })

  test('a value of the other type does not breach, and so clears', () => {
    const thresholds = levels({ major: [conditionWith()] })
    expect(statesOf(thresholds, [{ returnValue1: 201 }, { returnValue1: '201' }])).toEqual(['major', 'ok'])
  })
})

describe('recovery', () => {
  const recovering = (repetition: number, recoverAfter: number) =>
    levels({ minor: [conditionWith({ repetition, recovery: { value: 180, repetition: recoverAfter } })] })

  test('what held stays until as many values in a row as asked for no longer breach the recovery value', () => {
    expect(statesOf(recovering(1, 2), numbers(201, 190, 180, 190, 180, 180, 190))).toEqual([
      'minor',
      'minor',
      'minor',
      'minor',
      'minor',
      'ok',
      'ok',
    ])
  })

  test.each([0, 1])('recovery after %p takes one good value', (repetition) => {
    expect(statesOf(recovering(1, repetition), numbers(201, 181, 180))).toEqual(['minor', 'minor', 'ok'])
  })

  test('what never held does not need to recover', () => {
    expect(statesOf(recovering(2, 2), numbers(201, 190, 201, 201))).toEqual(['ok', 'ok', 'ok', 'minor'])
  })

  test('a value beyond the limit starts the recovery anew, though it does not hold by itself', () => {
    expect(statesOf(recovering(2, 2), numbers(201, 201, 180, 201, 180, 180))).toEqual([
      'ok',
      'minor',
      'minor',
      'minor',
      'minor',
      'ok',
    ])
  })

  test('after recovering, the repetition counts from the beginning', () => {
    expect(statesOf(recovering(2, 1), numbers(201, 201, 180, 201, 201))).toEqual([
      'ok',
      'minor',
      'ok',
      'ok',
      'minor',
    ])
  })
})

describe('levels', () => {
  const above = (value: number) => conditionWith({ value })
  const below = (value: number) => conditionWith({ key: 'returnValue2', operator: '<', value })

  test('or holds when one condition does, and only when all do', () => {
    const rows = [
      { returnValue1: 1, returnValue2: 9 },
      { returnValue1: 9, returnValue2: 9 },
      { returnValue1: 1, returnValue2: 1 },
      { returnValue1: 9, returnValue2: 1 },
    ]
    const conditions = [above(5), below(5)]
    expect(statesOf([{ level: 'minor', mode: 'or', conditions }], rows)).toEqual([
      'ok',
      'minor',
      'minor',
      'minor',
    ])
    expect(statesOf([{ level: 'minor', mode: 'and', conditions }], rows)).toEqual(['ok', 'ok', 'ok', 'minor'])
  })

  test('and over keys that arrive apart holds once both were breached last', () => {
    const rows = [{ returnValue1: 9 }, { returnValue2: 1 }, { returnValue1: 1 }, { returnValue1: 9 }]
    expect(statesOf([{ level: 'minor', mode: 'and', conditions: [above(5), below(5)] }], rows)).toEqual([
      'ok',
      'minor',
      'ok',
      'minor',
    ])
  })

  test('the worst level that holds wins over all others', () => {
    const thresholds = levels({ major: [above(30)], minor: [above(20)], warning: [above(10)] })
    expect(statesOf(thresholds, numbers(5, 15, 25, 35, 25, 15, 10))).toEqual([
      'ok',
      'warning',
      'minor',
      'major',
      'minor',
      'warning',
      'ok',
    ])
    const upsideDown = levels({ major: [conditionWith({ operator: '<', value: 5 })], warning: [above(0)] })
    expect(statesOf(upsideDown, numbers(3, 9))).toEqual(['major', 'warning'])
  })

  test.each(['or', 'and'] as const)('a level without conditions never holds (%s)', (mode) => {
    expect(evaluate([{ level: 'major', mode, conditions: [] }], [], 0)).toBe('ok')
  })

  test('each condition has its own counter, also one that stands in two levels', () => {
    const thresholds = levels({
      major: [conditionWith({ repetition: 3 })],
      minor: [conditionWith({ repetition: 2 })],
      warning: [conditionWith()],
    })
    expect(statesOf(thresholds, numbers(201, 201, 201, 0, 201))).toEqual([
      'warning',
      'minor',
      'major',
      'ok',
      'warning',
    ])
  })
})

test('counting step by step equals looking at everything that arrived', () => {
  const value = fc.constantFrom(0, 1, 2, 3, null)
  const condition = fc.record({ limit: fc.constantFrom(0, 1, 2), repetition: fc.integer({ min: 0, max: 4 }) })
  fc.assert(
    fc.property(fc.array(value, { maxLength: 30 }), condition, (arrived, { limit, repetition }) => {
      const thresholds = levels({ major: [conditionWith({ value: limit, repetition })] })
      const given = arrived.map((one) => (one === null ? {} : { returnValue1: one }))
      const present = arrived.filter((one) => one !== null)
      const newest = present.slice(-Math.max(1, repetition))
      const holds = newest.length === Math.max(1, repetition) && newest.every((one) => one > limit)
      expect(statesOf(thresholds, given).at(-1) ?? 'ok').toBe(holds ? 'major' : 'ok')
    }),
    { numRuns: 2_000 },
  )
})

describe('an error code', () => {
  const code = (part: Partial<Condition> = {}) => conditionWith({ key: 'errorCode', ...part })
  const meaning = (errorCode: number, ...conditions: readonly Condition[]) => {
    const thresholds = levels({ major: conditions })
    return evaluate(thresholds, count(thresholds, [], { errorCode }, null), errorCode)
  }

  test.each<[why: string, conditions: readonly Condition[], one: Level | 'ok', five: Level | 'ok']>([
    ['no limit at all', [], 'warning', 'warning'],
    ['a limit on a value', [conditionWith()], 'warning', 'warning'],
    ['a predicted limit', [code({ value: 9, predicted: true })], 'warning', 'warning'],
    ['a limit on another code', [code({ operator: '=', value: 9 })], 'ok', 'warning'],
    ['a limit that 5 is below', [code({ operator: '>', value: 5 })], 'ok', 'warning'],
    ['a limit on any code', [code({ operator: '<>', value: 0 })], 'major', 'major'],
    ['a limit that counts to two', [code({ operator: '<>', value: 0, repetition: 2 })], 'ok', 'warning'],
    ['a limit that names 5', [code({ operator: '=', value: 5, repetition: 2 })], 'ok', 'ok'],
    ['a limit that leaves 5 out', [code({ operator: '<>', value: 5 })], 'major', 'ok'],
  ])('means, with %s,', (_, conditions, one, five) => {
    expect([meaning(1, ...conditions), meaning(5, ...conditions)]).toEqual([one, five])
    expect(evaluate(levels({ major: conditions }), [], 0)).toBe('ok')
  })

  test('of a silence counts where it breaches and clears nothing', () => {
    const thresholds = levels({
      major: [code({ operator: '=', value: 1 })],
      minor: [code({ operator: '<>', value: 0, repetition: 2 }), conditionWith()],
    })
    const failed = count(thresholds, [], { errorCode: 1, returnValue1: 300 }, null)
    const silent = countSilence(thresholds, failed)
    expect(silent.map(({ hits, held }) => [hits, held])).toEqual([
      [1, true],
      [2, true],
      [1, true],
    ])
    expect(countSilence(thresholds, [])).toEqual(count(thresholds, [], { errorCode: 5 }, null))
  })
})

describe('numbers that surely count nothing', () => {
  const spanOf = (...conditions: readonly Condition[]) => {
    const thresholds = levels({ major: conditions.slice(0, 1), warning: conditions.slice(1) })
    return uncountedSpan(thresholds, count(thresholds, [], {}, null), 'returnValue1', 0)
  }
  const all = { over: -Infinity, under: Infinity }
  const none = { over: Infinity, under: -Infinity }

  test('lie between the limits of their key', () => {
    expect(spanOf()).toEqual(all)
    expect(spanOf(conditionWith({ value: 7 }), conditionWith({ operator: '<', value: 3 }))).toEqual({
      over: 3,
      under: 7,
    })
    const tighter = [conditionWith({ operator: '>=', value: 6 }), conditionWith({ operator: '<=', value: 4 })]
    expect(spanOf(...tighter, conditionWith({ value: 7 }))).toEqual({ over: 4, under: 6 })
    expect(spanOf(...tighter.map((one) => ({ ...one, key: 'returnValue2' })))).toEqual(all)
  })

  test('are all where a number breaches nothing, and none where each might', () => {
    expect(spanOf(conditionWith({ predicted: true }), conditionWith({ value: 'on' }))).toEqual(all)
    for (const operator of ['=', '<>'] as const) expect(spanOf(conditionWith({ operator }))).toEqual(none)
  })

  test('are absent while anything of their key is counted', () => {
    const thresholds = levels({
      major: [conditionWith({ repetition: 2, recovery: { value: 5, repetition: 2 } })],
    })
    let counters: readonly Counter[] = []
    const spans = [0, 201, 201, 0, 0].map((returnValue1) => {
      counters = count(thresholds, counters, { returnValue1 }, null)
      return uncountedSpan(thresholds, counters, 'returnValue1', 0)
    })
    expect(spans).toEqual([{ ...all, under: 200 }, none, none, none, { ...all, under: 200 }])
  })

  test('count nothing, after any earlier values', () => {
    const limit = fc.constantFrom(0, 1, 2, 'on')
    const condition = fc.record({
      key: fc.constantFrom('returnValue1', 'returnValue2'),
      operator: fc.constantFrom(...NUMBER_OPERATORS, ...TEXT_OPERATORS),
      value: limit,
      repetition: fc.integer({ min: 0, max: 2 }),
      predicted: fc.constantFrom(false, false, false, true),
      recovery: fc.option(fc.record({ value: limit, repetition: fc.integer({ min: 0, max: 2 }) })),
    })
    const value = fc.constantFrom(-1, -0, 0, 0.5, 1, 1.5, 2, 3)
    const several = fc.array(condition, { maxLength: 2 })
    fc.assert(
      fc.property(several, several, fc.array(value, { maxLength: 5 }), value, (major, minor, past, next) => {
        const thresholds = levels({ major, minor })
        let counters = count(thresholds, [], {}, null)
        for (const returnValue1 of past) counters = count(thresholds, counters, { returnValue1 }, null)
        const { over, under } = uncountedSpan(thresholds, counters, 'returnValue1', 0)
        fc.pre(next > over && next < under)
        expect(count(thresholds, counters, { returnValue1: next }, null)).toBe(counters)
      }),
      { numRuns: 2_000 },
    )
  })
})

function levels(conditions: Partial<Record<Level, readonly Condition[]>>): Thresholds {
  return (['major', 'minor', 'warning'] as const).flatMap((level) => {
    const given = conditions[level]
    return given ? [{ level, mode: 'or' as const, conditions: given }] : []
  })
}

function numbers(...values: readonly number[]): readonly Record<string, Value>[] {
  return values.map((value) => ({ returnValue1: value }))
}

function statesOf(
  thresholds: Thresholds,
  arrived: readonly Readonly<Record<string, Value>>[],
): (Level | 'ok')[] {
  let counters: readonly Counter[] = []
  return arrived.map((values) => {
    counters = count(thresholds, counters, values, null)
    return evaluate(thresholds, counters, 0)
  })
}
