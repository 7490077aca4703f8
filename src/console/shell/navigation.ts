import { user } from '../api/session.ts'
import type { IconName } from '../kit/icons.tsx'

export type Entry = {
  readonly name: string
  readonly icon: IconName
  /** The screen's address below the console's folder. */
  readonly screen: string
  readonly part: 'watch' | 'look' | 'administer'
  readonly roles?: readonly string[]
}

const EDITORS = ['administrator', 'editor']
const DATA_EDITORS = [...EDITORS, 'Data_Editor']
const DATA_READERS = ['administrator', 'Data_Editor']

const ENTRIES: readonly Entry[] = [
  { name: 'overview', icon: 'overview', screen: '', part: 'watch' },
  { name: 'alarms', icon: 'alarms', screen: 'alarms', part: 'watch' },
  { name: 'objects', icon: 'objects', screen: 'objects', part: 'watch' },
  { name: 'slos', icon: 'slo', screen: 'slos', part: 'watch' },
  { name: 'maintenance', icon: 'maintenance', screen: 'maintenance', part: 'watch' },
  { name: 'dashboards', icon: 'dashboards', screen: 'dashboards', part: 'look' },
  { name: 'map', icon: 'map', screen: 'map', part: 'look', roles: DATA_READERS },
  { name: 'data', icon: 'data', screen: 'data', part: 'look', roles: DATA_READERS },
  { name: 'queries', icon: 'table', screen: 'queries', part: 'look', roles: DATA_READERS },
  { name: 'forecasts', icon: 'chart', screen: 'forecasts', part: 'look', roles: DATA_EDITORS },
  { name: 'scripts', icon: 'scripts', screen: 'scripts', part: 'look', roles: DATA_EDITORS },
  { name: 'content', icon: 'file', screen: 'content', part: 'look', roles: EDITORS },
  { name: 'notifications', icon: 'mail', screen: 'notifications', part: 'administer', roles: EDITORS },
  { name: 'status-pages', icon: 'screen', screen: 'status-pages', part: 'administer', roles: EDITORS },
  { name: 'users', icon: 'users', screen: 'users', part: 'administer', roles: ['administrator'] },
  { name: 'settings', icon: 'settings', screen: 'settings', part: 'administer', roles: ['administrator'] },
  { name: 'audit', icon: 'audit', screen: 'audit', part: 'administer', roles: ['administrator'] },
]

/** The entries of the navigation that the user's role can use. */
export function entriesOfUser(): readonly Entry[] {
  const role = user.value?.role
  return ENTRIES.filter(({ roles }) => roles === undefined || (role !== undefined && roles.includes(role)))
}
