import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { Failure } from '../api/failure.ts'
import { useAction, useSubmit } from './background.ts'
import { t } from '../language/t.ts'
import { Button, Check, IconButton, TextField } from './controls.tsx'
import { FailureNote } from './feedback.tsx'
import type { IconName } from './icons.tsx'
import { Icon } from './icons.tsx'
import { useIsGone } from './use-is-gone.ts'

/** A dialog over the page. The focus returns to where it was when the dialog closes. */
export function Dialog({
  title,
  onClose,
  footer,
  wide = false,
  full = false,
  children,
}: {
  readonly title: ComponentChildren
  /** Null for a dialog that the user cannot close. */
  readonly onClose: (() => void) | null
  readonly footer?: ComponentChildren
  readonly wide?: boolean
  /** Covers the whole page. */
  readonly full?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // The focus returns before the next frame, and takes no key that is pressed after it.
  useLayoutEffect(() => {
    const before = document.activeElement
    const shown = dialog.current
    shown?.showModal()
    return () => {
      // Below an open dialog nothing takes the focus.
      shown?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={[wide && 'wide', full && 'full'].filter(Boolean).join(' ')}
      aria-labelledby={id}
      // Chromium closes a dialog at a second Esc although the event of the first one was prevented.
      {...(onClose === null ? { closedby: 'none' } : {})}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <span class="end">
            <IconButton icon="close" small label={t('kit.close')} onClick={onClose} />
          </span>
        )}
      </header>
      <div class="pad">{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  )
}

/** Whether the user confirms a deletion although other objects use the deleted one. */
export type Forcing = { readonly isForced: boolean; readonly onChange: (isForced: boolean) => void }

/** A form in a dialog: Ctrl+Enter or the button saves; a refusal stays in the dialog with all that was typed. */
export function FormDialog({
  title,
  submit,
  danger = false,
  wide = false,
  refused,
  onSubmit,
  onClose,
  onCancel = onClose,
  cancel = t('kit.cancel'),
  forcing,
  children,
}: {
  readonly title: ComponentChildren
  /** The words of the button that saves. */
  readonly submit: string
  readonly danger?: boolean
  readonly wide?: boolean
  readonly refused?: string | undefined
  /** Saves; the dialog closes when the promise resolves. */
  readonly onSubmit: () => Promise<void>
  /** Called after a save, and when the user closes the dialog. */
  readonly onClose: () => void
  /** Called instead of `onClose` when the user closes the dialog without a save. */
  readonly onCancel?: () => void
  /** The words of the button that closes the dialog without a save. */
  readonly cancel?: string
  /** Offered below the objects that use what was to be deleted. */
  readonly forcing?: Forcing | undefined
  readonly children: (failure: Failure | null) => ComponentChildren
}): JSX.Element {
  const isGone = useIsGone()
  const formId = useId()
  const {
    failure,
    isBusy,
    submit: send,
  } = useSubmit(async () => {
    if (refused !== undefined) return
    await onSubmit()
    // Another dialog may be open by now.
    if (!isGone.current) onClose()
  })
  return (
    <Dialog
      title={title}
      onClose={onCancel}
      wide={wide}
      footer={
        <>
          <span class="grow" />
          <Button onClick={onCancel}>{cancel}</Button>
          <Button
            kind={danger ? 'danger' : 'primary'}
            type="submit"
            form={formId}
            busy={isBusy}
            refused={refused}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        class="col"
        noValidate
        onSubmit={send}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
        }}
      >
        {children(failure)}
        {failure && failure.errors.length === 0 && (
          <FailureNote failure={failure} what={t('feedback.notDone')} />
        )}
        {failure && failure.errors.length > 0 && <Refusals failure={failure} forcing={forcing} />}
      </form>
    </Dialog>
  )
}

/** The refusals of fields that the form does not draw, or the objects that use what was to be deleted. */
export function Refusals({
  failure,
  forcing,
}: {
  readonly failure: Failure
  readonly forcing?: Forcing | undefined
}): JSX.Element {
  const isUsed = failure.code === 'has_dependents'
  return (
    <div role="alert">
      {isUsed && <b>{t('feedback.stillUsed')}</b>}
      <ul class="refusals">
        {failure.elsewhere.map(({ pointer, message }) => (
          <li key={pointer}>
            {!isUsed && <code>{pointer}</code>} {message}
          </li>
        ))}
      </ul>
      {isUsed && forcing && (
        <Check label={t('kit.deleteAnyway')} checked={forcing.isForced} onChange={forcing.onChange} />
      )}
    </div>
  )
}

/** Asks before a deletion, with the number of deleted objects. For more than ten objects the user types the name. If other objects
 * use the deleted one, the dialog lists them and asks again. */
export function Confirm({
  title,
  effect,
  submit,
  typed,
  canForce = false,
  onConfirm,
  onClose,
}: {
  readonly title: string
  readonly effect: ComponentChildren
  readonly submit: string
  /** The name that must be typed before the button works. */
  readonly typed?: string | undefined
  /** Whether the service deletes an object that other objects use when the user confirms it. */
  readonly canForce?: boolean
  readonly onConfirm: (isForced: boolean) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState('')
  const [isForced, setForced] = useState(false)
  const refused = typed !== undefined && name !== typed ? t('kit.typeName', { name: typed }) : undefined
  return (
    <FormDialog
      title={title}
      submit={submit}
      danger
      refused={refused}
      forcing={canForce ? { isForced, onChange: setForced } : undefined}
      onSubmit={() => onConfirm(isForced)}
      onClose={onClose}
    >
      {() => (
        <>
          <div>{effect}</div>
          {typed !== undefined && (
            <TextField label={t('kit.typeName', { name: typed })} value={name} onValue={setName} />
          )}
        </>
      )}
    </FormDialog>
  )
}

export type MenuItem = {
  readonly text: string
  readonly icon?: IconName
  readonly danger?: boolean
  readonly refused?: string | undefined
} & (
  | { readonly run: () => void }
  | {
      /** Runs once at a time. The menu is busy meanwhile. Its failure is shown. */
      readonly action: () => Promise<unknown>
    }
)

/** A button that opens a list of actions. */
export function Menu({
  label,
  items,
  icon = 'more',
}: {
  readonly label: string
  readonly items: readonly MenuItem[]
  readonly icon?: IconName
}): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const act = useAction((action: () => Promise<unknown>) => action())
  const root = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    root.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
    const leave = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', leave)
    return () => document.removeEventListener('pointerdown', leave)
  }, [isOpen])
  const close = (): void => {
    setOpen(false)
    root.current?.querySelector<HTMLElement>('button')?.focus()
  }
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') return close()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const all = [...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[(at + step + all.length) % all.length]?.focus()
  }
  return (
    <span class="menu" ref={root} onKeyDown={isOpen ? move : undefined}>
      <IconButton
        icon={icon}
        label={label}
        busy={act.isBusy}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <ul role="menu" aria-label={label}>
          {items.map((item) => (
            <li key={item.text} role="none">
              <button
                type="button"
                role="menuitem"
                tabIndex={-1}
                class={item.danger ? 'danger' : ''}
                {...(item.refused === undefined ? {} : { 'aria-disabled': true, title: item.refused })}
                onClick={() => {
                  if (item.refused !== undefined) return
                  close()
                  if ('action' in item) act.start(item.action)
                  else item.run()
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                {item.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </span>
  )
}
