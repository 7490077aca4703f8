import { describe, expect, test } from 'bun:test'

import { definition, DEFINITION_MAX_BYTES, readDefinition } from './definition.ts'
import { translated, strayTexts } from './translations.ts'

const LINE = { kind: 'line' }
const item = (change: object) => ({ widget: 'w1', x: 0, y: 0, w: 1, h: 1, ...change })
const page = (...items: object[]) => ({ pages: [{ id: 'main', items }] })
const pages = (count: number) => ({ pages: Array.from({ length: count }, (_, at) => ({ id: `p${at}` })) })
const widgets = (count: number, one: object = LINE) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`w${at}`, one]))
const textOf = (bytes: number) => ({
  widgets: widgets(6, { kind: 'text', markdown: 'x'.repeat(Math.floor(bytes / 6)) }),
})

const ahead = (length: string) => ({
  kind: 'value',
  source: { type: 'forecast', forecastId: 1, ahead: length },
})

function pointersOf(given: object): string[] {
  const { error } = definition.safeParse({ widgets: { w1: LINE, w2: LINE }, ...given })
  return [...new Set((error?.issues ?? []).map(({ path }) => path.join('/')))]
}

describe('a definition is refused', () => {
  const rows: [title: string, given: object, ...pointers: string[]][] = [
    [
      'items that overlap',
      page(item({ w: 4, h: 2 }), item({ widget: 'w2', x: 3, y: 1 })),
      'pages/0/items/1',
      'pages/0/items/0',
    ],
    ['an item without a widget', page(item({ widget: 'w9' })), 'pages/0/items/0/widget'],
    ['a widget in two places', page(item({}), item({ x: 5 })), 'pages/0/items/1/widget'],
    ['a width of 13', page(item({ w: 13 })), 'pages/0/items/0/w'],
    ['an item beyond the last column', page(item({ x: 11, w: 2 })), 'pages/0/items/0/w'],
    ['21 pages', pages(21), 'pages'],
    ['a page twice', { pages: [{ id: 'a' }, { id: 'a' }] }, 'pages/1/id'],
    ['201 widgets', { widgets: widgets(201) }, 'widgets'],
    ['513 KiB', textOf(DEFINITION_MAX_BYTES + 6), ''],
    ['an unknown field', { panels: [] }, ''],
    ['an unknown field of a widget', { widgets: { w1: { kind: 'line', sql: 'x' } } }, 'widgets/w1'],
    ['an unknown kind', { widgets: { w1: { kind: 'gauge' } } }, 'widgets/w1/kind'],
    ['an id with a space', { widgets: { 'a b': LINE } }, 'widgets/a b'],
    [
      'an input of no parameter',
      { widgets: { w1: { kind: 'input', parameter: 'a', control: 'text' } } },
      'widgets/w1/parameter',
    ],
    ['a value 3651 days ahead', { widgets: { w1: ahead('P3651D') } }, 'widgets/w1/source/ahead'],
    [
      'a forecast by 11 group columns',
      {
        widgets: {
          w1: {
            kind: 'history',
            series: [{ jobId: 1 }],
            forecast: {
              forecastId: 1,
              group: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`c${at}`, at])),
            },
          },
        },
      },
      'widgets/w1/forecast/group',
    ],
    [
      'a parameter twice',
      {
        parameters: [
          { name: 'a', type: 'string' },
          { name: 'a', type: 'date' },
        ],
      },
      'parameters/1/name',
    ],
    ['an enum without values', { parameters: [{ name: 'a', type: 'enum' }] }, 'parameters/0/values'],
    ['a refresh of 4 seconds', { refresh: 'PT4.999S' }, 'refresh'],
    [
      'a script in a link',
      { widgets: { w1: { ...LINE, link: { url: 'javascript:alert(1)' } } } },
      'widgets/w1/link/url',
    ],
    ['a range that begins later', { timeRange: { from: 'P1D' } }, 'timeRange/from'],
    ['a newer schema', { schemaVersion: 2 }, 'schemaVersion'],
  ]
  for (const [title, given, ...pointers] of rows)
    test(`with ${title}`, () => expect(pointersOf(given)).toEqual(pointers))
})

describe('a definition is allowed', () => {
  const rows: [title: string, given: object][] = [
    ['widgets that touch', page(item({ w: 4, h: 2 }), item({ widget: 'w2', x: 4 }))],
    ['a widget without a place', page(item({}))],
    ['the whole width', page(item({ w: 12 }))],
    ['20 pages', pages(20)],
    ['200 widgets', { widgets: widgets(200) }],
    ['just below 512 KiB', textOf(DEFINITION_MAX_BYTES - 3_000)],
    ['a refresh of 5 seconds', { refresh: 'PT5S' }],
    ['a value 3650 days ahead', { widgets: { w1: ahead('P3650D') } }],
    ['a range of a week before an instant', { timeRange: { from: '-P7D', to: '2026-03-01T00:00:00Z' } }],
    [
      'a widget of a newer release',
      { widgets: { w1: { kind: 'unknown', original: { kind: 'gauge', max: 5 } } } },
    ],
  ]
  for (const [title, given] of rows) test(`with ${title}`, () => expect(pointersOf(given)).toEqual([]))
})

test('a stored definition that this release cannot read is null', () => {
  const stored = JSON.stringify(definition.parse({}))
  expect(readDefinition(stored)).toEqual(definition.parse({}))
  for (const wrong of ['', 'null', '[]', '{}', stored.replace('"schemaVersion":1', '"schemaVersion":2')])
    expect(readDefinition(wrong)).toBeNull()
})

describe('translations', () => {
  const given = definition.parse({
    widgets: { w1: { kind: 'text', title: 'Line', markdown: 'Hello' } },
    pages: [{ id: 'main', title: 'Overview' }],
    parameters: [{ name: 'shift', type: 'enum', values: [{ value: 'day', label: 'Day' }] }],
    translations: {
      de: {
        name: 'Werk',
        'pages.main.title': 'Übersicht',
        'widgets.w1.title': 'Linie',
        'parameters.shift.values.day': 'Tag',
        'widgets.gone.title': 'Weg',
      },
      'de-CH': { 'widgets.w1.title': 'Linie CH' },
    },
  })
  const of = (language: string) => translated({ name: 'Plant', description: '', definition: given }, language)

  test('fall back from de-CH to de, and then to the text', () => {
    const swiss = of('de-CH')
    expect(swiss).toMatchObject({ name: 'Werk', language: 'de-CH' })
    expect(swiss.definition.widgets['w1']).toMatchObject({ title: 'Linie CH', markdown: 'Hello' })
    expect(swiss.definition.pages[0]?.title).toBe('Übersicht')
    expect(swiss.definition.parameters[0]?.values[0]?.label).toBe('Tag')
    expect(swiss.definition.translations).toEqual({})
    expect(of('de-AT')).toMatchObject({ name: 'Werk', language: 'de' })
    expect(of('fr')).toMatchObject({ name: 'Plant', language: null, definition: given })
  })

  test('of texts that are gone are found', () => {
    expect(strayTexts(given)).toEqual([['translations', 'de', 'widgets.gone.title']])
  })
})
