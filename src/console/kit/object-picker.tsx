import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { useGet } from '../api/resource.ts'
import type { Item } from '../api/client.ts'
import { t } from '../language/t.ts'
import { Field } from './controls.tsx'
import { Icon } from './icons.tsx'
import { nameOf } from './object-name.ts'

/** An object of the tree as the search finds it. */
export type Found = Item<'/root/searchPath'>
const SETTLE_MS = 120
const SHOWN_MAX = 12

/** The value as it was when it last stood still for a moment. */
function useSettled<V>(value: V): V {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Finds an object by a part of its name. */
export function ObjectPicker({
  label,
  value,
  onChange,
  type,
  error,
}: {
  readonly label: string
  readonly value: Found | null
  readonly onChange: (object: Found) => void
  readonly type?: Found['type']
  readonly error?: string | undefined
}): JSX.Element {
  const [text, setText] = useState(value ? nameOf(value) : '')
  const [isOpen, setOpen] = useState(false)
  const sought = useSettled(text.trim()).replaceAll(/[\\/*]/g, String.raw`\$&`)
  const { data } = useGet(
    '/root/searchPath',
    isOpen && sought !== ''
      ? { query: { path: `**/*${sought}*`, limit: SHOWN_MAX, ...(type ? { type } : {}) } }
      : null,
  )
  const choose = (object: Found): void => {
    setText(nameOf(object))
    setOpen(false)
    onChange(object)
  }
  return (
    <Field
      label={label}
      error={error}
      hint={value && value.path !== value.name ? value.path : t('kit.pickerHint')}
    >
      {(attributes) => (
        <div class="picker">
          <input
            class="input"
            type="search"
            autocomplete="off"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              setOpen(true)
            }}
            {...attributes}
          />
          {isOpen && data && (
            <ul class="options" aria-label={label}>
              {data.items.length === 0 && <li class="quiet">{t('kit.pickerNone')}</li>}
              {data.items.map((object) => (
                <li key={object.id}>
                  <button type="button" class="row" onClick={() => choose(object)}>
                    <Icon name={object.type === 'slc' ? 'slo' : object.type} />
                    <span class="cut">{nameOf(object)}</span>
                    <span class="faint cut end">{object.path.split('/').slice(1, -1).join(' / ')}</span>
                  </button>
                </li>
              ))}
              {data.items.length === SHOWN_MAX && <li class="quiet">{t('kit.pickerMore')}</li>}
            </ul>
          )}
        </div>
      )}
    </Field>
  )
}
