import type { JSX } from 'preact'

import { IconButton } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { conditionText } from './filter-text.ts'
import { conditionsOf, filterOf } from './filter.ts'
import type { Filter } from './filter.ts'

/** The conditions that apply, each with a button that takes it away. */
export function FilterChips({
  filter,
  onChange,
}: {
  readonly filter: Filter | null
  readonly onChange: (filter: Filter | null) => void
}): JSX.Element | null {
  if (filter === null) return null
  const conditions = conditionsOf(filter)
  if (conditions === null)
    return (
      <span class="chip">
        {t('data.filterOther')}
        <IconButton small icon="close" label={t('data.clearFilter')} onClick={() => onChange(null)} />
      </span>
    )
  const { mode, of } = conditions
  return (
    <ul class="row wrap" aria-label={t('data.filter')}>
      {of.map((condition, at) => (
        <li key={at} class="row">
          {at > 0 && <span class="faint">{t(`data.filterWord.${mode}`)}</span>}
          <span class="chip">
            <span class="cut condition-text">{conditionText(condition)}</span>
            <IconButton
              small
              icon="close"
              label={t('data.removeConditionNamed', { name: conditionText(condition) })}
              onClick={() => onChange(filterOf({ mode, of: of.filter((_, place) => place !== at) }))}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}
