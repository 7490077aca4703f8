import { describe, expect, test } from 'bun:test'

import { definition } from '../definition.ts'
import { classicDashboard, convertGrafana } from './convert.ts'
import type { Json } from './fields.ts'

const at = (x: number, y: number, w: number, h: number) => ({ gridPos: { x, y, w, h } })
const graph = (id: number, change: Json = {}): Json => ({
  id,
  type: 'timeseries',
  title: `Graph ${id}`,
  datasource: { type: 'prometheus', uid: 'abc' },
  targets: [{ refId: 'A', expr: `rate(errors_total[5m]) > ${id}` }],
  ...at(0, 0, 12, 8),
  ...change,
})

async function converted(dashboard: Json, dataSource: string | null = null) {
  const made = await convertGrafana({ title: 'Node', uid: 'n1', ...dashboard }, { dataSource })
  const boards = made.document.dashboards.map((board) => {
    const named = structuredClone(board.definition) as { widgets: Record<string, { dataQueryId?: unknown }> }
    for (const widget of Object.values(named.widgets)) if (widget.dataQueryId) widget.dataQueryId = 1
    return definition.parse(named)
  })
  const [first] = boards
  if (!first) throw new Error('There is no dashboard.')
  return { ...made, boards, first }
}

describe('files', () => {
  const saved = { title: 'Node', panels: [] }
  const rows: readonly (readonly [string, Json, Json | null])[] = [
    ['as saved', saved, saved],
    ['of the API', { meta: {}, dashboard: saved }, saved],
    ['as a resource', { apiVersion: 'v1', kind: 'Dashboard', spec: saved }, saved],
    ['with rows', { title: 'Old', rows: [] }, { title: 'Old', rows: [] }],
    ['of the second schema', { kind: 'Dashboard', spec: { elements: {}, layout: {} } }, null],
    ['of another kind', { a: 1 }, null],
  ]
  test.each(rows)('%s', (_, file, found) => expect(classicDashboard(file)).toEqual(found))
})

describe('panels', () => {
  test('a panel of a query becomes a text with its title, its description and the query', async () => {
    const { first, panels } = await converted({ panels: [graph(4, { description: 'Faults' })] })
    expect(first.widgets['panel-4']).toMatchObject({ kind: 'text', title: 'Graph 4', description: 'Faults' })
    expect(first.widgets['panel-4']).toHaveProperty(
      'markdown',
      expect.stringMatching(/^Faults\n[^]*`timeseries`[^]*```\nrate\(errors_total\[5m\]\) > 4\n```$/),
    )
    expect(panels).toMatchObject([
      { id: 4, title: 'Graph 4', type: 'timeseries', widget: 'panel-4', outcome: 'placeholder' },
    ])
    expect(panels[0]?.notes).toEqual(['Its query of prometheus cannot run here.'])
  })

  const rows: readonly (readonly [string, Json, object, string])[] = [
    ['text', { type: 'text', options: { content: '**a**' } }, { kind: 'text', markdown: '**a**' }, 'mapped'],
    ['old text', { type: 'text', content: 'b', mode: 'html' }, { kind: 'text', markdown: 'b' }, 'mapped'],
    ['row', { type: 'row', title: 'CPU *' }, { kind: 'text', markdown: String.raw`## CPU \*` }, 'mapped'],
    ['alerts', { type: 'alertlist' }, { kind: 'alarms' }, 'mapped'],
    ['clock', { type: 'grafana-clock-panel' }, { kind: 'clock' }, 'mapped'],
    ['inherited', { type: 'constructor', title: 'C' }, { kind: 'text', title: 'C' }, 'placeholder'],
    ['news', { type: 'news', title: 'News' }, { kind: 'text', title: 'News' }, 'placeholder'],
    [
      'library',
      { libraryPanel: { name: 'Shared' }, title: 'L' },
      { kind: 'text', title: 'L' },
      'placeholder',
    ],
    [
      'link',
      { type: 'text', links: [{ url: '/d/x' }, { url: 'https://example.com/a' }] },
      { kind: 'text', link: { url: 'https://example.com/a' } },
      'mapped',
    ],
  ]
  test.each(rows)('%s', async (_, panel, widget, outcome) => {
    const { first, panels } = await converted({ panels: [{ id: 1, ...panel }] })
    expect(first.widgets['panel-1']).toMatchObject(widget)
    expect(panels).toMatchObject([{ outcome }])
  })

  test('a query with fences cannot end its block, and no script of a text is lost or run', async () => {
    const { first } = await converted({
      panels: [graph(1, { targets: [{ expr: '```\n# <script>x</script>' }] })],
    })
    expect(first.widgets['panel-1']).toHaveProperty(
      'markdown',
      expect.stringContaining('````\n```\n# <script>x</script>\n````'),
    )
  })

  test('SQL without variables becomes a data query if a data source is chosen', async () => {
    const sql = (id: number, rawSql: string) =>
      graph(id, { type: 'table', title: 'Orders', targets: [{ rawSql }], datasource: 'mysql' })
    const dashboard = { panels: [sql(1, 'SELECT 1'), sql(2, 'SELECT $region'), sql(3, 'SELECT 3')] }
    const none = await converted(dashboard)
    expect(none.document.dataQueries).toEqual([])
    expect(none.panels.map(({ outcome }) => outcome)).toEqual(['placeholder', 'placeholder', 'placeholder'])
    const { document, panels } = await converted(dashboard, 'Sales')
    expect(panels.map(({ outcome }) => outcome)).toEqual(['mapped', 'placeholder', 'mapped'])
    expect(document.dataQueries.map(({ name, text, dataSource }) => [name, text, dataSource])).toEqual([
      ['Node: Orders', 'SELECT 1', 'Sales'],
      ['Node: Orders (2)', 'SELECT 3', 'Sales'],
    ])
    expect(document.dashboards[0]?.definition['widgets']).toMatchObject({
      'panel-1': { kind: 'table', dataQueryId: 'Node: Orders' },
      'panel-3': { kind: 'table', dataQueryId: 'Node: Orders (2)' },
    })
  })
})

describe('places', () => {
  test('24 columns become 12, panels of a collapsed row follow it, and nothing overlaps', async () => {
    const { first } = await converted({
      panels: [
        graph(1, at(0, 0, 5, 4)),
        graph(2, at(5, 0, 5, 4)),
        { id: 3, type: 'row', title: 'CPU', ...at(0, 4, 24, 1), panels: [graph(4, at(0, 5, 24, 6))] },
        graph(5, at(0, 5, 24, 2)),
        graph(6, at(12, 5, 12, 3)),
      ],
    })
    expect(first.pages[0]?.items.map(({ widget, x, y, w, h }) => [widget, x, y, w, h])).toEqual([
      ['panel-1', 0, 0, 3, 4],
      ['panel-2', 3, 0, 2, 4],
      ['panel-3', 0, 4, 12, 1],
      ['panel-4', 0, 5, 12, 6],
      ['panel-5', 0, 11, 12, 2],
      ['panel-6', 6, 13, 6, 3],
    ])
  })

  test('rows of old dashboards are laid out by their spans', async () => {
    const old = (id: number, span: number) => ({ id, type: 'graph', title: `G${id}`, span })
    const { first } = await converted({
      rows: [
        { title: 'Top', height: '250px', panels: [old(1, 6), old(2, 6), old(3, 4)] },
        { title: 'Hidden', showTitle: false, height: 76, panels: [old(4, 12)] },
      ],
    })
    expect(first.pages[0]?.items.map(({ x, y, w, h }) => [x, y, w, h])).toEqual([
      [0, 0, 12, 1],
      [0, 1, 6, 7],
      [6, 1, 6, 7],
      [0, 8, 4, 7],
      [0, 15, 12, 2],
    ])
  })

  test('panels beyond the bounds of a dashboard go to another one, and tall dashboards have pages', async () => {
    const panels = Array.from({ length: 450 }, (_, index) => graph(index + 1, at(0, index * 8, 24, 8)))
    const { boards, panels: report, leftOut } = await converted({ panels })
    expect(boards.map(({ widgets }) => Object.keys(widgets).length)).toEqual([200, 200, 50])
    expect(boards[0]?.pages.length).toBe(2)
    expect(report).toHaveLength(450)
    expect(leftOut).toEqual(['The panels are more than one dashboard holds: they became 3 dashboards.'])
  })
})

describe('settings', () => {
  const times: readonly (readonly [Json, Json])[] = [
    [{}, { timeRange: { from: '-P1D', to: 'now' }, refresh: 'PT1M', timeZone: 'user' }],
    [{ time: { from: 'now-6h', to: 'now' } }, { timeRange: { from: '-PT6H', to: 'now' } }],
    [{ time: { from: 'now-7d/d', to: 'now' } }, { timeRange: { from: '-P1D', to: 'now' } }],
    [
      { time: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' } },
      { timeRange: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' } },
    ],
    [
      { refresh: '30s', timezone: 'utc' },
      { refresh: 'PT30S', timeZone: 'UTC' },
    ],
    [{ refresh: '1s' }, { refresh: 'PT5S' }],
    [{ refresh: '2d' }, { refresh: 'P1D' }],
    [
      { refresh: false, timezone: 'Europe/Zurich' },
      { refresh: 'PT1M', timeZone: 'Europe/Zurich' },
    ],
  ]
  test.each(times)('%j', async (given, expected) => {
    expect((await converted({ panels: [], ...given })).first).toMatchObject(expected)
  })

  test('variables become parameters, and those that cannot are listed', async () => {
    const { first, variables } = await converted({
      panels: [],
      templating: {
        list: [
          { name: 'env', type: 'custom', query: String.raw`Test : t, p\,q`, current: { value: 't' } },
          { name: 'step', type: 'interval', query: '1m,5m', current: { value: 'auto' } },
          { name: 'job', type: 'query', multi: true, includeAll: true, current: { value: ['$__all'] } },
          { name: 'free text', type: 'textbox', query: 'x' },
          { name: 'fixed', type: 'constant', query: 'y' },
          { name: 'ds', type: 'datasource' },
          { name: 'more', type: 'adhoc' },
          { name: 'inherited', type: 'constructor' },
        ],
      },
    })
    expect(first.parameters).toMatchObject([
      {
        name: 'env',
        type: 'enum',
        default: 't',
        values: [
          { value: 't', label: 'Test' },
          { value: 'p,q', label: 'p,q' },
        ],
      },
      { name: 'step', type: 'enum', default: null },
      { name: 'job', type: 'string', multi: true, default: null },
      { name: 'free_text', type: 'string', default: 'x', hidden: false },
      { name: 'fixed', type: 'string', default: 'y', hidden: true },
    ])
    expect(variables.map(({ name, parameter }) => [name, parameter])).toEqual([
      ['env', 'env'],
      ['step', 'step'],
      ['job', 'job'],
      ['free text', 'free_text'],
      ['fixed', 'fixed'],
      ['ds', null],
      ['more', null],
      ['inherited', null],
    ])
  })

  test('annotations, links and tags are listed, and the same file has the same uuid', async () => {
    const given = {
      panels: [],
      tags: ['linux'],
      links: [{ title: 'More' }],
      annotations: { list: [{ builtIn: 1, name: 'Alerts' }, { name: 'Deployments' }] },
    }
    const [some, same, other] = await Promise.all([
      converted(given),
      converted({ ...given, title: 'Renamed' }),
      converted({ ...given, uid: 'n2' }),
    ])
    expect(some.leftOut).toEqual([
      'The annotation Deployments was left out.',
      'The link More was left out.',
      'The tags linux were left out.',
    ])
    const uuids = [some, same, other].map(({ document }) => document.dashboards[0]?.uuid)
    expect(uuids[0]).toBe(uuids[1])
    expect(uuids[2]).not.toBe(uuids[0])
  })

  test('texts that no database keeps are mended', async () => {
    const { first } = await converted({
      panels: [graph(1, { title: 'a\u0000\ud800b', targets: [{ expr: 'x\u0000' }] })],
    })
    expect(first.widgets['panel-1']).toHaveProperty('title', 'a\ufffd\ufffdb')
  })
})
