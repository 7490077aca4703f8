import type { ComponentChildren, JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'

import { liveStatus, lastEventAt, pauseUpdates, waitingEvents } from '../api/events.ts'
import { useLatestAlarms } from '../actions/open-alarms.ts'
import { user } from '../api/session.ts'
import { IconButton, keysText } from '../kit/controls.tsx'
import { Icon, Mark } from '../kit/icons.tsx'
import { BASE, linkTo } from '../kit/location.ts'
import { durationText, now, timeText } from '../kit/time.tsx'
import { t } from '../language/t.ts'
import { Announcer } from './announcer.tsx'
import { entriesOfUser } from './navigation.ts'
import type { Entry } from './navigation.ts'
import { startKeys } from './keys.ts'
import { useOpening } from './opening.ts'
import { Palette, openPalette } from './palette.tsx'
import { SCREENS } from './routes.ts'
import { UserMenu } from './user-menu.tsx'

/** The frame of each screen: navigation, live mark, palette. */
export function Shell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { path, route } = useLocation()
  const main = useRef<HTMLElement>(null)
  const isOpening = useOpening(main, path)
  const current = entryAt(path)
  useEffect(() => startKeys(route), [])
  useEffect(() => {
    document.title = `${t(`nav.${current}`)} · Tidemark`
  }, [current])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t('shell.skip')}
      </a>
      <Navigation current={current} />
      <Topbar />
      <main class={isOpening ? 'main opening' : 'main'} id="main" tabIndex={-1} ref={main}>
        <Offline />
        {children}
      </main>
      <TabBar current={current} />
      <Palette />
      <Announcer />
    </div>
  )
}

/** The entry of the navigation to which a path belongs. */
function entryAt(path: string): string {
  const below = path.slice(BASE.length)
  const first = below.split('/')[0] ?? ''
  return SCREENS.find(({ paths }) => paths.some((one) => one.split('/')[1] === first))?.entry ?? 'overview'
}

/** The number of open alarms as the navigation shows it, with a plus when there are more; null for 0. */
function useAlarmCount(): string | null {
  const { data } = useLatestAlarms()
  const count = data?.items.filter((alarm) => alarm.suppressedBy === null).length ?? 0
  if (count === 0) return null
  return data?.nextCursor == null ? String(count) : `${count}+`
}

function Navigation({ current }: { readonly current: string }): JSX.Element {
  const open = useAlarmCount()
  const entries = entriesOfUser()
  const parts = (['watch', 'look', 'administer'] as const).map((part) => ({
    part,
    inside: entries.filter((entry) => entry.part === part),
  }))
  return (
    <nav class="nav" aria-label={t('shell.navigation')}>
      <a class="brand" href={BASE}>
        <Mark />
        <span>Tidemark</span>
      </a>
      <button type="button" class="jump" title={t('shell.jump')} onClick={openPalette}>
        <Icon name="search" />
        <span>{t('shell.jump')}</span>
        <kbd class="end">{keysText('Ctrl K')}</kbd>
      </button>
      {parts.map(
        ({ part, inside }) =>
          inside.length > 0 && [
            part !== 'watch' && <h2 key={part}>{t(`nav.part.${part}`)}</h2>,
            ...inside.map((entry) => (
              <NavigationItem key={entry.name} entry={entry} current={current} open={open} />
            )),
          ],
      )}
      <footer>
        <Live />
        <UserMenu />
      </footer>
    </nav>
  )
}

type ItemProps = { readonly entry: Entry; readonly current: string; readonly open: string | null }

function NavigationItem({ entry, current, open }: ItemProps): JSX.Element {
  const text = t(`nav.${entry.name}`)
  return (
    <a
      class="item"
      href={linkTo(entry.screen)}
      title={text}
      {...(entry.name === current ? { 'aria-current': 'page' as const } : {})}
    >
      <Icon name={entry.icon} />
      <span>{text}</span>
      {entry.name === 'alarms' && open !== null && (
        <span class="n count">
          {open}
          <span class="vh">{t('nav.openAlarms')}</span>
        </span>
      )}
    </a>
  )
}

function Topbar(): JSX.Element {
  return (
    <header class="topbar">
      <a class="brand" href={BASE}>
        <Mark />
        Tidemark
      </a>
      <Live />
      <span class="end" />
      <IconButton icon="search" label={t('shell.jump')} onClick={openPalette} />
      <UserMenu />
    </header>
  )
}

/** The entries in the bar of narrow windows. */
const TABS: ReadonlySet<string> = new Set(['overview', 'alarms', 'objects', 'dashboards'])

function TabBar({ current }: { readonly current: string }): JSX.Element {
  const open = useAlarmCount()
  const entries = entriesOfUser().filter(({ name }) => TABS.has(name))
  return (
    <nav class="tabbar" aria-label={t('shell.navigationNarrow')}>
      {entries.map((entry) => (
        <a
          key={entry.name}
          href={linkTo(entry.screen)}
          {...(entry.name === current ? { 'aria-current': 'page' as const } : {})}
        >
          <Icon name={entry.icon} />
          {t(`nav.short.${entry.name}`)}
          {entry.name === 'alarms' && open !== null && <span class="count">{open}</span>}
        </a>
      ))}
      <button type="button" onClick={openPalette}>
        <Icon name="more" />
        {t('nav.short.more')}
      </button>
    </nav>
  )
}

/** Whether events arrive. A click pauses painting or continues. */
function Live(): JSX.Element {
  const status = liveStatus.value
  const at = lastEventAt.value
  const age = at === null ? '' : t('shell.lastEvent', { duration: durationText(now.value - at) })
  return (
    <button
      type="button"
      class="live"
      data-live={status}
      title={age}
      aria-pressed={status === 'paused'}
      onClick={() => pauseUpdates(status !== 'paused')}
    >
      <i class="dot" aria-hidden="true" />
      <span class="txt">
        {t(`live.${status}`)}
        {status === 'paused' && waitingEvents.value > 0 && ` (${waitingEvents.value})`}
        {at !== null && <span class="faint"> {timeText(now.value, true)}</span>}
      </span>
    </button>
  )
}

/** The banner while the service cannot be reached: everything shown stays, with its age. */
function Offline(): JSX.Element | null {
  if (liveStatus.value !== 'offline' || user.value === null) return null
  const at = lastEventAt.value
  return (
    <p class="offline" role="status">
      <Icon name="info" />
      {at === null ? t('shell.offline') : t('shell.offlineSince', { time: timeText(at, true) })}
    </p>
  )
}
