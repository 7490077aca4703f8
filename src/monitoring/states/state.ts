import type { Level, State } from '../../domain/state.ts'

/** Every state an object can be in, worst first: the order in which states are shown. */
export const STATES = [
  'major',
  'minor',
  'warning',
  'maintenance_major',
  'maintenance_minor',
  'maintenance_warning',
  'maintenance_ok',
  'ok',
  'no_data',
  'undefined',
] as const satisfies readonly State[]

const MAINTENANCE = 'maintenance_'

/** States that count less than being well: nothing is known, or nothing is meant to be. */
export const SILENT: ReadonlySet<State> = new Set(['no_data', 'undefined'])

/** A state as it is without maintenance. */
export function bareState(state: State): State {
  return isMaintained(state) ? (state.slice(MAINTENANCE.length) as State) : state
}

/** Whether a state is one of maintenance. */
export function isMaintained(state: State): boolean {
  return state.startsWith(MAINTENANCE)
}

/** A state as it is shown where there is maintenance: of what is silent nothing is known then, either. */
export function shownInMaintenance(state: State): State {
  return isMaintained(state) || SILENT.has(state) ? state : (`${MAINTENANCE}${state}` as State)
}

/** The levels a threshold can name, worst first. */
export const LEVELS = ['major', 'minor', 'warning'] as const satisfies readonly Level[]

/** The one of two states that is worse. */
export function worseOf<One extends State>(one: One, other: One): One {
  return STATES.indexOf(one) < STATES.indexOf(other) ? one : other
}

/** Whether a state is one of the levels: down, and not by anybody's plan. */
export function isLevel(state: State): state is Level {
  return (LEVELS as readonly State[]).includes(state)
}
