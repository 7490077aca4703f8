import { STATES } from '../../domain/state.ts'
import type { Level, State } from '../../domain/state.ts'
import type { TimeFormat } from '../../lib/time.ts'

const MAINTENANCE = 'maintenance_'

/** States without information, which count less than `ok`: no data, or not monitored. */
export const SILENT: ReadonlySet<State> = new Set(['no_data', 'undefined'])

/** The state without maintenance. */
export function bareState(state: State): State {
  return isMaintained(state) ? (state.slice(MAINTENANCE.length) as State) : state
}

/** Whether a state is one of maintenance. */
export function isMaintained(state: State): boolean {
  return state.startsWith(MAINTENANCE)
}

/** The state under maintenance; `no_data` and `undefined` are unchanged. */
export function shownInMaintenance(state: State): State {
  return isMaintained(state) || SILENT.has(state) ? state : (`${MAINTENANCE}${state}` as State)
}

/** The levels of thresholds, worst first. */
export const LEVELS = ['major', 'minor', 'warning'] as const satisfies readonly Level[]

/** The worse of two states. */
export function worseOf<One extends State>(one: One, other: One): One {
  return STATES.indexOf(one) < STATES.indexOf(other) ? one : other
}

/** Whether a state is a level: bad, and not in maintenance. */
export function isLevel(state: State): state is Level {
  return (LEVELS as readonly State[]).includes(state)
}

/** The message of a state; for a silent job without one, since when it is silent. */
export function messageOf(
  { message, silentSinceAt }: { readonly message: string | null; readonly silentSinceAt: number | null },
  format: TimeFormat,
): string | null {
  return message ?? (silentSinceAt === null ? null : `no data since ${format(silentSinceAt)}`)
}
