import type { JSX } from 'preact'

import { acknowledge, refusedBy } from '../actions/alarms.ts'
import { maintainNow } from '../actions/maintain.ts'
import { useOpenAlarmOf } from '../actions/open-alarms.ts'
import { setStopped } from '../actions/stop.ts'
import { API_BASE } from '../api/client.ts'
import type { Answer } from '../api/client.ts'
import { useUrl } from '../api/resource.ts'
import { Button } from '../kit/controls.tsx'
import { copyText } from '../kit/data.tsx'
import { t } from '../language/t.ts'
import type { Found } from './palette-search.ts'

const MAINTAIN_MIN = 20
type Job = Answer<'/jobs/{id}'>
type Props = { readonly object: Found; readonly onDone: () => void }

/** The actions on the chosen object without opening it. */
export function ObjectActions({ object, onDone }: Props): JSX.Element {
  const { type, id, name } = object
  const alarm = useOpenAlarmOf(id)
  const { data } = useUrl<Pick<Job, 'permissions'> & Partial<Job>>(`/${type}s/${id}`)
  const run = (action: () => Promise<unknown>) => (): Promise<unknown> => {
    onDone()
    return action()
  }
  return (
    <span class="row wrap">
      <Button
        small
        icon="maintenance"
        refused={data?.permissions.maintain === false ? t('alarm.needsMaintain', { name }) : undefined}
        action={run(() => maintainNow({ type, id, name }, MAINTAIN_MIN))}
      >
        {t('maintain.button', { minutes: MAINTAIN_MIN })}
      </Button>
      {alarm && (
        <Button small icon="check" refused={refusedBy(alarm)} action={run(() => acknowledge([alarm]))}>
          {t('alarm.acknowledge')}
        </Button>
      )}
      {type === 'job' && data && <JobActions job={data as Job} run={run} />}
    </span>
  )
}

type JobProps = {
  readonly job: Job
  readonly run: (action: () => Promise<unknown>) => () => Promise<unknown>
}

function JobActions({ job, run }: JobProps): JSX.Element {
  const { stopped, name, permissions } = job
  const copy = async (): Promise<void> => {
    const { snippetOf } = await import('../screens/objects/job/snippets.ts')
    await copyText(snippetOf('curl', job, API_BASE))
  }
  return (
    <>
      <Button
        small
        icon={stopped ? 'play' : 'pause'}
        refused={permissions.write ? undefined : t('stop.needsWrite', { name })}
        action={run(() => setStopped([job], !stopped))}
      >
        {t(stopped ? 'stop.start' : 'stop.stop')}
      </Button>
      <Button small icon="copy" action={run(copy)}>
        {t('palette.copyCurl')}
      </Button>
    </>
  )
}
