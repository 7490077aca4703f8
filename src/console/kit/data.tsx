import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

import { t } from '../language/t.ts'
import { IconButton } from './controls.tsx'
import { Icon } from './icons.tsx'
import type { IconName } from './icons.tsx'
import { toast } from './toasts.ts'

/** A part of a page with a title. */
export function Card({
  title,
  note,
  actions,
  footer,
  class: className = '',
  children,
}: {
  readonly title?: ComponentChildren
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly footer?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}): JSX.Element {
  const id = useId()
  return (
    <section class={`card ${className}`} {...(title ? { 'aria-labelledby': id } : {})}>
      {title && (
        <header>
          <h2 id={id}>{title}</h2>
          {note && (
            <span key="note" class="faint">
              {note}
            </span>
          )}
          {actions && (
            <span key="actions" class="end row">
              {actions}
            </span>
          )}
        </header>
      )}
      {children}
      {footer && <footer>{footer}</footer>}
    </section>
  )
}

/** A line without text that is as high as one with text. */
const FREE_LINE = '\u00A0'

type PageHeadProps = {
  /** Null while the way to the object is read: its line is kept free. */
  readonly crumbs?: readonly { readonly text: string; readonly href: string }[] | null
  readonly title: ComponentChildren
  readonly badge?: ComponentChildren
  /** Null for none. The line of a sentence that is being read is kept free, so that nothing moves when it comes. */
  readonly sentence?: ComponentChildren
  readonly actions?: ComponentChildren
}

/** The head of a page: where one is, its title, one sentence, and what can be done. */
export function PageHead(props: PageHeadProps): JSX.Element {
  const { crumbs = [], title, badge, sentence, actions } = props
  const hasSentence = 'sentence' in props && sentence !== null
  return (
    <header class="pagehead">
      <div class="grow">
        {crumbs === null && <div class="crumbs">{FREE_LINE}</div>}
        {crumbs !== null && crumbs.length > 0 && (
          <nav class="crumbs" aria-label={t('shell.crumbs')}>
            {crumbs.map(({ text, href }) => (
              <span key={href} class="row">
                <a href={href}>{text}</a>
                <Icon name="chevron" />
              </span>
            ))}
          </nav>
        )}
        <div class="row wrap">
          <h1>{title}</h1>
          {badge}
        </div>
        {hasSentence && <p class="say">{sentence || FREE_LINE}</p>}
      </div>
      {actions && <div class="row wrap">{actions}</div>}
    </header>
  )
}

export type Column<R> = {
  readonly key: string
  readonly title: ComponentChildren
  readonly cell: (row: R) => ComponentChildren
  /** Figures are aligned at their end. */
  readonly figures?: boolean
  /** Left out on narrow screens. */
  readonly wide?: boolean
}

/** A table. On narrow screens each row is a block: the first cell, the others with the titles of their columns, and the actions of
 * the row, whose column has a title for screen readers alone. */
export function Table<R>({
  label,
  columns,
  rows,
  keyOf,
  current,
}: {
  readonly label: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string | number
  readonly current?: string | number | null
}): JSX.Element {
  const classOf = ({ figures, wide }: Column<R>): string =>
    [figures && 'num', wide && 'hide-s'].filter(Boolean).join(' ')
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...(keyOf(row) === current ? { 'aria-current': true } : {})}>
              {columns.map((column) => (
                <td
                  key={column.key}
                  class={classOf(column)}
                  {...(typeof column.title === 'string' ? { 'data-title': column.title } : {})}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Links to the sections of a screen. */
export function Sections({
  label,
  sections,
}: {
  readonly label: string
  readonly sections: readonly { readonly text: string; readonly href: string; readonly isCurrent: boolean }[]
}): JSX.Element {
  return (
    <nav class="seg" aria-label={label}>
      {sections.map(({ text, href, isCurrent }) => (
        <a key={href} href={href} {...(isCurrent ? { 'aria-current': true } : {})}>
          {text}
        </a>
      ))}
    </nav>
  )
}

/** Names and values in two columns. */
export function KeyValues({
  rows,
}: {
  readonly rows: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}): JSX.Element {
  return (
    <dl class="kv">
      {rows.map(([name, value], at) => [<dt key={`${at}n`}>{name}</dt>, <dd key={`${at}v`}>{value}</dd>])}
    </dl>
  )
}

/** A figure with its label. */
export function Stat({
  label,
  value,
  unit,
  note,
}: {
  readonly label: ComponentChildren
  readonly value: ComponentChildren
  readonly unit?: string | undefined
  readonly note?: ComponentChildren
}): JSX.Element {
  return (
    <div class="stat">
      <span class="label">{label}</span>
      <span class="v">
        {value}
        {unit && <span class="u">{unit}</span>}
      </span>
      {note && <span class="label">{note}</span>}
    </div>
  )
}

/** Events, latest first. */
export function Feed({
  items,
}: {
  readonly items: readonly {
    readonly key: string | number
    readonly time: ComponentChildren
    readonly icon: IconName
    readonly text: ComponentChildren
  }[]
}): JSX.Element {
  return (
    <ul class="feed">
      {items.map(({ key, time, icon, text }) => (
        <li key={key}>
          {time}
          <Icon name={icon} />
          <div>{text}</div>
        </li>
      ))}
    </ul>
  )
}

/** Tabs with the panel of the chosen one; arrow keys move between them. */
export function Tabs<V extends string>({
  label,
  tabs,
  value,
  onChange,
  children,
}: {
  readonly label: string
  readonly tabs: readonly { readonly value: V; readonly text: ComponentChildren }[]
  readonly value: V
  readonly onChange: (value: V) => void
  readonly children: ComponentChildren
}): JSX.Element {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  // In a narrow window the tabs scroll sideways.
  useEffect(() => {
    const box = list.current
    const chosen = box?.querySelector<HTMLElement>('[aria-selected=true]')
    if (!box || !chosen) return
    const observer = new ResizeObserver(() => {
      box.scrollLeft = chosen.offsetLeft - (box.clientWidth - chosen.offsetWidth) / 2
    })
    observer.observe(box)
    return () => observer.disconnect()
  }, [value])
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const at = tabs.findIndex((tab) => tab.value === value)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    onChange(next.value)
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next.value}`)}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} class="tabpanel">
        {children}
      </div>
    </>
  )
}

/** Text to copy. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <IconButton icon="copy" small label={t('kit.copy')} action={() => copyText(text)} />
    </div>
  )
}

/** Copies a text, and shows a message with the result. */
export async function copyText(text: string): Promise<void> {
  // A page over HTTP has no clipboard, and the user can refuse its use.
  const isCopied = await (navigator.clipboard as Clipboard | undefined)?.writeText(text).then(
    () => true,
    () => false,
  )
  if (isCopied === true || copyByCommand(text)) toast({ text: t('kit.copied') })
  else toast({ text: t('kit.copyFailed'), isFailure: true })
}

/** Copies a text by the copy command of the browser. @returns whether the browser has copied it */
function copyByCommand(text: string): boolean {
  const put = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', put)
  // oxlint-disable-next-line typescript/no-deprecated -- no other function copies in a page over HTTP
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', put)
  return isCopied
}
