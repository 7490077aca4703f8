import type { JSX } from 'preact'

import { Field, IconButton } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'

export type Choice<V> = { readonly value: V; readonly text: string }

/** Chosen things as chips, and a list that adds one. */
export function Chooser<V extends string | number>({
  label,
  hint,
  error,
  choices,
  chosen,
  onChange,
}: {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly choices: readonly Choice<V>[]
  readonly chosen: readonly V[]
  readonly onChange: (chosen: readonly V[]) => void
}): JSX.Element {
  const textOf = (value: V): string => choices.find((one) => one.value === value)?.text ?? `#${value}`
  const free = choices.filter(({ value }) => !chosen.includes(value))
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <div class="col">
          {chosen.length > 0 && (
            <ul class="row wrap">
              {chosen.map((value) => (
                <li key={value} class="chip">
                  <span class="cut condition-text">{textOf(value)}</span>
                  <IconButton
                    small
                    icon="close"
                    label={t('data.removeConditionNamed', { name: textOf(value) })}
                    onClick={() => onChange(chosen.filter((one) => one !== value))}
                  />
                </li>
              ))}
            </ul>
          )}
          <select
            class="input"
            value=""
            disabled={free.length === 0}
            onChange={(event) => {
              const added = free.find(({ value }) => String(value) === event.currentTarget.value)
              if (added) onChange([...chosen, added.value])
              event.currentTarget.value = ''
            }}
            {...attributes}
          >
            <option value="">{t('data.choose')}</option>
            {free.map(({ value, text }) => (
              <option key={value} value={String(value)}>
                {text}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}
