import type { JSX } from 'preact'

import { call, callVersioned } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { EditForm, useEditing } from '../../../kit/editing.tsx'
import type { Version } from '../../../kit/versions.ts'
import { t } from '../../../language/t.ts'
import { DeliveryForm } from './delivery-form.tsx'
import { draftOf, faultsOf, isBadDuration, lines, patchOf } from './draft.ts'
import type { Draft } from './draft.ts'
import type { useLiveSamples } from './history.ts'
import type { Job } from './job.ts'
import { LimitChart } from './limit-chart.tsx'
import { LimitForm } from './limit-form.tsx'
import { Replay } from './replay.tsx'
import { ValueForm } from './value-form.tsx'

/** The configuration of a job as a form. */
export function ConfigTab({
  job,
  etag,
  live,
}: {
  readonly job: Job
  readonly etag: string | undefined
  readonly live: ReturnType<typeof useLiveSamples>
}): JSX.Element {
  const editing = useEditing({ object: job, etag }, { draftOf, send, read: () => readVersion(job.id) })
  const { draft, failure, change } = editing
  return (
    <EditForm
      editing={editing}
      missing={missingRight(job)}
      refused={refusedWhy(draft)}
      aside={<Replay job={job} draft={draft} />}
      fieldText={(field) => t(`job.field.${field}`)}
      valueText={(shown, field) => lines(shown[field])}
    >
      <DeliveryForm draft={draft} failure={failure} onChange={change} />
      <ValueForm draft={draft} failure={failure} onChange={change} />
      <LimitForm draft={draft} failure={failure} onChange={change} />
      <LimitChart job={job} draft={draft} live={live} onChange={change} />
    </EditForm>
  )
}

async function send({ object: job, etag }: Version<Job>, draft: Draft): Promise<Version<Job>> {
  await call('patch', '/jobs/{id}', {
    path: { id: job.id },
    body: patchOf(job, draft) ?? {},
    ifMatch: etag,
  })
  invalidate(`/jobs/${job.id}`)
  return readVersion(job.id)
}

function missingRight({ permissions, name }: Job): string | undefined {
  return permissions.write ? undefined : t('job.needs', { right: t('job.right.write'), name })
}

/** Why the draft cannot be saved; undefined when it can. */
function refusedWhy(draft: Draft): string | undefined {
  if (draft.name.trim() === '') return t('job.config.noName')
  if (isBadDuration(draft.timeout) || isBadDuration(draft.grace)) return t('job.config.badDuration')
  return faultsOf(draft.limits).some((fault) => fault !== undefined) ? t('job.config.badLimit') : undefined
}

async function readVersion(id: number): Promise<Version<Job>> {
  const query = { thresholds: true, values: true }
  const { data, etag } = await callVersioned('get', '/jobs/{id}', { path: { id }, query })
  return { object: data, etag }
}
