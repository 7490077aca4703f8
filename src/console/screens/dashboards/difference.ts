import { t } from '../../language/t.ts'
import type { Dashboard, Page } from './dashboard.ts'
import { isField, labelOf, textOfField } from './field-words.ts'
import type { Known, Path } from './field-words.ts'
import { titleOf } from './widget-title.ts'

/** The compared parts of a version of a dashboard. */
export type Compared = Pick<Dashboard, 'name' | 'description' | 'definition'>
/** A field that differs. An empty text stands for no value. */
export type Difference = {
  readonly key: string
  readonly field: string
  readonly before: string
  readonly after: string
}

type Fact = { readonly field: string; readonly text: string; readonly json: string }
type Facts = Map<string, Fact>
type Subject = { readonly key: string; readonly name: string; readonly kind: string }

/** The greatest length of a value that is shown as a whole. */
const TEXT_MAX = 400
/** The characters of a longer text that are shown before its first difference. */
const BEFORE_CHANGE = 40

/** The fields in which two versions differ, with the titles of their widgets and the values in words. */
export function differencesOf(before: Compared, after: Compared, known: Known): readonly Difference[] {
  const [former, latest] = [factsOf(before, known), factsOf(after, known)]
  return [...new Set([...former.keys(), ...latest.keys()])].flatMap((key) => {
    const [from, to] = [former.get(key), latest.get(key)]
    const [was, is] = [from?.text ?? '', to?.text ?? '']
    // A new widget has many empty fields.
    if (from?.json === to?.json || (hasNothing(from) && hasNothing(to))) return []
    const begin = was.length > TEXT_MAX || is.length > TEXT_MAX ? beginOf(was, is) : 0
    const field = (to ?? from)?.field ?? ''
    return [{ key, field, before: cut(was, begin), after: cut(is, begin) }]
  })
}

const NOTHING: ReadonlySet<string> = new Set(['null', '""', 'false', '[]', '{}'])
const hasNothing = (fact: Fact | undefined): boolean => fact === undefined || NOTHING.has(fact.json)

function factsOf({ name, description, definition }: Compared, known: Known): Facts {
  const facts: Facts = new Map()
  const { widgets, pages, parameters, schemaVersion: _, ...rest } = definition
  const put = (key: string, field: string, value: unknown, text: string): void =>
    void facts.set(key, { field, text, json: JSON.stringify(value) })
  put('name', t('data.name'), name, name)
  put('description', t('data.description'), description, description)
  collect(facts, { key: 'rest', name: '', kind: '' }, rest, known)
  for (const one of parameters) {
    const title = `${t('boards.parameter')} ${one.name}`
    collect(facts, { key: `parameter ${one.name}`, name: title, kind: 'parameter' }, one, known)
  }
  const titles = pages.map(({ id, title }) => title || id)
  const named = pages.map(({ id, title }) => ({ id, title }))
  put('pages', t('boards.pages'), named, titles.join(', '))
  for (const [id, widget] of Object.entries(widgets)) {
    const subject = { key: `widget ${id}`, name: titleOf(widget, known), kind: widget.kind }
    collect(facts, subject, widget, known)
    const { value, text } = placeOf(pages, id)
    put(`place ${id}`, fieldOf(subject, t('boards.place')), value, text)
  }
  for (const [at, { id, small }] of pages.entries()) {
    const order = small.flatMap((widget) => widgets[widget] ?? []).map((widget) => titleOf(widget, known))
    put(`small ${id}`, `${titles[at]}: small`, small, order.join(', '))
  }
  return facts
}

/** The place of a widget, with the title of its page if the dashboard has several pages. */
function placeOf(pages: readonly Page[], widget: string): { readonly value: unknown; readonly text: string } {
  for (const { id, title, items } of pages) {
    const item = items.find((one) => one.widget === widget)
    if (!item) continue
    const place = t('boards.placeIs', {
      column: item.x + 1,
      row: item.y + 1,
      width: item.w,
      height: item.h,
    })
    return { value: { id, ...item }, text: pages.length > 1 ? `${place} (${title || id})` : place }
  }
  return { value: null, text: '' }
}

const fieldOf = ({ name }: Subject, label: string): string => (name === '' ? label : `${name}: ${label}`)

/** Adds the fields of a part of a dashboard to the facts. */
function collect(facts: Facts, subject: Subject, part: object, known: Known): void {
  const add = (path: Path, value: unknown): void => {
    const place = { kind: subject.kind, path }
    if (hasParts(value) && !isField(place)) {
      const isList = Array.isArray(value)
      for (const [key, one] of Object.entries(value)) add([...path, isList ? Number(key) : key], one)
      return
    }
    facts.set(`${subject.key} ${path.join('.')}`, {
      field: fieldOf(subject, labelOf(place)),
      text: textOfField(place, value, known),
      json: JSON.stringify(value),
    })
  }
  add([], part)
}

/** Whether each part of a value is a field. A list of texts or numbers is one value. */
function hasParts(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const parts = Object.values(value)
  return Array.isArray(value) ? parts.some((part) => typeof part === 'object') : parts.length > 0
}

/** The index at which the excerpts of two long texts begin, shortly before their first difference. */
function beginOf(before: string, after: string): number {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  return Math.max(0, at - BEFORE_CHANGE)
}

function cut(text: string, begin: number): string {
  const part = text.slice(begin, begin + TEXT_MAX)
  const isCut = begin + TEXT_MAX < text.length
  return `${begin > 0 && part !== '' ? '…' : ''}${part}${isCut ? '…' : ''}`
}
