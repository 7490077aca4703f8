import * as z from 'zod'
import { languageTag, storableText } from '../../http/text-schemas.ts'
import { refreshPace } from '../../content/settings/schema.ts'
import { fileName, id, parameterValue, scalar, text, timeRange, title, word } from './parts.ts'
import { widget } from './widgets.ts'

/** The version of the schema that this release writes. */
const SCHEMA_VERSION = 1
const WIDGETS_MAX = 200
const PAGES_MAX = 20
const PARAMETERS_MAX = 50
const CHOICES_MAX = 200
const LANGUAGES_MAX = 30
const TEXTS_MAX = 2_000
const COLUMNS = 12
const ROWS_MAX = 1_000
/** The maximum size of a definition as JSON. */
export const DEFINITION_MAX_BYTES = 512 * 1024

const TYPES = [
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'duration',
  'timeRange',
  'enum',
  'query',
  'object',
  'user',
] as const
export type ParameterType = (typeof TYPES)[number]

const parameter = z
  .strictObject({
    name: word,
    label: title,
    type: z.enum(TYPES),
    multi: z.boolean().default(false).describe('Whether the value is a list.'),
    required: z.boolean().default(false),
    hidden: z.boolean().default(false).describe('Whether requests may not set the value.'),
    default: parameterValue.default(null).meta({ examples: ['north'] }),
    values: z
      .array(z.strictObject({ value: scalar, label: title }))
      .max(CHOICES_MAX)
      .default([])
      .describe('The values of `enum`.'),
    valuesQueryId: id.nullable().default(null).describe('The data query whose first column has the values.'),
  })
  .refine(({ type, values }) => (type === 'enum') === values.length > 0, {
    path: ['values'],
    message: 'must be there for enum, and for no other type',
  })

export type Parameter = z.output<typeof parameter>

const item = z.strictObject({
  widget: word,
  x: z
    .int()
    .min(0)
    .max(COLUMNS - 1),
  y: z
    .int()
    .min(0)
    .max(ROWS_MAX - 1),
  w: z.int().min(1).max(COLUMNS),
  h: z.int().min(1).max(ROWS_MAX),
})
export type Item = z.output<typeof item>

const page = z.strictObject({
  id: word,
  title,
  items: z.array(item).max(WIDGETS_MAX).default([]),
  small: z.array(word).max(WIDGETS_MAX).default([]).describe('The order of the widgets on small screens.'),
})

const style = z.strictObject({
  theme: z.enum(['user', 'light', 'dark']).default('user'),
  background: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1f77b4')
    .nullable()
    .default(null)
    .meta({ examples: ['#f4f4f4'] }),
  file: fileName.nullable().default(null).describe('The file of a background image.'),
  cssClass: z
    .string()
    .regex(/^[\w -]{0,100}$/, 'must have letters, digits, _, - and spaces')
    .default(''),
})

const fields = z.strictObject({
  schemaVersion: z.literal(SCHEMA_VERSION).default(SCHEMA_VERSION),
  parameters: z.array(parameter).max(PARAMETERS_MAX).default([]),
  timeRange: timeRange.default({ from: '-P1D', to: 'now' }),
  refresh: refreshPace.default('PT1M'),
  timeZone: storableText.max(64).default('user').describe('`user`, `service` or an IANA time zone.'),
  widgets: z
    .record(word, widget)
    .default({})
    .describe('The widgets by their ids, which stay the same for good.')
    .meta({
      examples: [
        {
          w1: {
            kind: 'text',
            title: 'Line 1',
            description: '',
            link: null,
            params: {},
            refresh: null,
            hideWhen: null,
            markdown: 'Line 1 runs since **March**.',
          },
        },
      ],
    }),
  pages: z
    .array(page)
    .max(PAGES_MAX)
    .default([])
    .meta({
      examples: [
        [{ id: 'main', title: 'Overview', items: [{ widget: 'w1', x: 0, y: 0, w: 3, h: 2 }], small: [] }],
      ],
    }),
  style: style.default({ theme: 'user', background: null, file: null, cssClass: '' }),
  translations: z
    .record(languageTag, z.record(storableText.max(200), text))
    .default({})
    .describe('Texts by language and path, such as `name`, `pages.main.title` or `widgets.w1.title`.')
    .meta({ examples: [{ de: { name: 'Werk Nord' } }] }),
})

type Fields = z.output<typeof fields>
type Report = (path: readonly (string | number)[], message: string) => void

export const definition = fields.superRefine((given, issues) => {
  const report: Report = (path, message) => issues.addIssue({ code: 'custom', path: [...path], message })
  checkSize(given, report)
  checkParameters(given, report)
  checkPages(given, report)
})
/** The definition in answers, where every field is there. */
export const definitionView = definition.meta({ id: 'DashboardDefinition' })
/** The definition in bodies. */
export const definitionBody = definition.meta({ id: 'DashboardDefinitionBody' })

export type Definition = z.output<typeof definition>

function checkSize({ widgets, translations, ...rest }: Fields, report: Report): void {
  if (Object.keys(widgets).length > WIDGETS_MAX)
    report(['widgets'], `must have at most ${WIDGETS_MAX} widgets`)
  if (Object.keys(translations).length > LANGUAGES_MAX)
    report(['translations'], `must have at most ${LANGUAGES_MAX} languages`)
  for (const [language, texts] of Object.entries(translations))
    if (Object.keys(texts).length > TEXTS_MAX)
      report(['translations', language], `must have at most ${TEXTS_MAX} texts`)
  const bytes = new TextEncoder().encode(JSON.stringify({ widgets, translations, ...rest })).byteLength
  if (bytes > DEFINITION_MAX_BYTES) report([], `must be at most ${DEFINITION_MAX_BYTES} bytes of JSON`)
}

function checkParameters({ parameters, widgets }: Fields, report: Report): void {
  const names = parameters.map(({ name }) => name)
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) report(['parameters', index, 'name'], 'is the name of another parameter')
  for (const [key, one] of Object.entries(widgets))
    if (one.kind === 'input' && !names.includes(one.parameter))
      report(['widgets', key, 'parameter'], 'must be the name of a parameter of the dashboard')
}

function checkPages({ pages, widgets }: Fields, report: Report): void {
  const placed = new Set<string>()
  for (const [index, { id: pageId, items }] of pages.entries()) {
    if (pages.findIndex((other) => other.id === pageId) < index)
      report(['pages', index, 'id'], 'is the id of another page')
    for (const [at, one] of items.entries()) {
      const path = ['pages', index, 'items', at] as const
      if (!Object.hasOwn(widgets, one.widget)) report([...path, 'widget'], 'must be the id of a widget')
      if (placed.has(one.widget)) report([...path, 'widget'], 'has a place already')
      placed.add(one.widget)
      if (one.x + one.w > COLUMNS) report([...path, 'w'], `must end within ${COLUMNS} columns`)
      const other = items.slice(0, at).findIndex((before) => overlaps(before, one))
      if (other >= 0) {
        report([...path], `overlaps item ${other}`)
        report(['pages', index, 'items', other], `overlaps item ${at}`)
      }
    }
  }
}

function overlaps(a: Item, b: Item): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/** A stored definition; null where this release cannot read it. */
export function readDefinition(stored: string): Definition | null {
  let parsed: Partial<Definition> | null = null
  try {
    parsed = JSON.parse(stored) as Partial<Definition> | null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  // The definition was checked when it was stored.
  return isReadable(parsed) ? parsed : null
}

function isReadable(parsed: Partial<Definition> | null): parsed is Definition {
  return (
    parsed?.schemaVersion === SCHEMA_VERSION &&
    typeof parsed.widgets === 'object' &&
    Array.isArray(parsed.pages) &&
    Array.isArray(parsed.parameters)
  )
}
