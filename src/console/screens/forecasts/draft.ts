import type { Call } from '../../api/client.ts'
import { msOfDuration } from '../../kit/time.tsx'
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
  /** Whether trials choose the settings of the kind. */
  readonly search: boolean
  /** The country of the holidays, or a part of it; empty without any. */
  readonly country: string
  /** Own days, each as a line with its date and name. */
  readonly days: string
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
  search: false,
  country: '',
  days: '',
  cron: '',
}

const DAY_MS = 86_400_000

/** The draft of a forecast, or of a new one of a job. */
export function draftOf(forecast: Forecast | null, jobId: number | null = null): Draft {
  if (forecast === null) return { ...NEW, jobId }
  const { name, source, step, horizon, model, holidays, schedule } = forecast
  return {
    ...NEW,
    ...sourceDraft(source),
    name,
    step,
    horizon,
    kind: model.kind,
    search: model.search,
    country: holidays?.country ?? '',
    days: (holidays?.days ?? []).map(({ date, name: day }) => `${date} ${day}`).join('\n'),
    cron: schedule?.cron ?? '',
  }
}

/** Whether a kind has settings among which trials choose. */
export function canSearch(kind: string): boolean {
  return kind !== 'naive' && !kind.startsWith('custom:')
}

/** Whether holidays explain values of a step: it must be a day or less. */
export function canHaveHolidays(step: string): boolean {
  const ms = msOfDuration(step)
  return ms !== null && ms <= DAY_MS
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
  const { name, step, horizon, kind, search, cron } = draft
  const schedule = cron.trim() === '' ? null : { ...stored?.schedule, enabled: true, cron: cron.trim() }
  const model = {
    ...(stored?.model.kind === kind ? stored.model : { kind }),
    search: search && canSearch(kind),
  }
  return {
    name: name.trim(),
    source: sourceOf(draft, stored),
    step,
    horizon,
    model,
    holidays: holidaysOf(draft),
    schedule,
  } as unknown as Body
}

function holidaysOf({ step, country, days: text }: Draft): object | null {
  const days = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [date = '', ...name] = line.split(/\s+/)
      return { date, name: name.join(' ') }
    })
  const place = country.trim().toUpperCase()
  if (!canHaveHolidays(step) || (place === '' && days.length === 0)) return null
  return { country: place === '' ? null : place, days }
}

function sourceOf(draft: Draft, stored: Forecast | null): object {
  const { type, jobId, key, queryId, timeColumn, valueColumn } = draft
  // A table with its filter is not changed here.
  if (stored?.source.type === 'dataTable') return stored.source
  const kept = stored?.source.type === type ? stored.source : {}
  if (type === 'job') return { ...kept, type, jobId, key }
  return { ...kept, type, dataQueryId: Number(queryId), timeColumn, valueColumn }
}
