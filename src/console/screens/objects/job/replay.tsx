import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import type { Answer, Call } from '../../../api/client.ts'
import { asFailure } from '../../../api/failure.ts'
import type { Failure } from '../../../api/failure.ts'
import { Card, KeyValues } from '../../../kit/data.tsx'
import { FailureNote, Skeleton } from '../../../kit/feedback.tsx'
import { State } from '../../../kit/state.tsx'
import { durationText } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { faultsOf, isBadDuration, thresholdsOf } from './draft.ts'
import type { Draft } from './draft.ts'
import { SEVERITIES } from './job.ts'
import type { Job } from './job.ts'

type Result = Answer<'/jobs/{id}/replay', 'post'>
type Proposal = Call<'/jobs/{id}/replay', 'post'>['body']
const PAUSE_MS = 500

/** How the limits and the timeout of the draft would have behaved over the last 30 days, beside the ones of the job. */
export function Replay({ job, draft }: { readonly job: Job; readonly draft: Draft }): JSX.Element {
  const [results, setResults] = useState<{ readonly now: Result; readonly draft: Result } | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const isReady =
    !isBadDuration(draft.timeout) && faultsOf(draft.limits).every((fault) => fault?.kind !== 'number')
  const thresholds = thresholdsOf(draft.limits, job.thresholds)
  const proposal = JSON.stringify({ thresholds, timeout: draft.timeout || null })
  useEffect(() => {
    if (!isReady) return undefined
    const abort = new AbortController()
    const post = (body: Proposal): Promise<Result> =>
      call('post', '/jobs/{id}/replay', { path: { id: job.id }, body, signal: abort.signal })
    const timer = setTimeout(() => {
      Promise.all([post({}), post(JSON.parse(proposal) as Proposal)]).then(
        ([now, proposed]) => {
          setResults({ now, draft: proposed })
          setFailure(null)
        },
        (error: unknown) => abort.signal.aborted || setFailure(asFailure(error)),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [proposal, isReady, job.id])
  return (
    <Card title={t('job.replay')}>
      <div class="pad col" aria-live="polite">
        <p class="quiet">{t(results?.draft.about ? 'job.replay.about' : 'job.replay.text')}</p>
        {failure && <FailureNote failure={failure} />}
        {!failure && results === null && <Skeleton lines={4} />}
        {results && (
          <KeyValues
            rows={SEVERITIES.map((severity) => [
              <State key={severity} look="plain" state={severity} />,
              <Outcome key={severity} {...results} severity={severity} />,
            ])}
          />
        )}
      </div>
    </Card>
  )
}

function Outcome({
  now,
  draft,
  severity,
}: {
  readonly now: Result
  readonly draft: Result
  readonly severity: (typeof SEVERITIES)[number]
}): JSX.Element {
  const text = ({ alarms, seconds }: Result): string => {
    const ms = seconds[severity] * 1000
    if (ms === 0) return t('job.replay.never')
    return t('job.replay.times', { count: alarms[severity], duration: durationText(ms) })
  }
  return (
    <>
      <b>{text(draft)}</b>
      {text(draft) !== text(now) && <span class="faint"> {t('job.replay.now', { text: text(now) })}</span>}
    </>
  )
}
