import { describe, expect, test } from 'bun:test'
import type { State } from '../../domain/state.ts'
import { SLO_OPERATIONS, sloStateOf } from './slo-state.ts'
import type { SloCounters, SloOperation } from './slo-state.ts'
import { STATES } from '../../domain/state.ts'

const NONE: SloCounters = {
  major: 0,
  minor: 0,
  warning: 0,
  minorMinor: 0,
  minorWarning: 0,
  warningWarning: 0,
}

function stateOf(
  operation: SloOperation,
  children: readonly State[],
  {
    counters = {},
    ignoreMaintenance = false,
  }: { counters?: Partial<SloCounters>; ignoreMaintenance?: boolean } = {},
): State {
  const tally = STATES.map((state) => children.filter((child) => child === state).length)
  return sloStateOf({ operation, counters: { ...NONE, ...counters }, ignoreMaintenance }, tally)
}

const BAD_FIRST = ['major', 'minor', 'warning', 'ok'] as const
type Plain = (typeof BAD_FIRST)[number]

/** Every choice of up to four children out of four states. */
const VECTORS = [1, 2, 3, 4].flatMap((length) => vectors(length))

function vectors(length: number): Plain[][] {
  if (length === 0) return [[]]
  return vectors(length - 1).flatMap((rest) => BAD_FIRST.map((state) => [...rest, state]))
}

describe('over every choice of up to four children', () => {
  test('and has the state of the worst child', () => {
    expect(VECTORS).toHaveLength(340)
    for (const children of VECTORS) {
      expect(stateOf('and', children)).toBe(BAD_FIRST.find((state) => children.includes(state)) ?? 'ok')
    }
  })

  test('or has the state of the best child', () => {
    for (const children of VECTORS) {
      expect(stateOf('or', children)).toBe(BAD_FIRST.findLast((state) => children.includes(state)) ?? 'ok')
    }
  })

  test('count with m of n has the state of the m-th best child', () => {
    for (const children of VECTORS) {
      for (let m = 1; m <= children.length; m++) {
        const enough = children.length - m + 1
        const counters = { major: enough, minorMinor: enough, warningWarning: enough }
        const best = children.toSorted((a, b) => BAD_FIRST.indexOf(b) - BAD_FIRST.indexOf(a))
        expect(stateOf('count', children, { counters })).toBe(best[m - 1] ?? 'ok')
      }
    }
  })

  test('degraded is and, with warning in place of major', () => {
    for (const children of VECTORS) {
      const all = stateOf('and', children)
      expect(stateOf('degraded', children)).toBe(all === 'major' ? 'warning' : all)
    }
  })

  test('xor is ok for exactly one child in ok, major for several, and else the best child', () => {
    for (const children of VECTORS) {
      const good = children.filter((state) => state === 'ok').length
      const some = good > 1 ? 'major' : 'ok'
      expect(stateOf('xor', children)).toBe(good > 0 ? some : stateOf('or', children))
    }
  })

  test('count without counters is always ok', () => {
    for (const children of VECTORS) expect(stateOf('count', children)).toBe('ok')
  })
})

describe('counters', () => {
  test.each([
    [['major', 'ok', 'ok', 'ok'], 'minor'],
    [['major', 'major', 'ok', 'ok'], 'major'],
    [['minor', 'minor', 'ok', 'ok'], 'ok'],
    [['ok', 'ok', 'ok', 'ok'], 'ok'],
  ] as const)('three of four servers: %j make %s', (children, state) => {
    expect(stateOf('count', [...children], { counters: { minor: 1, major: 2 } })).toBe(state)
  })

  test.each([
    ['major', ['major', 'minor', 'minor'], 'ok'],
    ['minor', ['major', 'major'], 'minor'],
    ['warning', ['major', 'major'], 'warning'],
    ['minorMinor', ['minor', 'major'], 'minor'],
    ['minorWarning', ['minor', 'major'], 'warning'],
    ['warningWarning', ['warning', 'minor'], 'warning'],
  ] as const)('%s at 2 with %j makes %s', (counter, children, state) => {
    expect(stateOf('count', [...children], { counters: { [counter]: 2 } })).toBe(state)
    expect(stateOf('count', [...children], { counters: { [counter]: 4 } })).toBe('ok')
  })
})

describe('children without a state that counts', () => {
  test('are ignored; without any other child the object is undefined', () => {
    for (const operation of SLO_OPERATIONS) {
      expect(stateOf(operation, [])).toBe('undefined')
      expect(stateOf(operation, ['undefined', 'no_data'])).toBe('undefined')
    }
    expect(stateOf('or', ['major', 'undefined', 'no_data'])).toBe('major')
  })
})

describe('maintenance of children', () => {
  test.each([
    [['maintenance_major', 'ok'], 'maintenance_major', 'major'],
    [['maintenance_major', 'minor'], 'minor', 'major'],
    [['maintenance_ok', 'ok'], 'ok', 'ok'],
    [['maintenance_ok', 'maintenance_ok'], 'maintenance_ok', 'ok'],
    [['maintenance_warning', 'maintenance_ok'], 'maintenance_warning', 'warning'],
  ] as const)(
    '%j: a plan never hides what is bad beside it: %s, and %s when it is ignored',
    (children, state, ignored) => {
      expect(stateOf('and', [...children])).toBe(state)
      expect(stateOf('and', [...children], { ignoreMaintenance: true })).toBe(ignored)
    },
  )
})
