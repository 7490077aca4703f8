import { expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { words as dataWords } from '../data/words.ts'
import type { Widget } from './dashboard.ts'
import { differencesOf } from './difference.ts'
import type { Compared } from './difference.ts'
import type { Known } from './field-words.ts'
import { words as boardWords } from './words.ts'

await loadWords(boardWords)
await loadWords(dataWords)

const KNOWN = {
  objects: {
    3: { id: 3, type: 'job', name: 'Outer level', deviceName: 'Gauge' },
    4: { id: 4, type: 'job', name: 'Outer level', deviceName: 'Lock' },
  },
  dataQueries: { 7: { id: 7, name: 'Sales', published: 1, parameters: [] } },
  scripts: {},
  dashboards: {},
} satisfies Known
const common = { description: '', link: null, params: {}, refresh: null, hideWhen: null }
const value = (jobId: number) =>
  ({
    ...common,
    kind: 'value',
    title: 'Level',
    source: { type: 'job', jobId, key: 'returnValue1' },
    unit: null,
    precision: null,
    thresholds: [],
    sparkline: null,
    compare: null,
  }) satisfies Widget
const text = (markdown: string) => ({ ...common, kind: 'text', title: 'Note', markdown }) satisfies Widget
const item = (widget: string, y: number) => ({ widget, x: 0, y, w: 12, h: 2 })
const version = (widgets: Readonly<Record<string, Widget>>, part: Partial<Compared['definition']> = {}) =>
  ({
    name: 'Sluices',
    description: '',
    definition: {
      schemaVersion: 1,
      parameters: [],
      timeRange: { from: '-P1D', to: 'now' },
      refresh: 'PT1M',
      timeZone: 'user',
      widgets,
      pages: [
        { id: 'main', title: '', items: Object.keys(widgets).map((id, at) => item(id, at * 2)), small: [] },
      ],
      style: { theme: 'user', background: null, file: null, cssClass: '' },
      translations: {},
      ...part,
    },
  }) satisfies Compared
/** Units follow their numbers after a space that does not break. */
const withSpaces = (given: string) => given.replaceAll(/\s/g, ' ')
const rows = (former: Compared, latest: Compared) =>
  differencesOf(former, latest, KNOWN).map(({ field, before, after }) => [
    field,
    withSpaces(before),
    withSpaces(after),
  ])

test('a field that differs has the title of its widget, its label and its values in words', () => {
  const now = version(
    {
      a: { ...value(4), sparkline: 'PT6H', thresholds: [{ from: 3, state: 'major' }] },
      b: { ...text('Open'), title: '' },
    },
    { timeRange: { from: '-P7D', to: 'now' } },
  )
  expect(rows(version({ a: value(3), b: text('Open') }), now)).toEqual([
    ['Range of time', '1 day', '7 days'],
    ['Level: Job', 'Gauge / Outer level', 'Lock / Outer level'],
    ['Level: Small history', '', '6 hr'],
    ['Text: Title', 'Note', ''],
    ['Level: thresholds 1, from', '', '3'],
    ['Level: thresholds 1, state', '', 'major'],
  ])
  expect(rows(now, now)).toEqual([])
})

test('a new widget has its fields that are not empty; a removed one moves no other', () => {
  const [both, one] = [version({ a: value(3), b: text('Open') }), version({ b: text('Open') })]
  const moved = version({ b: text('Open') })
  moved.definition.pages[0]?.items.splice(0, 1, item('b', 2))
  expect(rows(one, version({ b: text('Open'), a: value(3) }))).toEqual([
    ['Level: Type', '', 'Value'],
    ['Level: Title', '', 'Level'],
    ['Level: Source', '', 'a job'],
    ['Level: Job', '', 'Gauge / Outer level'],
    ['Level: Value of the job', '', 'returnValue1'],
    ['Level: Place', '', 'Column 1, row 3, 12 wide, 2 high'],
  ])
  expect(rows(both, moved).filter(([field]) => !field?.startsWith('Level'))).toEqual([])
})

test('excerpts of long texts begin before their first difference', () => {
  const long = 'The sluice is open. '.repeat(30)
  const [[, was, is] = []] = rows(version({ b: text(`${long}Ilse`) }), version({ b: text(`${long}Jan`) }))
  expect(was).toEndWith('The sluice is open. Ilse')
  expect(is).toStartWith('…')
  expect(is?.length).toBeLessThan(50)
})
