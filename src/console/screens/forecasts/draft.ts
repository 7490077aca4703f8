import type { Call } from '../../api/client.ts'
import type { Forecast } from './forecast.ts'

/** The fields of a forecast that the form has. Others stay as they are. */
export type Draft = {
  readonly name: string
  readonly type: 'job' | 'dataQuery'
  readonly jobId: number | null
  readonly key: string
  readonly queryId: string
  readonly timeColumn: string
  readonly valueColumn: string
  readonly step: string
  readonly horizon: string
  readonly kind: string
  readonly cron: string
}

type Body = Call<'/forecasts', 'post'>['body']

const NEW: Draft = {
  name: '',
  type: 'job',
  jobId: null,
  key: 'returnValue1',
  queryId: '',
  timeColumn: '',
  valueColumn: '',
  step: 'PT1H',
  horizon: 'P2D',
  kind: 'auto',
  cron: '',
}

/** The draft of a forecast, or of a new one of a job. */
export function draftOf(forecast: Forecast | null, jobId: number | null = null): Draft {
  if (forecast === null) return { ...NEW, jobId }
  const { name, source, step, horizon, model, schedule } = forecast
  return { ...NEW, ...sourceDraft(source), name, step, horizon, kind: model.kind, cron: schedule?.cron ?? '' }
}

function sourceDraft(source: Forecast['source']): Partial<Draft> {
  if (source.type === 'job') return { type: 'job', jobId: source.jobId, key: source.key }
  const { timeColumn, valueColumn } = source
  if (source.type === 'dataTable') return { timeColumn, valueColumn }
  return { type: 'dataQuery', queryId: String(source.dataQueryId), timeColumn, valueColumn }
}

/** Whether a draft names all that a forecast needs. */
export function isComplete({ name, type, jobId, queryId, timeColumn, valueColumn }: Draft): boolean {
  if (name.trim() === '') return false
  return type === 'job' ? jobId !== null : queryId !== '' && timeColumn !== '' && valueColumn !== ''
}

/** A draft as the API takes it: the whole of a new forecast, or the changed fields of one that is stored. */
export function bodyOf(draft: Draft, stored: Forecast | null): Body {
  const { name, step, horizon, kind, cron } = draft
  const schedule = cron.trim() === '' ? null : { ...stored?.schedule, enabled: true, cron: cron.trim() }
  const model = stored?.model.kind === kind ? stored.model : { kind }
  return {
    name: name.trim(),
    source: sourceOf(draft, stored),
    step,
    horizon,
    model,
    schedule,
  } as unknown as Body
}

function sourceOf(draft: Draft, stored: Forecast | null): object {
  const { type, jobId, key, queryId, timeColumn, valueColumn } = draft
  // A table with its filter is not changed here.
  if (stored?.source.type === 'dataTable') return stored.source
  const kept = stored?.source.type === type ? stored.source : {}
  if (type === 'job') return { ...kept, type, jobId, key }
  return { ...kept, type, dataQueryId: Number(queryId), timeColumn, valueColumn }
}
