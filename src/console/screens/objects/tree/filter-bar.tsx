import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { Chip, IconButton } from '../../../kit/controls.tsx'
import { t } from '../../../language/t.ts'
import { FilterBuilder } from './filter-builder.tsx'
import { hasPreset, textOf, withPreset, withText } from './filter.ts'
import type { Definition } from './filter.ts'

const TYPING_MS = 250

type Props = {
  readonly definition: Definition
  readonly isMine: boolean
  readonly notOk: number
  readonly onChange: (definition: Definition) => void
  readonly onMine: (isMine: boolean) => void
  /** Whether a tap marks an object. */
  readonly isMarking: boolean
  readonly onMarking: (isMarking: boolean) => void
}

/** The filter of the tree: a text, three presets, the builder of any other filter, and for a finger the switch that makes
 * taps mark objects. */
export function FilterBar(props: Props): JSX.Element {
  const { definition, isMine, notOk, onChange, onMine, isMarking, onMarking } = props
  const asked = textOf(definition)
  const [text, setText] = useState(asked)
  const [isBuilding, setBuilding] = useState(false)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (text === asked) return undefined
    const timer = setTimeout(() => onChange(withText(definition, text.trim() === '' ? '' : text)), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="col" role="search" aria-label={t('objects.filter')}>
      <div class="row">
        <input
          class="input"
          type="search"
          aria-label={t('objects.filter')}
          placeholder={t('objects.filterHint')}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <IconButton icon="filter" label={t('objects.build')} onClick={() => setBuilding(true)} />
      </div>
      <div class="row wrap chips">
        <Chip
          pressed={hasPreset(definition, 'notOk')}
          onChange={(on) => onChange(withPreset(definition, 'notOk', on))}
        >
          {t('objects.notOk')} <b>{notOk}</b>
        </Chip>
        <Chip pressed={isMine} onChange={onMine}>
          {t('objects.mine')}
        </Chip>
        <Chip
          pressed={hasPreset(definition, 'stopped')}
          onChange={(on) => onChange(withPreset(definition, 'stopped', on))}
        >
          {t('state.stopped')}
        </Chip>
        <span class="by-touch">
          <Chip pressed={isMarking} onChange={onMarking}>
            {t('objects.mark')}
          </Chip>
        </span>
      </div>
      {isBuilding && (
        <FilterBuilder definition={definition} onApply={onChange} onClose={() => setBuilding(false)} />
      )}
    </div>
  )
}
