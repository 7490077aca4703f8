import type { JSX } from 'preact'

import { linkTo } from '../../../kit/location.ts'
import { percentText } from '../../../kit/numbers.ts'
import { durationText, msOfDuration } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import {
  FACTORS,
  kindOf,
  kindsOf,
  SEASONS,
  withinOf,
  WITHINS,
  withKind,
  withLearned,
  withWithin,
} from './limit-kind.ts'
import type { LimitRow } from './limit-kind.ts'

type Props = { readonly row: LimitRow; readonly onRow: (row: LimitRow) => void }

/** A choice in a row of fields. A value that is not offered stays. */
export function Words<V extends string>({
  label,
  value,
  options,
  onValue,
}: {
  readonly label: string
  readonly value: V
  readonly options: readonly (readonly [value: V, text: string])[]
  readonly onValue: (value: V) => void
}): JSX.Element {
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value as V)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** With which values a limit compares, and what that needs. A text and the error code compare as they come. */
export function KindFields({ row, onRow }: Props): JSX.Element | null {
  const kinds = kindsOf(row)
  if (kinds.length < 2) return null
  return (
    <div class="limit kind">
      <Words
        label={t('job.kind')}
        value={kindOf(row)}
        options={kinds.map((kind) => [kind, t(`job.kind.${kind}`)])}
        onValue={(kind) => onRow(withKind(row, kind))}
      />
      <MoreFields row={row} onRow={onRow} />
    </div>
  )
}

function MoreFields({ row, onRow }: Props): JSX.Element | null {
  const { adaptiveValues: usual } = row.rest
  if (usual?.source === 'forecast')
    return (
      <a href={linkTo(`forecasts/${usual.forecastId}`)}>
        {t('job.kind.ofForecast', { id: usual.forecastId, level: percentText(usual.level / 100) })}
      </a>
    )
  if (usual)
    return (
      <>
        <Words
          label={t('job.season')}
          value={usual.season}
          options={SEASONS.map((season) => [season, t(`job.season.${season}`)])}
          onValue={(season) => onRow(withLearned(row, { season }))}
        />
        <Words
          label={t('job.factor')}
          value={String(usual.factor)}
          options={withOwn(FACTORS, usual.factor).map((factor) => [
            String(factor),
            t('job.factor.of', { count: factor }),
          ])}
          onValue={(factor) => onRow(withLearned(row, { factor: Number(factor) }))}
        />
      </>
    )
  if (kindOf(row) !== 'ahead') return null
  const within = withinOf(row)
  return (
    <Words
      label={t('job.within.label')}
      value={within}
      options={withOwn(WITHINS, within).map((one) => [one, durationText(msOfDuration(one) ?? 0)])}
      onValue={(next) => onRow(withWithin(row, next))}
    />
  )
}

const withOwn = <V,>(offered: readonly V[], own: V): readonly V[] =>
  offered.includes(own) ? offered : [...offered, own]
