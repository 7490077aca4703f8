import type { JSX } from 'preact'

import { Button, Check, SelectField, TextField } from '../../../kit/controls.tsx'
import { Note } from '../../../kit/feedback.tsx'
import { WordField } from '../../../kit/word-field.tsx'
import { t } from '../../../language/t.ts'
import type { Parameter, Widget, WidgetOf } from '../dashboard.ts'
import { JobValueField } from '../../objects/job/job-value-field.tsx'
import { ForecastField, ObjectField, TextArea, ThingField } from './fields.tsx'
import { FIRST_SERIES } from './first-values.ts'
import { ObjectsFields, PointsFields } from './place-of-fields.tsx'
import { ChartFields, TableFields, ValueFields } from './rows-fields.tsx'

type Props<W extends Widget = Widget> = {
  readonly widget: W
  readonly parameters: readonly Parameter[]
  readonly onChange: (widget: Widget) => void
}

const LEVELS = ['availability', 'budget', 'timeline'] as const
const SHOWN = ['tiles', 'list', 'tree'] as const
const CONTROLS = ['select', 'multi', 'text', 'date', 'range', 'slider', 'switch', 'search'] as const
const FITS = ['contain', 'cover', 'none'] as const
const SERIES_MAX = 20

/** The fields of a widget that its kind has. Other fields are in its JSON. */
export function KindFields({ widget, parameters, onChange }: Props): JSX.Element | null {
  const props = { parameters, onChange }
  switch (widget.kind) {
    case 'value':
      return <ValueFields widget={widget} onChange={onChange} />
    case 'history':
      return <HistoryFields widget={widget} {...props} />
    case 'chart':
      return <ChartFields widget={widget} onChange={onChange} />
    case 'table':
      return <TableFields widget={widget} onChange={onChange} />
    case 'states':
      return <StatesFields widget={widget} {...props} />
    case 'map':
      return <PointsFields widget={widget} onChange={onChange} />
    case 'slo':
      return <LevelFields widget={widget} {...props} />
    case 'input':
      return <InputFields widget={widget} {...props} />
    default:
      return <PlainFields widget={widget} {...props} />
  }
}

function PlainFields({ widget, onChange }: Props): JSX.Element | null {
  switch (widget.kind) {
    case 'alarms':
      return (
        <Check
          label={t('boards.canAcknowledge')}
          checked={widget.acknowledge}
          onChange={(acknowledge) => onChange({ ...widget, acknowledge })}
        />
      )
    case 'text':
      return (
        <TextArea
          label={t('boards.markdown')}
          value={widget.markdown}
          hint={t('boards.markdownHint')}
          onValue={(markdown) => onChange({ ...widget, markdown })}
        />
      )
    case 'image':
      return (
        <>
          <TextField
            label={t('boards.file')}
            value={widget.file}
            onValue={(file) => onChange({ ...widget, file })}
          />
          <TextField
            label={t('boards.alt')}
            value={widget.alt}
            onValue={(alt) => onChange({ ...widget, alt })}
          />
          <WordField
            label={t('boards.fit')}
            textOf={(word) => t(`boards.fit.${word}`)}
            words={FITS}
            value={widget.fit}
            onValue={(fit) => onChange({ ...widget, fit })}
          />
        </>
      )
    case 'script':
      return (
        <>
          <ThingField
            label={t('boards.kind.script')}
            route="/scripts"
            id={widget.scriptId}
            onId={(scriptId) => onChange({ ...widget, scriptId })}
          />
          <TextField
            label={t('boards.buttonText')}
            value={widget.label}
            onValue={(label) => onChange({ ...widget, label })}
          />
          <TextField
            label={t('boards.confirm')}
            hint={t('boards.confirmHint')}
            value={widget.confirm}
            onValue={(confirm) => onChange({ ...widget, confirm })}
          />
        </>
      )
    case 'dashboard':
      return (
        <ThingField
          label={t('boards.kind.dashboard')}
          route="/dashboards"
          id={widget.dashboardId}
          onId={(dashboardId) => onChange({ ...widget, dashboardId })}
        />
      )
    case 'clock':
      return (
        <TextField
          label={t('boards.timeZone')}
          value={widget.timeZone ?? ''}
          hint={t('boards.timeZoneHint')}
          onValue={(zone) => onChange({ ...widget, timeZone: zone === '' ? null : zone })}
        />
      )
    default:
      return null
  }
}

function HistoryFields({ widget, onChange }: Props<WidgetOf<'history'>>): JSX.Element {
  const { series } = widget
  const put = (next: WidgetOf<'history'>['series']): void => onChange({ ...widget, series: next })
  const change = (at: number, part: Partial<(typeof series)[number]>): void =>
    put(series.map((one, place) => (place === at ? { ...one, ...part } : one)))
  const full = series.length >= SERIES_MAX ? t('boards.seriesMax', { count: SERIES_MAX }) : undefined
  return (
    <>
      {series.map(({ jobId, key }, at) => (
        <fieldset key={at} class="series-fields">
          <legend>{t('boards.series', { number: at + 1 })}</legend>
          <ObjectField
            label={t('boards.job')}
            type="job"
            id={jobId}
            onId={(id) => change(at, { jobId: id })}
          />
          <JobValueField
            label={t('boards.key')}
            jobId={jobId}
            value={key}
            numbersOnly
            onValue={(next) => change(at, { key: next })}
          />
          {series.length > 1 && (
            <Button small icon="close" onClick={() => put(series.filter((_, place) => place !== at))}>
              {t('boards.removeSeries', { number: at + 1 })}
            </Button>
          )}
        </fieldset>
      ))}
      <span>
        <Button small icon="plus" refused={full} onClick={() => put([...series, FIRST_SERIES])}>
          {t('boards.addSeries')}
        </Button>
      </span>
      <ForecastField
        forecast={widget.forecast}
        onForecast={(forecast) => onChange({ ...widget, forecast })}
      />
    </>
  )
}

function StatesFields({ widget, onChange }: Props<WidgetOf<'states'>>): JSX.Element {
  return (
    <>
      <ObjectsFields objects={widget.objects} onChange={(objects) => onChange({ ...widget, objects })} />
      <TextField
        label={t('boards.depth')}
        type="number"
        min={1}
        max={10}
        value={String(widget.depth)}
        onValue={(depth) => onChange({ ...widget, depth: Number(depth) })}
      />
      <WordField
        label={t('boards.shown')}
        textOf={(word) => t(`boards.shown.${word}`)}
        words={SHOWN}
        value={widget.show}
        onValue={(show) => onChange({ ...widget, show })}
      />
    </>
  )
}

function LevelFields({ widget, onChange }: Props<WidgetOf<'slo'>>): JSX.Element {
  const toggle = (part: (typeof LEVELS)[number], on: boolean): void => {
    const show = on ? [...widget.show, part] : widget.show.filter((one) => one !== part)
    if (show.length > 0) onChange({ ...widget, show })
  }
  return (
    <>
      <ObjectField
        label={t('boards.level')}
        id={widget.objectId}
        onId={(objectId) => onChange({ ...widget, objectId })}
      />
      {LEVELS.map((part) => (
        <Check
          key={part}
          label={t(`boards.level.${part}`)}
          checked={widget.show.includes(part)}
          onChange={(on) => toggle(part, on)}
        />
      ))}
    </>
  )
}

function InputFields({ widget, parameters, onChange }: Props<WidgetOf<'input'>>): JSX.Element {
  if (parameters.length === 0) return <Note kind="warning">{t('boards.parameterFirst')}</Note>
  return (
    <>
      <SelectField
        label={t('boards.parameter')}
        value={widget.parameter}
        options={parameters.map(({ name, label }) => ({ value: name, text: label || name }))}
        onValue={(parameter) => onChange({ ...widget, parameter })}
      />
      <WordField
        label={t('boards.control')}
        textOf={(word) => t(`boards.control.${word}`)}
        words={CONTROLS}
        value={widget.control}
        onValue={(control) => onChange({ ...widget, control })}
      />
    </>
  )
}
