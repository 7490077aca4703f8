import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import type { Resource } from '../../api/resource.ts'
import { readUser, user } from '../../api/session.ts'
import { Card } from '../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import type { MenuItem } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { Dashboard } from './dashboard.ts'

const ROUTE = '/dashboards/start'

/** Leads to the dashboard that the user sees first. */
export function StartPage(): JSX.Element {
  const { route } = useLocation()
  const start = useGet(ROUTE, {})
  const urlName = start.data?.urlName
  useEffect(() => {
    if (urlName !== undefined) route(linkTo(`dashboards/${urlName}`), true)
  }, [urlName])
  return (
    <div class="body">
      {start.failure?.status === 404 ? (
        <Card>
          <Empty
            title={t('boards.none')}
            text={t('boards.noneText')}
            action={
              <a class="btn" href={linkTo('dashboards')}>
                {t('boards.title')}
              </a>
            }
          />
        </Card>
      ) : (
        <Show resource={start} what={t('boards.failedOne')} isPage skeleton={<Skeleton lines={12} />}>
          {() => null}
        </Show>
      )}
    </div>
  )
}

/** The dashboard that the user sees first.
 * @param hasAny whether the user may read a dashboard */
export function useStart(hasAny: boolean): Resource<Answer<typeof ROUTE>> {
  return useGet(ROUTE, hasAny ? {} : null)
}

/** Makes a dashboard the first one of the user, or no longer. */
export function startItem({ id, name }: Dashboard): MenuItem {
  const me = user.value
  const isStart = me?.startDashboardId === id
  const change = async (): Promise<void> => {
    if (me === null) return
    const body = { startDashboardId: isStart ? null : id }
    await call('patch', '/users/{id}', { path: { id: me.id }, body })
    await readUser()
    invalidate(ROUTE)
    toast({ text: t(isStart ? 'boards.startEnded' : 'boards.startMade', { name }) })
  }
  return {
    text: t(isStart ? 'boards.endStart' : 'boards.makeStart'),
    icon: 'dashboards',
    refused: me?.type === 'shared' ? t('boards.startOfShared') : undefined,
    action: change,
  }
}
