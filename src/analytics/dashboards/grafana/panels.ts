import { ownValue } from '../../../lib/json.ts'
import { cutText } from '../../../lib/text.ts'
import { recordAt, recordsAt, textAt, titleOf } from './fields.ts'
import type { Json } from './fields.ts'
import { queriesOf } from './queries.ts'
import type { PanelQuery } from './queries.ts'

const MARKDOWN_MAX = 100_000
const DESCRIPTION_MAX = 4_000
const URL_MAX = 2_000

/** A widget that stands for a panel, and what became of the panel. */
export type MadeWidget = {
  readonly widget: Json
  readonly outcome: 'mapped' | 'placeholder'
  readonly notes: readonly string[]
  /** The SQL of a new data query that the widget shows. */
  readonly sql: string | null
}
type Made = Pick<MadeWidget, 'widget' | 'outcome' | 'notes'> & { readonly sql?: string }

/** The widget that a panel becomes: an equal one where there is one, else a text with its title, description and queries.
 * @param takesSql whether plain SQL becomes a data query */
export function widgetOf(panel: Json, { takesSql }: { readonly takesSql: boolean }): MadeWidget {
  const type = typeOf(panel)
  const make = ownValue(MAKERS, type)
  const sql = takesSql ? plainSqlOf(queriesOf(panel)) : null
  const made: Made =
    make?.(panel) ?? (sql === null ? placeholder(panel, type) : tableOf(panel, { type, sql }))
  const [link, linkNotes] = linkOf(panel)
  const description = cutText(textAt(panel, 'description'), DESCRIPTION_MAX)
  return {
    ...made,
    widget: { title: titleOf(textAt(panel, 'title')), ...(link && { link }), description, ...made.widget },
    notes: [...made.notes, ...linkNotes, ...repeatNotes(panel)],
    sql: made.sql ?? null,
  }
}

/** The type of a panel, which a panel of the library has not. */
export function typeOf(panel: Json): string {
  return titleOf(textAt(panel, 'type')) || (Object.hasOwn(panel, 'libraryPanel') ? 'libraryPanel' : 'unknown')
}

const MAKERS: Readonly<Record<string, (panel: Json) => Made>> = {
  text: (panel) => {
    const options = { ...panel, ...recordAt(panel, 'options') }
    const isHtml = textAt(options, 'mode') === 'html'
    const given = textAt(options, 'content')
    return {
      widget: { kind: 'text', markdown: cutText(given, MARKDOWN_MAX) },
      outcome: 'mapped',
      notes: [
        ...(isHtml || /<[a-z][^>]*>/i.test(given) ? ['HTML is shown as text.'] : []),
        ...(given.length > MARKDOWN_MAX ? [`The text was cut to ${MARKDOWN_MAX} characters.`] : []),
        ...(/\$\{?\w|\[\[\w/.test(given) ? ['Variables in the text are not replaced.'] : []),
      ],
    }
  },
  row: (panel) => ({
    widget: { kind: 'text', title: '', markdown: `## ${escaped(titleOf(textAt(panel, 'title')))}` },
    outcome: 'mapped',
    notes: ['A row became a heading; the panels of a collapsed row follow it.'],
  }),
  alertlist: () => ({
    widget: { kind: 'alarms' },
    outcome: 'mapped',
    notes: ['It lists all open alarms; filters of the panel were not carried over.'],
  }),
  'grafana-clock-panel': () => ({ widget: { kind: 'clock' }, outcome: 'mapped', notes: [] }),
}

function tableOf(panel: Json, { type, sql }: { readonly type: string; readonly sql: string }): Made {
  const settings = [...settingsOf(panel)]
  return {
    widget: { kind: 'table' },
    outcome: 'mapped',
    sql,
    notes: [
      ...(type === 'table' || type === 'table-old' ? [] : [`The panel ${type} became a table.`]),
      ...(settings.length > 0 ? [`Not carried over: ${settings.join(', ')}.`] : []),
    ],
  }
}

/** The SQL of a panel with one query of plain SQL. */
function plainSqlOf(queries: readonly PanelQuery[]): string | null {
  const [only, ...others] = queries
  return only?.isPlainSql === true && others.length === 0 ? only.text : null
}

function placeholder(panel: Json, type: string): Made {
  const queries = queriesOf(panel)
  const library = textAt(recordAt(panel, 'libraryPanel'), 'name')
  const description = textAt(panel, 'description')
  const lines = [
    ...(description === '' ? [] : [description, '']),
    `Panel \`${type.replaceAll('`', "'")}\` of Grafana${library === '' ? '' : `, from the library: ${escaped(library)}`}.`,
    ...queries.flatMap(({ refId, source, text }) => ['', headingOf(refId, source), '', ...fenced(text)]),
  ]
  const markdown = lines.join('\n')
  const settings = settingsOf(panel)
  return {
    widget: { kind: 'text', markdown: cutText(markdown, MARKDOWN_MAX) },
    outcome: 'placeholder',
    notes: [
      reasonOf(queries, library),
      ...(markdown.length > MARKDOWN_MAX ? [`Its text was cut to ${MARKDOWN_MAX} characters.`] : []),
      ...(settings.length > 0 ? [`Not carried over: ${settings.join(', ')}.`] : []),
    ],
  }
}

function reasonOf(queries: readonly PanelQuery[], library: string): string {
  if (library !== '') return 'The contents of a library panel are not in the file.'
  if (queries.length === 0) return 'The panel has no counterpart.'
  const sources = [...new Set(queries.map(({ source }) => source).filter((source) => source !== ''))]
  return `Its ${queries.length === 1 ? 'query' : `${queries.length} queries`} of ${sources.join(', ') || 'the default data source'} cannot run here.`
}

function headingOf(refId: string, source: string): string {
  const name = refId === '' ? 'Query' : `Query ${escaped(refId)}`
  return source === '' ? `${name}:` : `${name} (${escaped(source)}):`
}

/** A block of code that a text with fences does not end. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return [fence, text, fence]
}

/** A text without the marks of Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+!<>|]/g, String.raw`\$&`)
}

/** Settings of a panel that change its look, and that widgets do not have. */
function settingsOf(panel: Json): string[] {
  const { defaults, overrides } = recordAt(panel, 'fieldConfig')
  const has = (value: unknown) => Object.keys(Object(value) as object).length > 0
  return [
    ...(has(defaults) ? ['field options'] : []),
    ...(has(overrides) ? ['overrides'] : []),
    ...(recordsAt(panel, 'transformations').length > 0 ? ['transformations'] : []),
    ...(Object.hasOwn(panel, 'alert') ? ['an alert'] : []),
  ]
}

/** The first link of a panel that leads to a fixed address; the others are in the notes. */
function linkOf(panel: Json): [{ readonly url: string } | null, string[]] {
  const urls = recordsAt(panel, 'links').map((link) => textAt(link, 'url'))
  const index = urls.findIndex(
    (url) => /^https?:\/\//.test(url) && url.length <= URL_MAX && !/\$\{?\w/.test(url),
  )
  const others = urls.filter((_, at) => at !== index).length
  const notes = others === 0 ? [] : [`${others} ${others === 1 ? 'link was' : 'links were'} left out.`]
  const url = urls[index]
  return [url === undefined ? null : { url }, notes]
}

function repeatNotes(panel: Json): string[] {
  const repeat = textAt(panel, 'repeat')
  return repeat === '' ? [] : [`It was repeated for each value of ${titleOf(repeat)}; here it is once.`]
}
