import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'

import { lastEventAt, liveStatus } from '../../api/events.ts'
import { useGet } from '../../api/resource.ts'
import { Mark } from '../../kit/icons.tsx'
import { rankOf, State } from '../../kit/state.tsx'
import { durationText, now, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

const SHOWN_MAX = 8
/** Older news than this are said to be old. */
const STALE_MS = 30_000

/** A screen for a wall: no controls, large, kept awake. */
export function Screen(): JSX.Element {
  const alarms = useGet('/alarms', { query: { limit: 100 } }, ['alarm'])
  const root = useGet(
    '/root/tree/{parentType}/{parentId}/tree',
    {
      path: { parentType: 'group', parentId: 1 },
      query: { depth: '1', types: 'group', fields: 'counts,name,state,children' },
    },
    ['state'],
  )
  useEffect(keepAwake, [])
  const open = (alarms.data?.items ?? [])
    .filter(({ suppressedBy }) => suppressedBy === null)
    .toSorted((a, b) => rankOf(b.state) - rankOf(a.state) || a.begin.localeCompare(b.begin))
  const age = now.value - (lastEventAt.value ?? now.value)
  const isStale = liveStatus.value === 'offline' || age > STALE_MS
  return (
    <main class="wall" id="main">
      <header>
        <h1>
          {isStale
            ? t('wall.stale', { duration: durationText(age) })
            : t('wall.headline', { count: open.length })}
        </h1>
        <span class="clock">{timeText(now.value)}</span>
      </header>
      <div class="grid">
        <ul class="card big">
          {open.slice(0, SHOWN_MAX).map(({ id, state, object, begin, assignee }) => (
            <li key={id}>
              <State state={state} look="plain" />
              <span class="cut">
                <b>{object.name}</b> <span class="faint">{assignee?.name}</span>
              </span>
              <span>{durationText(now.value - Date.parse(begin))}</span>
            </li>
          ))}
          {alarms.data && open.length === 0 && <li class="quiet">{t('wall.calm')}</li>}
        </ul>
        <ul class="plates">
          {(root.data?.children ?? []).map(({ id, name, state }) => (
            <li key={id} class="card">
              <b class="cut">{name}</b>
              <State state={state} look="plain" />
            </li>
          ))}
        </ul>
      </div>
      <footer class="brand">
        <Mark />
        Tidemark
      </footer>
    </main>
  )
}

/** Asks the browser not to dim the screen while the page is shown; a browser may refuse. */
function keepAwake(): () => void {
  let lock: WakeLockSentinel | null = null
  const ask = (): void => {
    if (document.hidden || !('wakeLock' in navigator)) return
    navigator.wakeLock.request('screen').then(
      (granted) => {
        lock = granted
      },
      () => undefined,
    )
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}
