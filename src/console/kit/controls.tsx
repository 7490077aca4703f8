import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

import { t } from '../language/t.ts'
import { useAction } from './background.ts'
import { Icon } from './icons.tsx'
import type { IconName } from './icons.tsx'

type ButtonProps = {
  readonly kind?: 'primary' | 'ghost' | 'danger'
  readonly small?: boolean
  readonly icon?: IconName
  readonly busy?: boolean
  /** The reason for which the button cannot be used, which is its tooltip. The button stays in the tab order. */
  readonly refused?: string | undefined
  /** Runs at a click, instead of `onClick`: once at a time, and once for a double click. The button is busy meanwhile. Its failure
   * is shown. */
  readonly action?: () => Promise<unknown>
} & Omit<JSX.IntrinsicElements['button'], 'icon' | 'action'>

/** A button. A refused button stays focusable, and its tooltip gives the reason. */
export function Button({
  kind,
  small,
  icon,
  busy,
  refused,
  children,
  action,
  onClick,
  ...rest
}: ButtonProps): JSX.Element {
  const act = useAction(async () => action?.())
  const isBusy = busy === true || act.isBusy
  const classes = ['btn', kind, small && 'small', !children && icon && 'icon'].filter(Boolean).join(' ')
  const isOff = refused !== undefined || isBusy
  return (
    <button
      type="button"
      class={classes}
      {...(isOff ? { 'aria-disabled': true } : {})}
      {...(refused === undefined ? {} : { title: refused })}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else if (action === undefined) onClick?.(event)
        else if (event.detail <= 1) act.start()
      }}
      {...rest}
    >
      {isBusy ? (
        <span class={icon || !children ? 'spin' : 'spin over'} aria-hidden="true" />
      ) : (
        icon && <Icon name={icon} />
      )}
      {children}
    </button>
  )
}

/** A button that shows only an icon; the label is its name and its tooltip. */
export function IconButton({
  label,
  ...rest
}: { readonly label: string; readonly icon: IconName } & ButtonProps): JSX.Element {
  return <Button aria-label={label} title={rest.refused ?? label} kind="ghost" {...rest} />
}

/** A choice of few, one of which is pressed. */
export function Segments<V extends string>({
  label,
  options,
  value,
  onChange,
  small = false,
}: {
  readonly label: string
  readonly options: readonly { readonly value: V; readonly text: ComponentChildren }[]
  readonly value: V
  readonly onChange: (value: V) => void
  readonly small?: boolean
}): JSX.Element {
  return (
    <span class={small ? 'seg small' : 'seg'} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.text}
        </button>
      ))}
    </span>
  )
}

/** A filter that is on or off. */
export function Chip({
  pressed,
  onChange,
  children,
}: {
  readonly pressed: boolean
  readonly onChange: (pressed: boolean) => void
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <button type="button" class="chip" aria-pressed={pressed} onClick={() => onChange(!pressed)}>
      {children}
    </button>
  )
}

/** Attributes of the control itself. */
type ControlProps = {
  readonly type?:
    | 'text'
    | 'password'
    | 'email'
    | 'tel'
    | 'url'
    | 'search'
    | 'number'
    | 'date'
    | 'time'
    | 'datetime-local'
    | 'file'
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly required?: boolean
  readonly disabled?: boolean
  readonly readOnly?: boolean
  readonly placeholder?: string
  readonly inputMode?: 'numeric' | 'decimal' | 'text'
  readonly min?: string | number
  readonly max?: string | number
  readonly step?: string | number
  readonly maxLength?: number
  readonly list?: string
  readonly name?: string
  readonly tabIndex?: number
  readonly spellcheck?: boolean
  readonly 'aria-label'?: string
  readonly onBlur?: () => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

type FieldProps = {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly class?: string
}

/** A label, its control, a hint and the refusal of the service. */
export function Field({
  label,
  hint,
  error,
  class: className = '',
  children,
}: FieldProps & {
  /** Draws the control with the attributes that connect it to its label, hint and error. */
  readonly children: (attributes: {
    id: string
    'aria-describedby'?: string
    'aria-invalid'?: boolean
  }) => ComponentChildren
}): JSX.Element {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class={`field ${className}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span class="err" id={`${id}-error`}>
          <Icon name="info" />
          {error}
        </span>
      )}
    </div>
  )
}

/** A text field with label, hint and error. */
export function TextField({
  label,
  hint,
  error,
  value,
  onValue,
  unit,
  class: className,
  ...rest
}: FieldProps & {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly unit?: string | undefined
} & ControlProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error} {...(className === undefined ? {} : { class: className })}>
      {(attributes) => {
        const input = (
          <input
            class="input"
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
            {...attributes}
            {...(rest as object)}
          />
        )
        if (unit === undefined) return input
        return (
          <span class="with-unit">
            {input}
            <span>{unit}</span>
          </span>
        )
      }}
    </Field>
  )
}

/** A choice from a list with label, hint and error. */
export function SelectField<V extends string>({
  label,
  hint,
  error,
  value,
  options,
  onValue,
  class: className,
  ...rest
}: FieldProps & {
  readonly value: V
  readonly options: readonly { readonly value: V; readonly text: string }[]
  readonly onValue: (value: V) => void
} & ControlProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error} {...(className === undefined ? {} : { class: className })}>
      {(attributes) => (
        <select
          class="input"
          value={value}
          onChange={(event) => onValue(event.currentTarget.value as V)}
          {...attributes}
          {...rest}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The options of a choice of one item by its id, or of none. */
export function itemOptions(
  items: readonly { readonly id: number; readonly name: string }[],
  none: string,
): readonly { readonly value: string; readonly text: string }[] {
  return [{ value: '', text: none }, ...items.map(({ id, name }) => ({ value: String(id), text: name }))]
}

/** The value of a choice of one item by its id; the one of none for an item that is not in the list. */
export function itemValue(
  items: readonly { readonly id: number }[],
  chosen: number | null | undefined,
): string {
  return items.some(({ id }) => id === chosen) ? String(chosen) : ''
}

export function Check({
  label,
  checked,
  onChange,
  ...rest
}: {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
} & ControlProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        {...(rest as object)}
      />
      <span>{label}</span>
    </label>
  )
}

const NAMED = new Set(['Ctrl', 'Shift', 'Enter', 'Space', 'Home', 'End', 'PgUp', 'PgDn', 'Delete'])

/** Keys as the keyboards of the language name them. */
export const keysText = (keys: string): string =>
  keys
    .split(' ')
    .map((key) => (NAMED.has(key) ? t(`kit.key.${key}`) : key))
    .join(' ')

export function Kbd({ children }: { readonly children: string }): JSX.Element {
  return <kbd>{keysText(children)}</kbd>
}
