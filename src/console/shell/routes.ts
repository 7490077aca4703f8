import { lazy } from 'preact-iso'
import type { ComponentType } from 'preact'

import { loadWords } from '../language/t.ts'
import type { Words } from '../language/t.ts'
import { words as accountWords } from '../screens/account/words.ts'
import { words as alarmWords } from '../screens/alarms/words.ts'
import { words as auditWords } from '../screens/audit/words.ts'
import { words as contentWords } from '../screens/content/words.ts'
import { words as dashboardWords } from '../screens/dashboards/words.ts'
import { words as dataWords } from '../screens/data/words.ts'
import { words as firstValueWords } from '../screens/first-value/words.ts'
import { words as forecastWords } from '../screens/forecasts/words.ts'
import { words as keysWords } from '../screens/keys/words.ts'
import { words as levelWords } from '../screens/levels/words.ts'
import { words as maintenanceWords } from '../screens/maintenance/words.ts'
import { words as mapWords } from '../screens/map/words.ts'
import { words as notificationWords } from '../screens/notifications/words.ts'
import { words as objectWords } from '../screens/objects/words.ts'
import { words as overviewWords } from '../screens/overview/words.ts'
import { words as queryWords } from '../screens/queries/words.ts'
import { words as scriptWords } from '../screens/scripts/words.ts'
import { words as settingsWords } from '../screens/settings/words.ts'
import { words as statusPageWords } from '../screens/status-pages/words.ts'
import { words as userWords } from '../screens/users/words.ts'
import { words as wallWords } from '../screens/wall/words.ts'

/** A screen and the entry of the navigation that it belongs to. */
export type ScreenRoute = {
  readonly paths: readonly string[]
  readonly entry: string
  readonly screen: ComponentType
}

/** The screens of a signed-in user; each is a chunk of its own that is loaded when it is opened first. */
export const SCREENS: readonly ScreenRoute[] = [
  screen(['/'], 'overview', overviewWords, () => import('../screens/overview/screen.tsx')),
  screen(['/alarms', '/alarms/:id'], 'alarms', alarmWords, () => import('../screens/alarms/screen.tsx')),
  screen(
    ['/objects', '/group/:id', '/device/:id', '/job/:id'],
    'objects',
    objectWords,
    () => import('../screens/objects/screen.tsx'),
  ),
  // A service and a container have their status page in a tab.
  screen(
    ['/slos', '/slo/:id', '/slc/:id'],
    'slos',
    [levelWords, statusPageWords],
    () => import('../screens/levels/screen.tsx'),
  ),
  screen(
    ['/status-pages', '/status-pages/:type/:id'],
    'status-pages',
    statusPageWords,
    () => import('../screens/status-pages/screen.tsx'),
  ),
  screen(
    ['/maintenance'],
    'maintenance',
    maintenanceWords,
    () => import('../screens/maintenance/screen.tsx'),
  ),
  screen(
    ['/scripts', '/scripts/:script', '/scripts/:script/jobs/:jobId'],
    'scripts',
    scriptWords,
    () => import('../screens/scripts/screen.tsx'),
  ),
  screen(
    ['/data', '/data/:id', '/data/:id/import', '/data/:id/tables/:table'],
    'data',
    dataWords,
    () => import('../screens/data/screen.tsx'),
  ),
  // Charts and tables of rows use words of data, the state of a run words of scripts, a map words of maps.
  screen(
    ['/dashboards', '/dashboards/:id'],
    'dashboards',
    [dashboardWords, dataWords, scriptWords, mapWords],
    () => import('../screens/dashboards/screen.tsx'),
  ),
  // The columns of data queries use words of data.
  screen(['/map'], 'map', [mapWords, dataWords], () => import('../screens/map/screen.tsx')),
  // The state of a run uses words of scripts, columns words of data.
  screen(
    ['/forecasts', '/forecasts/:id'],
    'forecasts',
    [forecastWords, scriptWords, dataWords],
    () => import('../screens/forecasts/screen.tsx'),
  ),
  // Results are drawn by the grid of tables.
  screen(
    ['/queries', '/queries/:id'],
    'queries',
    [queryWords, dataWords],
    () => import('../screens/queries/screen.tsx'),
  ),
  screen(
    ['/notifications', '/notifications/:section'],
    'notifications',
    notificationWords,
    () => import('../screens/notifications/screen.tsx'),
  ),
  screen(
    ['/content', '/content/:section'],
    'content',
    contentWords,
    () => import('../screens/content/screen.tsx'),
  ),
  screen(
    ['/users', '/users/:section', '/users/:section/:id'],
    'users',
    userWords,
    () => import('../screens/users/screen.tsx'),
  ),
  screen(
    ['/settings', '/settings/:section'],
    'settings',
    settingsWords,
    () => import('../screens/settings/screen.tsx'),
  ),
  screen(['/audit'], 'audit', auditWords, () => import('../screens/audit/screen.tsx')),
  screen(['/account'], 'account', accountWords, () => import('../screens/account/screen.tsx')),
  screen(['/keys'], 'keys', keysWords, () => import('../screens/keys/screen.tsx')),
  screen(['/first-value'], 'first-value', firstValueWords, () => import('../screens/first-value/screen.tsx')),
  // The wall shows parts of the overview, and the maintenance that runs.
  screen(
    ['/wall'],
    'wall',
    [wallWords, overviewWords, maintenanceWords],
    () => import('../screens/wall/screen.tsx'),
  ),
]

/** The page of dashboards under a secret link, which is not a screen of a signed-in user. */
export async function loadPublic(): Promise<ComponentType> {
  const words = [dashboardWords, dataWords, mapWords].map(loadWords)
  return (await Promise.all([import('../screens/dashboards/public-page.tsx'), ...words]))[0].PublicPage
}

function screen(
  paths: readonly string[],
  entry: string,
  words: Words | readonly Words[],
  load: () => Promise<{ readonly Screen: ComponentType }>,
): ScreenRoute {
  const loadAll = async (): Promise<ComponentType> =>
    (await Promise.all([load(), ...[words].flat().map(loadWords)]))[0].Screen
  return { paths, entry, screen: lazy(loadAll) }
}
