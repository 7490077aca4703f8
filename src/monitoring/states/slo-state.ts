import type { Level, State } from '../../domain/state.ts'
import type { Tally } from './tally.ts'
import { STATES } from '../../domain/state.ts'
import { LEVELS } from './state.ts'

export const SLO_OPERATIONS = ['and', 'or', 'count', 'xor', 'degraded'] as const
export type SloOperation = (typeof SLO_OPERATIONS)[number]

/** How many children must be at least as bad as the first word for the result of the last word: `minorWarning` children
 * in `minor` or worse make the object `warning`; `minor` children in `major` make it `minor`. 0 leaves it to the
 * operation. */
export type SloCounters = {
  readonly major: number
  readonly minor: number
  readonly warning: number
  readonly minorMinor: number
  readonly minorWarning: number
  readonly warningWarning: number
}

/** The rules of a service level object's state. */
export type SloRules = {
  readonly operation: SloOperation
  readonly counters: SloCounters
  /** True ignores the maintenance of children. */
  readonly ignoreMaintenance: boolean
}

/** The number of counted children by severity. */
type Badness = Readonly<Record<Level | 'ok', number>>

const COUNTERS = [
  ['major', 'major', 'major'],
  ['minor', 'major', 'minor'],
  ['warning', 'major', 'warning'],
  ['minorMinor', 'minor', 'minor'],
  ['minorWarning', 'minor', 'warning'],
  ['warningWarning', 'warning', 'warning'],
] as const satisfies readonly (readonly [keyof SloCounters, Level, Level])[]

/** The state of a service level object from the tally of its children; `undefined` if none counts. Children that are
 * `undefined` or have `no_data` never count. */
export function sloStateOf(rules: SloRules, tally: Tally): State {
  const count = (state: State) => tally[STATES.indexOf(state)] ?? 0
  const raw = badnessOf((level) => count(level) + count(`maintenance_${level}`))
  if (sizeOf(raw) === 0) return 'undefined'
  const whole = resultOf(rules, raw)
  if (rules.ignoreMaintenance) return whole
  const maintained =
    count('maintenance_ok') + LEVELS.reduce((sum, level) => sum + count(`maintenance_${level}`), 0)
  // Children in maintenance count as well: a state that is bad even so is not planned.
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

/** The worst result that enough children support. */
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

/** `ok` if exactly one child is well; the state of the best child if none is; `major` if several are, because only one
 * should be active. */
function xorOf(children: Badness): Level | 'ok' {
  if (children.ok > 1) return 'major'
  if (children.ok === 1) return 'ok'
  return LEVELS.findLast((level) => children[level] > 0) ?? 'ok'
}
