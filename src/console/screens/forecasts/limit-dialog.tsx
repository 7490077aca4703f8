import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call, callVersioned } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { SelectField } from '../../kit/controls.tsx'
import { objectLink } from '../../kit/location.ts'
import { percentText } from '../../kit/numbers.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { widest } from './forecast.ts'
import type { Forecast } from './forecast.ts'

const SEVERITIES = ['warning', 'minor', 'major'] as const
const SIDES = ['both', 'above', 'below'] as const
type Severity = (typeof SEVERITIES)[number]
type Side = (typeof SIDES)[number]

/** Adds a limit to the job of a forecast: values outside of its interval. */
export function LimitDialog({
  forecast,
  onClose,
}: {
  readonly forecast: Forecast
  readonly onClose: () => void
}): JSX.Element {
  const [severity, setSeverity] = useState<Severity>('minor')
  const [side, setSide] = useState<Side>('both')
  const [level, setLevel] = useState(String(widest(forecast.levels)))
  const { source } = forecast
  const save = async (): Promise<void> => {
    if (source.type !== 'job') return
    await addLimit(source.jobId, severity, {
      key: source.key,
      operator: '<>',
      value: 0,
      adaptiveValues: { source: 'forecast', forecastId: forecast.id, level: Number(level), side },
    })
    invalidate(`/jobs/${source.jobId}`, `/forecasts/${forecast.id}`)
    toast({ text: t('forecasts.limitAdded') })
  }
  return (
    <FormDialog
      title={t('forecasts.makeLimit')}
      submit={t('forecasts.addLimit')}
      onSubmit={save}
      onClose={onClose}
    >
      {() => (
        <>
          <p>{t('forecasts.limitText')}</p>
          <SelectField
            label={t('forecasts.severity')}
            value={severity}
            options={SEVERITIES.map((value) => ({ value, text: t(`state.${value}`) }))}
            onValue={setSeverity}
          />
          <SelectField
            label={t('forecasts.side')}
            value={side}
            options={SIDES.map((value) => ({ value, text: t(`forecasts.side.${value}`) }))}
            onValue={setSide}
          />
          <SelectField
            label={t('forecasts.level')}
            value={level}
            options={forecast.levels.map((one) => ({ value: String(one), text: percentText(one / 100) }))}
            onValue={setLevel}
          />
          {source.type === 'job' && (
            <p>
              <a href={objectLink('job', source.jobId)}>{t('forecasts.toJob')}</a>
            </p>
          )}
        </>
      )}
    </FormDialog>
  )
}

/** Adds a condition to a job, beside those that it has. @throws {Failure} when another user changes the job meanwhile */
async function addLimit(jobId: number, severity: Severity, condition: object): Promise<void> {
  const path = { id: jobId }
  const { data, etag } = await callVersioned('get', '/jobs/{id}', { path, query: { thresholds: true } })
  const before = data.thresholds?.[severity]?.conditions ?? []
  const body = { thresholds: { [severity]: { conditions: [...before, condition] } } }
  await call('patch', '/jobs/{id}', { path, body, ifMatch: etag })
}
