import type { JSX } from 'preact'
import { lazy } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import type { Alarm } from '../../actions/alarms.ts'
import { lastEventAt } from '../../api/events.ts'
import type { Item } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { Mark } from '../../kit/icons.tsx'
import { useQuery } from '../../kit/location.ts'
import { addStyles } from '../../kit/own-styles.ts'
import { dayText, durationText, now, timeText, timeZone } from '../../kit/time.tsx'
import { loadWords, t } from '../../language/t.ts'
import { applyTheme, showNight } from '../../shell/theme.ts'
import { words as dataWords } from '../data/words.ts'
import { words as dashboardWords } from '../dashboards/words.ts'
import { words as mapWords } from '../map/words.ts'
import { headline } from '../overview/sentence.ts'
import type { Trouble } from '../overview/sentence.ts'
import { TideChart } from '../overview/tide-chart.tsx'
import { useLate } from '../overview/use-late.ts'
import { useTrouble } from '../overview/use-trouble.ts'
import { words as scriptWords } from '../scripts/words.ts'
import { useContainers, worstContainers } from '../overview/worst-containers.ts'
import { loadAnew } from './anew.ts'
import { Footer } from './footer.tsx'
import { Budgets, Groups, LateJobs, ROWS_MAX, topGroups, WrongNow } from './parts.tsx'
import { isNight, turnOf } from './turns.ts'
import styles from './wall.css' with { type: 'text' }

addStyles(styles)

/** The headline warns when the service has sent nothing for longer. A stream of events has a comment at least every 15 seconds. */
const STALE_MS = 30_000

/** A screen for a wall: no controls, large, kept awake, dark at night. With `every` its parts take turns. */
export function Screen(): JSX.Element {
  const [every] = useQuery('every', '')
  const [dashboards] = useQuery('dashboards', '')
  const [begin] = useState(Date.now())
  const { alarms, trouble, count } = useTrouble()
  const containers = worstContainers(useContainers().data?.items ?? [], ROWS_MAX)
  const ofOverview = useParts({ alarms: alarms.data?.items, count }, containers)
  const ofDashboards = dashboardParts(dashboards)
  const parts = ofDashboards.length > 0 ? ofDashboards : ofOverview
  useEffect(keepAwake, [])
  useEffect(loadAnew, [])
  const night = isNight(now.value, timeZone.value)
  useEffect(() => {
    showNight(night)
    return applyTheme
  }, [night])
  const turn = turnOf({ every, count: parts.length, sinceMs: now.value - begin })
  const shown = turn ? parts[turn.at] : ofDashboards[0]
  return (
    <main class="wall" id="main">
      <header>
        <div>
          <p class="brand">
            <Mark />
            Tidemark
          </p>
          <Headline alarms={alarms} trouble={trouble} begin={begin} />
        </div>
        <div class="when">
          <p class="clock">{timeText(now.value)}</p>
          <p>{dayText(now.value)}</p>
        </div>
      </header>
      {shown ? (
        <section key={shown.name} class="part" aria-label={shown.title}>
          {shown.title !== '' && <h2>{shown.title}</h2>}
          {shown.content}
        </section>
      ) : (
        <div class="all">
          <Tide />
          <div class="grid">
            <WrongNow alarms={alarms.data?.items} count={count} />
            {parts.find(({ name }) => name === 'groups')?.content}
          </div>
        </div>
      )}
      <Footer containers={containers} turn={turn} count={parts.length} />
    </main>
  )
}

/** The sentence of the overview, or a warning that the content is old because no event arrives. */
function Headline({
  alarms,
  trouble,
  begin,
}: {
  readonly alarms: Pick<Resource<unknown>, 'failure'>
  readonly trouble: Trouble | undefined
  readonly begin: number
}): JSX.Element {
  const silentMs = now.value - (lastEventAt.value ?? begin)
  if (alarms.failure?.status === 401) return <h1>{t('wall.refused')}</h1>
  if (silentMs > STALE_MS) return <h1>{t('wall.stale', { duration: durationText(silentMs) })}</h1>
  return <h1>{trouble ? headline(trouble) : t('feedback.loading')}</h1>
}

type Part = { readonly name: string; readonly title: string; readonly content: JSX.Element }

/** The dashboards of the address, by their ids or URL names with commas between them, each a part. */
function dashboardParts(text: string): readonly Part[] {
  return text
    .split(',')
    .filter((id) => /^[\w-]{1,80}$/.test(id))
    .map((id) => ({ name: id, title: '', content: <WallBoard id={id} /> }))
}

/** Dashboards are loaded by walls that show some. */
const WallBoard = lazy(async () => {
  const [{ WallBoard: Loaded }] = await Promise.all([
    import('../dashboards/wall-boards.tsx'),
    ...[dashboardWords, dataWords, scriptWords, mapWords].map(loadWords),
  ])
  return Loaded
})

/** The parts that have content. */
function useParts(
  { alarms, count }: { readonly alarms: readonly Alarm[] | undefined; readonly count: number },
  containers: readonly Item<'/slcs'>[],
): readonly Part[] {
  const root = useGet(
    '/root/tree/{parentType}/{parentId}/tree',
    {
      path: { parentType: 'group', parentId: 1 },
      query: { depth: '2', types: 'group', fields: 'name,state,counts,children' },
    },
    ['state'],
  )
  const jobs = useLate(ROWS_MAX).data?.items ?? []
  const groups = topGroups(root.data)
  const wrong = (
    <>
      <Tide />
      <WrongNow alarms={alarms} count={count} />
    </>
  )
  return [
    { name: 'wrong', title: t('overview.wrongNow'), content: wrong, isEmpty: false },
    {
      name: 'groups',
      title: t('wall.groups'),
      content: <Groups groups={groups} />,
      isEmpty: groups.length === 0,
    },
    {
      name: 'budgets',
      title: t('overview.budgets'),
      content: <Budgets slcs={containers} />,
      isEmpty: containers.length === 0,
    },
    {
      name: 'late',
      title: t('overview.late'),
      content: <LateJobs jobs={jobs} />,
      isEmpty: jobs.length === 0,
    },
  ].filter(({ isEmpty }) => !isEmpty)
}

function Tide(): JSX.Element {
  return (
    <div class="card">
      <TideChart />
    </div>
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
