import { liveStatus, pauseUpdates } from '../api/events.ts'
import { signOut } from '../api/session.ts'
import { background } from '../kit/background.ts'
import type { IconName } from '../kit/icons.tsx'
import { linkTo } from '../kit/location.ts'
import { t } from '../language/t.ts'
import { entriesOfUser } from './navigation.ts'
import type { Option } from './palette-search.ts'
import { changeTheme, shownTheme } from './theme.ts'

/** The pages that create an object, with the entry of the navigation that the user needs. */
const PAGES: readonly (readonly [key: string, entry: string, screen: string])[] = [
  ['newQuery', 'queries', 'queries/new'],
  ['importFile', 'data', 'data/new/import'],
  ['newForecast', 'forecasts', 'forecasts/new'],
]

/** The commands that every screen has. */
export function commandOptions(): readonly Option[] {
  const entries = new Set(entriesOfUser().map(({ name }) => name))
  const isPaused = liveStatus.value === 'paused'
  const isDark = shownTheme() === 'dark'
  const begin = PAGES.filter(([, entry]) => entries.has(entry)).map(([key, , screen]) => ({
    ...command(key, 'plus', t(`palette.${key}`)),
    act: linkTo(screen),
  }))
  return [
    ...begin,
    {
      ...command('pause', isPaused ? 'play' : 'pause', t(isPaused ? 'palette.resume' : 'palette.pause')),
      act: () => pauseUpdates(!isPaused),
    },
    {
      ...command('theme', 'sun', t(isDark ? 'shell.light' : 'shell.dark')),
      act: () => changeTheme(isDark ? 'light' : 'dark'),
    },
    { ...command('sign-out', 'right', t('shell.signOut')), act: () => background(signOut()) },
  ]
}

const command = (key: string, icon: IconName, text: string) => ({
  key: `command-${key}`,
  icon,
  text,
  note: '',
  object: null,
})
