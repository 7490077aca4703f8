import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { Chooser } from '../data/chooser.tsx'
import { typed } from './address.ts'
import type { Parameter, Value, WidgetOf } from './dashboard.ts'

type Scalar = string | number | boolean
type Control = WidgetOf<'input'>['control']

type Props = {
  readonly parameter: Parameter
  readonly value: Value
  /** The values that a data query finds; null without one. */
  readonly found: readonly Scalar[] | null
  readonly control?: Control
  readonly onValue: (value: Value) => void
}

/** After the last key a typed value counts. */
const SETTLE_MS = 500

const FIELD_TYPES: Partial<Readonly<Record<Parameter['type'], 'number' | 'date'>>> = {
  number: 'number',
  object: 'number',
  user: 'number',
  date: 'date',
}

const labelOf = ({ label, name }: Parameter): string => (label === '' ? name : label)

/** A parameter of a dashboard as a field: a choice where its values are known, else a field of its type. */
export function ParameterField({ parameter, value, found, control, onValue }: Props): JSX.Element {
  const label = labelOf(parameter)
  const choices = choicesOf(parameter, found)
  if (parameter.type === 'boolean') return <Check label={label} checked={value === true} onChange={onValue} />
  if (choices.length > 0 && control !== 'text' && control !== 'search') {
    const chosen = Array.isArray(value) ? value : [value]
    if (parameter.multi)
      return (
        <Chooser
          label={label}
          choices={choices.map(({ text, value: one }) => ({ value: String(one), text }))}
          chosen={chosen.flatMap((one) => (one === null ? [] : [String(one)]))}
          onChange={(texts) => onValue(texts.map((text) => valueOf(parameter, choices, text)))}
        />
      )
    return (
      <SelectField
        label={label}
        value={value === null ? '' : String(value)}
        options={[
          ...(parameter.required && value !== null ? [] : [{ value: '', text: t('boards.all') }]),
          ...choices.map(({ text, value: one }) => ({ value: String(one), text })),
        ]}
        onValue={(text) => onValue(text === '' ? null : valueOf(parameter, choices, text))}
      />
    )
  }
  return <Typed parameter={parameter} value={value} onValue={onValue} />
}

type Choice = { readonly value: Scalar; readonly text: string }

function choicesOf({ values }: Parameter, found: readonly Scalar[] | null): readonly Choice[] {
  if (values.length > 0) return values.map(({ value, label }) => ({ value, text: label || String(value) }))
  return (found ?? []).map((value) => ({ value, text: String(value) }))
}

function valueOf(parameter: Parameter, choices: readonly Choice[], text: string): Scalar {
  return choices.find(({ value }) => String(value) === text)?.value ?? typed(parameter, text)
}

/** A field whose value counts when the user stops typing; a list has commas between its values. */
function Typed({ parameter, value, onValue }: Pick<Props, 'parameter' | 'value' | 'onValue'>): JSX.Element {
  const shown = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  const [text, setText] = useState(shown)
  const [known, setKnown] = useState(shown)
  if (known !== shown) {
    setKnown(shown)
    setText(shown)
  }
  useEffect(() => {
    if (text === shown) return
    const timer = setTimeout(() => onValue(textValue(parameter, text)), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <TextField
      label={labelOf(parameter)}
      type={parameter.multi ? 'text' : (FIELD_TYPES[parameter.type] ?? 'text')}
      value={text}
      onValue={setText}
      {...(parameter.type === 'number' && { step: 'any' })}
    />
  )
}

function textValue(parameter: Parameter, text: string): Value {
  if (text.trim() === '') return null
  if (!parameter.multi) return typed(parameter, text)
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => typed(parameter, one))
}
