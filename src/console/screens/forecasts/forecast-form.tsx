import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'

import { callVersioned } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { follow } from '../../api/operations.ts'
import { invalidate } from '../../api/resource.ts'
import { useAction } from '../../kit/background.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, PageHead } from '../../kit/data.tsx'
import { Empty, FailureNote, Progress } from '../../kit/feedback.tsx'
import { linkTo, useQuery } from '../../kit/location.ts'
import { Refusals } from '../../kit/overlays.tsx'
import { useIsGone } from '../../kit/use-is-gone.ts'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { bodyOf, draftOf, isComplete } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Forecast, Preview } from './forecast.ts'
import { FormFields } from './form-fields.tsx'
import { PredictedCard, TrialsCard } from './predicted-card.tsx'

/** A new forecast, or a stored one that is changed: its source, and a preview with its trials before anything is stored. */
export function ForecastForm({
  forecast,
  etag,
}: {
  readonly forecast: Forecast | null
  readonly etag?: string | undefined
}): JSX.Element {
  const { route } = useLocation()
  const [job] = useQuery<string>('job', '')
  const [draft, setDraft] = useState<Draft>(() => draftOf(forecast, job === '' ? null : Number(job)))
  const [failure, setFailure] = useState<Failure | null>(null)
  const preview = usePreview()
  const refused = isComplete(draft) ? undefined : t('forecasts.incomplete')
  const isGone = useIsGone()
  const save = useAction(async () => {
    setFailure(null)
    try {
      const saved = await send(draft, forecast, etag)
      invalidate('/forecasts')
      toast({ text: t('forecasts.saved', { name: saved.name }) })
      if (!isGone.current) route(linkTo(`forecasts/${saved.id}`))
    } catch (error) {
      if (isGone.current) throw error
      setFailure(asFailure(error))
    }
  })
  return (
    <>
      <PageHead
        crumbs={[{ text: t('nav.forecasts'), href: linkTo('forecasts') }]}
        title={forecast?.name ?? t('forecasts.new')}
        actions={
          <>
            <Button
              icon="play"
              busy={preview.isRunning}
              refused={refused}
              action={() => preview.start(bodyOf(draft, forecast))}
            >
              {t('forecasts.preview')}
            </Button>
            <a class="btn" href={linkTo(forecast === null ? 'forecasts' : `forecasts/${forecast.id}`)}>
              {t('kit.cancel')}
            </a>
            <Button kind="primary" busy={save.isBusy} refused={refused} onClick={() => save.start()}>
              {t('edit.save')}
            </Button>
          </>
        }
      />
      <div class="body">
        {failure && failure.errors.length === 0 && (
          <FailureNote failure={failure} what={t('feedback.notDone')} />
        )}
        {failure && failure.errors.length > 0 && <Refusals failure={failure} />}
        <div class="forecast">
          <Card title={t('forecasts.settings')}>
            <div class="pad">
              <FormFields
                draft={draft}
                hasTable={forecast?.source.type === 'dataTable'}
                failure={failure}
                onChange={(part) => setDraft({ ...draft, ...part })}
              />
            </div>
          </Card>
          <Previewed preview={preview} />
        </div>
      </div>
    </>
  )
}

function Previewed({
  preview: { isRunning, failure, result },
}: {
  readonly preview: UsedPreview
}): JSX.Element {
  return (
    <div class="col spread">
      {isRunning && <Progress value={null} label={t('forecasts.previewing')} />}
      {failure && <FailureNote failure={failure} what={t('forecasts.noPreview')} />}
      {failure && failure.errors.length > 0 && <Refusals failure={failure} />}
      {result?.error && (
        <p lang="en" role="alert">
          {result.error.detail}
        </p>
      )}
      {result && result.error === null && (
        <>
          <TrialsCard figures={result.figures} />
          <PredictedCard title={t('forecasts.preview')} predicted={result} />
        </>
      )}
      {!result && !failure && !isRunning && (
        <Card>
          <Empty title={t('forecasts.previewFirst')} text={t('forecasts.previewText')} />
        </Card>
      )}
    </div>
  )
}

type UsedPreview = {
  readonly result: Preview | null
  readonly failure: Failure | null
  readonly isRunning: boolean
  readonly start: (body: Call<'/forecasts', 'post'>['body']) => Promise<void>
}

/** Predicts one series of a forecast that is not stored. */
function usePreview(): UsedPreview {
  const [state, setState] = useState<Omit<UsedPreview, 'start'>>({
    result: null,
    failure: null,
    isRunning: false,
  })
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  return {
    ...state,
    start: async (body) => {
      abort.current?.abort()
      const controller = new AbortController()
      abort.current = controller
      setState({ result: null, failure: null, isRunning: true })
      try {
        const request = { body } as Call<'/forecasts/preview', 'post'>
        const result = await follow('/forecasts/preview', request, { signal: controller.signal })
        if (!controller.signal.aborted) setState({ result, failure: null, isRunning: false })
      } catch (error) {
        if (!controller.signal.aborted)
          setState({ result: null, failure: asFailure(error), isRunning: false })
      }
    },
  }
}

async function send(draft: Draft, forecast: Forecast | null, etag: string | undefined): Promise<Forecast> {
  const body = bodyOf(draft, forecast)
  if (forecast === null) return (await callVersioned('post', '/forecasts', { body })).data
  const change = { path: { id: forecast.id }, body, ifMatch: etag } as unknown as Call<
    '/forecasts/{id}',
    'patch'
  >
  return (await callVersioned('patch', '/forecasts/{id}', change)).data
}
