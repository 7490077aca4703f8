/** All states, worst first: the order of display. */
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
] as const

export type State = (typeof STATES)[number]

export type Level = 'major' | 'minor' | 'warning'

export type Reason =
  | 'delivery'
  | 'threshold'
  | 'timeout'
  | 'forced'
  | 'stopped'
  | 'platform'
  | 'child'
  | 'maintenance'
  | 'period'
  | 'flapping'
  | 'message'
