import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { API_BASE, call } from '../../../api/client.ts'
import type { Answer, Call } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { user } from '../../../api/session.ts'
import { useSubmit } from '../../../kit/background.ts'
import { Button, SelectField, TextField } from '../../../kit/controls.tsx'
import { Card, Code } from '../../../kit/data.tsx'
import { FailureNote, Note } from '../../../kit/feedback.tsx'
import { State } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import { valuesOf } from './job.ts'
import type { Job } from './job.ts'
import { PushUrls } from './push-urls.tsx'
import { SENDERS, snippetOf } from './snippets.ts'
import type { Sender } from './snippets.ts'

const REMEMBERED = 'tidemark.sender'

/** How a program delivers values to the job, and a form that delivers one now. */
export function SendTab({ job }: { readonly job: Job }): JSX.Element {
  const stored = localStorage.getItem(REMEMBERED) as Sender | null
  const [sender, setSender] = useState<Sender>(stored && SENDERS.includes(stored) ? stored : 'curl')
  const choose = (to: Sender): void => {
    localStorage.setItem(REMEMBERED, to)
    setSender(to)
  }
  return (
    <div class="beside">
      <Card title={t('job.send.program')}>
        <div class="pad col">
          <SelectField
            label={t('job.send.sender')}
            value={sender}
            onValue={choose}
            options={SENDERS.map((value) => ({ value, text: t(`job.sender.${value}`) }))}
          />
          <Code label={t(`job.sender.${sender}`)} text={snippetOf(sender, job, API_BASE)} />
          <p class="quiet">{t(`job.send.hint.${sender}`)}</p>
          {job.parameters.timeout !== null && !job.parameters.healsOnData && (
            <Note>
              <b>{t('job.send.errorCode')}</b> {t('job.send.errorCodeText')}
            </Note>
          )}
        </div>
      </Card>
      <div class="col">
        <TryIt job={job} />
        <PushUrls job={job} />
      </div>
    </div>
  )
}

type Outcome = Answer<'/webcollector/jobs/{jobId}/values', 'post'>
type Body = Call<'/webcollector/jobs/{jobId}/values', 'post'>['body']

/** The body of a delivery from the fields of the form; empty fields are left out. */
function bodyOf(job: Job, fields: Readonly<Record<string, string>>): Body {
  const body: Record<string, number | string> = {}
  for (const { key, isText } of valuesOf(job)) {
    const text = (fields[key] ?? '').trim()
    if (text !== '') body[key] = isText ? text : Number(text.replace(',', '.'))
  }
  const code = (fields['errorCode'] ?? '').trim()
  return { ...body, ...(code === '' ? {} : { errorCode: Number(code) }) } as Body
}

function TryIt({ job }: { readonly job: Job }): JSX.Element {
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({ errorCode: '0' })
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const set = (key: string) => (value: string) => setFields({ ...fields, [key]: value })
  const refused = refusedWhy(job)
  const { failure, isBusy, submit } = useSubmit(async () => {
    if (refused !== undefined) return
    setOutcome(null)
    setOutcome(
      await call('post', '/webcollector/jobs/{jobId}/values', {
        path: { jobId: job.id },
        body: bodyOf(job, fields),
      }),
    )
    invalidate(`/jobs/${job.id}`)
  })
  return (
    <Card title={t('job.send.try')}>
      <form class="pad col" noValidate onSubmit={submit}>
        {valuesOf(job).map(({ key, name, unit, isText }) => (
          <TextField
            key={key}
            label={name}
            value={fields[key] ?? ''}
            onValue={set(key)}
            placeholder={t('job.send.leaveOut')}
            {...(unit ? { unit } : {})}
            {...(isText ? {} : { inputMode: 'decimal' as const })}
            error={failure?.at(`/${key}`)}
          />
        ))}
        <TextField
          label={t('job.send.code')}
          value={fields['errorCode'] ?? ''}
          onValue={set('errorCode')}
          inputMode="numeric"
          hint={t('job.send.codeHint')}
          error={failure?.at('/errorCode')}
        />
        <Button kind="primary" type="submit" busy={isBusy} refused={refused}>
          {t('job.send.submit')}
        </Button>
        <div role="status">
          {outcome && (
            <Note kind="ok" icon="check">
              {t('job.send.accepted', { count: outcome.accepted })}{' '}
              <State look="plain" state={outcome.state} />
            </Note>
          )}
        </div>
        {failure && <FailureNote failure={failure} what={t('job.send.refused')} />}
        <p class="label">{t('job.send.stored')}</p>
      </form>
    </Card>
  )
}

/** Why the user cannot deliver to the job; undefined when the user can. */
function refusedWhy(job: Job): string | undefined {
  if (job.stopped) return t('job.sayStopped')
  const role = user.value?.role
  if (role !== 'administrator' && role !== 'collector') return t('job.send.role')
  return job.permissions.execute
    ? undefined
    : t('job.needs', { right: t('job.right.execute'), name: job.name })
}
