import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call, callVersioned } from '../../../api/client.ts'
import { asFailure } from '../../../api/failure.ts'
import type { Failure } from '../../../api/failure.ts'
import { invalidate } from '../../../api/resource.ts'
import { background } from '../../../kit/background.ts'
import { Button } from '../../../kit/controls.tsx'
import { Card } from '../../../kit/data.tsx'
import { FailureNote, Note } from '../../../kit/feedback.tsx'
import { Refusals } from '../../../kit/overlays.tsx'
import { toast } from '../../../kit/toasts.tsx'
import { t } from '../../../language/t.ts'
import { Conflict } from './conflict.tsx'
import { DeliveryForm } from './delivery-form.tsx'
import { draftOf, faultsOf, isBadDuration, patchOf } from './draft.ts'
import type { Draft } from './draft.ts'
import type { useLiveSamples } from './history.ts'
import type { Job } from './job.ts'
import { LimitChart } from './limit-chart.tsx'
import { LimitForm } from './limit-form.tsx'
import { Replay } from './replay.tsx'
import { ValueForm } from './value-form.tsx'

type Version = { readonly job: Job; readonly etag: string | undefined }

/** The configuration of a job as a form. The version that the user began with decides about conflicts. */
export function ConfigTab({
  job,
  etag,
  live,
}: Version & { readonly live: ReturnType<typeof useLiveSamples> }): JSX.Element {
  const [base, setBase] = useState<Version>({ job, etag })
  const [draft, setDraft] = useState<Draft>(() => draftOf(job))
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const patch = patchOf(base.job, draft)
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part })
  const begin = (version: Version, keep: Draft = draftOf(version.job)): void => {
    setBase(version)
    setDraft(keep)
    setFailure(null)
  }
  const save = async (): Promise<void> => {
    if (patch === null || refusedWhy(job, draft) !== undefined) return
    setBusy(true)
    setFailure(null)
    try {
      const path = { id: job.id }
      await call('patch', '/jobs/{id}', { path, body: patch, ifMatch: base.etag })
      begin(await readVersion(job.id))
      invalidate(`/jobs/${job.id}`)
      toast({ text: t('job.config.saved') })
    } catch (error) {
      setFailure(asFailure(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="beside"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        background(save())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) background(save())
      }}
    >
      <div class="col">
        {failure?.status === 412 && (
          <Conflict id={job.id} base={draftOf(base.job)} mine={draft} onChoose={begin} read={readVersion} />
        )}
        <DeliveryForm draft={draft} failure={failure} onChange={change} />
        <ValueForm draft={draft} failure={failure} onChange={change} />
        <LimitForm draft={draft} failure={failure} onChange={change} />
        <LimitChart job={job} draft={draft} live={live} onChange={change} />
      </div>
      <div class="col sticky">
        <Replay job={job} draft={draft} />
        <Card>
          <div class="pad col">
            {failure && failure.status !== 412 && failure.errors.length === 0 && (
              <FailureNote failure={failure} />
            )}
            {failure && failure.errors.length > 0 && <Refusals failure={failure} />}
            {patch !== null && refusedWhy(job, draft) !== undefined && (
              <Note kind="warning">{refusedWhy(job, draft)}</Note>
            )}
            <div class="row">
              <Button
                kind="primary"
                type="submit"
                busy={isBusy}
                refused={patch === null ? t('job.config.unchanged') : refusedWhy(job, draft)}
              >
                {t('job.config.save')}
              </Button>
              <Button
                refused={patch === null ? t('job.config.unchanged') : undefined}
                onClick={() => begin({ job, etag })}
              >
                {t('job.config.discard')}
              </Button>
            </div>
            <p class="label">{t('job.config.versions')}</p>
          </div>
        </Card>
      </div>
    </form>
  )
}

/** Why the draft cannot be saved; undefined when it can. */
function refusedWhy(job: Job, draft: Draft): string | undefined {
  if (!job.permissions.write) return t('job.needs', { right: t('job.right.write'), name: job.name })
  if (draft.name.trim() === '') return t('job.config.noName')
  if (isBadDuration(draft.timeout) || isBadDuration(draft.grace)) return t('job.config.badDuration')
  return faultsOf(draft.limits).some((fault) => fault !== undefined) ? t('job.config.badLimit') : undefined
}

async function readVersion(id: number): Promise<Version> {
  const query = { thresholds: true, values: true }
  const { data, etag } = await callVersioned('get', '/jobs/{id}', { path: { id }, query })
  return { job: data, etag }
}
