import type { JSX } from 'preact'

import { isUnread, useGet } from '../../../api/resource.ts'
import { PageHead, Tabs } from '../../../kit/data.tsx'
import { Show, Skeleton } from '../../../kit/feedback.tsx'
import { objectLink, useQuery } from '../../../kit/location.ts'
import { State } from '../../../kit/state.tsx'
import { now } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { Actions } from './actions.tsx'
import { ConfigTab } from './config-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { useLiveSamples } from './history.ts'
import type { Job } from './job.ts'
import { OutagesTab } from './outages-tab.tsx'
import { SendTab } from './send-tab.tsx'
import { jobSentence } from './sentence.ts'
import { latest } from './tiles.tsx'
import { ValuesTab } from './values-tab.tsx'
import { valuesOf } from './job.ts'

const TABS = ['values', 'deliveries', 'send', 'configuration', 'outages'] as const
type Tab = (typeof TABS)[number]

/** The page of a job in the right pane of the objects. */
export function JobView({ id }: { readonly id: number }): JSX.Element {
  const resource = useGet('/jobs/{id}', { path: { id }, query: { thresholds: true, values: true } }, [
    'state',
  ])
  const live = useLiveSamples(id)
  const [tab, setTab] = useQuery<Tab>('tab', 'values')
  return (
    <Show isPage resource={resource} what={t('job.failed')} skeleton={<Skeleton lines={8} height="30rem" />}>
      {(job) => (
        <>
          <Head job={withLive(job, live)} etag={resource.etag} />
          <div class="body job">
            <Tabs
              label={t('job.tabs')}
              value={TABS.includes(tab) ? tab : 'values'}
              onChange={(to) => setTab(to, true)}
              tabs={TABS.map((value) => ({ value, text: t(`job.tab.${value}`) }))}
            >
              {panelOf(tab, { job, live, etag: resource.etag })}
            </Tabs>
          </div>
        </>
      )}
    </Show>
  )
}

type Shown = {
  readonly job: Job
  readonly live: ReturnType<typeof useLiveSamples>
  readonly etag: string | undefined
}

function panelOf(tab: Tab, { job, live, etag }: Shown): JSX.Element {
  switch (tab) {
    case 'deliveries':
      return <DeliveriesTab job={job} live={live} />
    case 'send':
      return <SendTab job={job} />
    case 'configuration':
      return <ConfigTab job={job} etag={etag} live={live} />
    case 'outages':
      return <OutagesTab job={job} />
    default:
      return <ValuesTab job={job} live={live} />
  }
}

/** A job with the values that arrived while the page shows it, for its sentence. */
function withLive(job: Job, live: ReturnType<typeof useLiveSamples>): Job {
  const last = live.at(-1)
  if (last === undefined) return job
  const values = { ...job.values }
  for (const value of valuesOf(job)) {
    const { value: number, timestamp } = latest(value, live)
    if (number !== undefined && timestamp !== undefined)
      values[value.key] = { value: number, rawValue: number, timestamp }
  }
  const received = new Date(last.arrivedAt).toISOString()
  const isNewer = job.lastReceivedAt === null || received > job.lastReceivedAt
  return { ...job, values, lastReceivedAt: isNewer ? received : job.lastReceivedAt }
}

function Head({ job, etag }: { readonly job: Job; readonly etag: string | undefined }): JSX.Element {
  const device = useGet('/devices/{id}', { path: { id: job.deviceId } })
  const groupId = device.data?.parentId ?? null
  const group = useGet('/groups/{id}', groupId === null ? null : { path: { id: groupId } })
  const { fact, since } = jobSentence(job, now.value)
  const isReading = [device, group].some(isUnread)
  return (
    <PageHead
      crumbs={
        isReading
          ? null
          : [
              ...(group.data ? [{ text: group.data.name, href: objectLink('group', group.data.id) }] : []),
              { text: job.deviceName, href: objectLink('device', job.deviceId) },
            ]
      }
      title={job.name}
      badge={
        <>
          <State state={job.currentState} stopped={job.stopped} />
          {job.stateForced && <span class="label">{t('job.isForced')}</span>}
          <code class="faint">#{job.id}</code>
        </>
      }
      sentence={
        <>
          <b>{fact}</b> {since}
        </>
      }
      actions={<Actions job={job} etag={etag} />}
    />
  )
}
