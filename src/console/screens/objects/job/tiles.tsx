import type { JSX } from 'preact'

import { Card } from '../../../kit/data.tsx'
import { Ago } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import type { useLiveSamples } from './history.ts'
import { conditionsOf, digitsText } from './job.ts'
import type { Job, JobValue } from './job.ts'
import { worstCrossed } from './sentence.ts'

/** The latest value of each key. A click on a number shows its chart. */
export function Tiles({
  job,
  values,
  live,
  current,
  onChoose,
}: {
  readonly job: Job
  readonly values: readonly JobValue[]
  readonly live: ReturnType<typeof useLiveSamples>
  readonly current: string
  readonly onChoose: (key: string) => void
}): JSX.Element {
  return (
    <Card>
      <div class="valgrid" role="group" aria-label={t('job.valuesNow')}>
        {values.map((value) => (
          <Tile
            key={value.key}
            job={job}
            value={latest(value, live)}
            isCurrent={value.key === current}
            onChoose={onChoose}
          />
        ))}
      </div>
    </Card>
  )
}

/** A value with the latest sample that arrived while the page shows it. */
export function latest(value: JobValue, live: ReturnType<typeof useLiveSamples>): JobValue {
  const sample = live.findLast(({ key }) => key === value.key)
  if (!sample || (value.timestamp !== undefined && sample.at < Date.parse(value.timestamp))) return value
  return { ...value, value: sample.value, timestamp: new Date(sample.at).toISOString() }
}

function Tile({
  job,
  value,
  isCurrent,
  onChoose,
}: {
  readonly job: Job
  readonly value: JobValue
  readonly isCurrent: boolean
  readonly onChoose: (key: string) => void
}): JSX.Element {
  const content = (
    <>
      <span class="label">
        {value.name} <code class="faint">{value.key}</code>
      </span>
      <span class={value.isText ? 'v text' : 'v'}>
        {value.value === undefined ? '–' : digitsText(value.value, value.precision)}
        {value.unit && <span class="u">{value.unit}</span>}
      </span>
      <span class="label">
        {value.timestamp === undefined ? (
          t('job.never')
        ) : (
          <>
            <Ago at={value.timestamp} />
            {!value.isText && ` · ${limitText(job, value)}`}
          </>
        )}
      </span>
    </>
  )
  if (value.isText) return <div class="stat">{content}</div>
  return (
    <button type="button" class="stat" aria-pressed={isCurrent} onClick={() => onChoose(value.key)}>
      {content}
    </button>
  )
}

function limitText(job: Job, value: JobValue): string {
  const severity = worstCrossed(job, value)
  if (severity !== null) return t('job.beyond', { severity: t(`state.${severity}`) })
  return t(conditionsOf(job.thresholds, value.key).length > 0 ? 'job.within' : 'job.noLimits')
}
