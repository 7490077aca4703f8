import type { Level, State } from '../../domain/state.ts'
import type { Tally } from './propagation.ts'
import { LEVELS, STATES } from './state.ts'

export const SLO_OPERATIONS = ['and', 'or', 'count', 'xor', 'degraded'] as const
export type SloOperation = (typeof SLO_OPERATIONS)[number]

/** How many children at least must be as bad as the first word says for the result that the last one says: `minorWarning`
 * children that are minor or worse make the whole warning; `minor` that are major make it minor. 0 leaves it to the
 * operation. */
export type SloCounters = {
  readonly major: number
  readonly minor: number
  readonly warning: number
  readonly minorMinor: number
  readonly minorWarning: number
  readonly warningWarning: number
}

/** What decides the state of a service level object. */
export type SloRules = {
  readonly operation: SloOperation
  readonly counters: SloCounters
  /** True takes the maintenance of children for nothing. */
  readonly ignoreMaintenance: boolean
}

/** Counted children by how bad they are. */
type Badness = Readonly<Record<Level | 'ok', number>>

const COUNTERS = [
  ['major', 'major', 'major'],
  ['minor', 'major', 'minor'],
  ['warning', 'major', 'warning'],
  ['minorMinor', 'minor', 'minor'],
  ['minorWarning', 'minor', 'warning'],
  ['warningWarning', 'warning', 'warning'],
] as const satisfies readonly (readonly [keyof SloCounters, Level, Level])[]

/** The state of a service level object whose children are tallied so; `undefined` when none counts. Children that are
 * `undefined` or have `no_data` never count. */
export function sloStateOf(rules: SloRules, tally: Tally): State {
  const count = (state: State) => tally[STATES.indexOf(state)] ?? 0
  const raw = badnessOf((level) => count(level) + count(`maintenance_${level}`))
  if (sizeOf(raw) === 0) return 'undefined'
  const whole = resultOf(rules, raw)
  if (rules.ignoreMaintenance) return whole
  const maintained =
    count('maintenance_ok') + LEVELS.reduce((sum, level) => sum + count(`maintenance_${level}`), 0)
  // Those in maintenance as if they were well: what is bad even so is nobody's plan.
  const unplanned = badnessOf((level) => (level === 'ok' ? count('ok') + maintained : count(level)))
  const apart = resultOf(rules, unplanned)
  if (apart !== 'ok') return apart
  if (whole !== 'ok') return `maintenance_${whole}`
  return maintained === sizeOf(raw) ? 'maintenance_ok' : 'ok'
}

function badnessOf(count: (level: Level | 'ok') => number): Badness {
  return { major: count('major'), minor: count('minor'), warning: count('warning'), ok: count('ok') }
}

function sizeOf({ major, minor, warning, ok }: Badness): number {
  return major + minor + warning + ok
}

function resultOf({ operation, counters }: SloRules, children: Badness): Level | 'ok' {
  switch (operation) {
    case 'xor':
      return xorOf(children)
    case 'degraded': {
      const result = countedOf(counters, children, 1)
      return result === 'major' ? 'warning' : result
    }
    case 'and':
      return countedOf(counters, children, 1)
    case 'or':
      return countedOf(counters, children, sizeOf(children))
    case 'count':
      return countedOf(counters, children, Number.POSITIVE_INFINITY)
  }
}

/** The worst result of which enough children say so. */
function countedOf(counters: SloCounters, children: Badness, otherwise: number): Level | 'ok' {
  const atLeast = {
    major: children.major,
    minor: children.major + children.minor,
    warning: children.major + children.minor + children.warning,
  }
  const results = COUNTERS.flatMap(([name, badness, result]) => {
    const wanted = counters[name] > 0 ? counters[name] : otherwise
    return atLeast[badness] >= wanted ? [result] : []
  })
  return LEVELS.find((level) => results.includes(level)) ?? 'ok'
}

/** Well when exactly one child is; as its best child when none is, and major when several are: two answer for one. */
function xorOf(children: Badness): Level | 'ok' {
  if (children.ok > 1) return 'major'
  if (children.ok === 1) return 'ok'
  return LEVELS.findLast((level) => children[level] > 0) ?? 'ok'
}
