import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call, API_BASE } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { onEvents, watchJobs } from '../../api/events.ts'
import { useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, Code, PageHead } from '../../kit/data.tsx'
import { Empty, Note, Show } from '../../kit/feedback.tsx'
import { linkTo, objectLink } from '../../kit/location.ts'
import { timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

type Ping = Answer<'/jobs/{id}/pings', 'post'>
const EXAMPLE = 21.5

/** The way to the first value: a job, a command to copy, and the value as it arrives. */
export function Screen(): JSX.Element {
  const jobs = useGet('/jobs', { query: { limit: 1 } }, ['state'])
  return (
    <>
      <PageHead title={t('first-value.title')} sentence={t('first-value.sentence')} />
      <div class="body">
        <Show resource={jobs}>
          {({ items: [job] }) =>
            job === undefined ? (
              <Card>
                <Empty
                  title={t('first-value.noJob')}
                  action={
                    <a class="btn primary" href={linkTo('objects')}>
                      {t('first-value.toObjects')}
                    </a>
                  }
                />
              </Card>
            ) : (
              <Steps id={job.id} name={job.name} />
            )
          }
        </Show>
      </div>
    </>
  )
}

function Steps({ id, name }: { readonly id: number; readonly name: string }): JSX.Element {
  const [ping, setPing] = useState<Ping | null>(null)
  const job = useGet('/jobs/{id}', { path: { id }, query: { values: true } }, ['state'])
  const [arrived, setArrived] = useState<number | null>(null)
  useEffect(() => {
    const unwatch = watchJobs([id])
    const stop = onEvents(['value'], ({ data }) => {
      if (data['jobId'] === id) setArrived(Date.now())
    })
    return () => {
      stop()
      unwatch()
    }
  }, [id])
  const at = arrived ?? (job.data?.lastReceivedAt ? Date.parse(job.data.lastReceivedAt) : null)
  const command = `curl -H 'content-type: application/json' -u '${t('first-value.user')}' \\
  -d '{"returnValue1": ${EXAMPLE}, "errorCode": 0}' ${API_BASE}/webcollector/jobs/${id}/values`
  const create = async (): Promise<void> =>
    setPing(
      await call('post', '/jobs/{id}/pings', {
        path: { id },
        body: { name: 'first value', expiresAt: null },
      }),
    )
  return (
    <ol class="first-steps">
      <li class={at === null ? '' : 'done'}>
        <Card title={t('first-value.send', { name })}>
          <div class="pad col">
            <p>{t('first-value.sendText')}</p>
            <Code text={command} label={t('first-value.command')} />
            {ping ? (
              <>
                <p>{t('first-value.pingText')}</p>
                <Code text={`curl -fsS '${ping.url}'`} label={t('first-value.pingCommand')} />
              </>
            ) : (
              <Button action={() => create()}>{t('first-value.makePing')}</Button>
            )}
          </div>
        </Card>
      </li>
      <li class={at === null ? '' : 'done'} aria-live="polite">
        {at === null ? (
          <Note icon="clock">{t('first-value.waiting')}</Note>
        ) : (
          <Note
            kind="ok"
            icon="check"
            action={
              <a class="btn primary" href={objectLink('job', id)}>
                {t('first-value.open')}
              </a>
            }
          >
            <b>{t('first-value.arrived', { time: timeText(at, true) })}</b>
          </Note>
        )}
      </li>
      <li>
        <Note icon="info">{t('first-value.next')}</Note>
      </li>
    </ol>
  )
}
