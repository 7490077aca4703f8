import type { Level, State } from '../../ports/job-actors.ts'

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

/** The levels a threshold can name, worst first. */
export const LEVELS = ['major', 'minor', 'warning'] as const satisfies readonly Level[]
