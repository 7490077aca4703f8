import { describe, expect, test } from 'bun:test'

import { widget as widgetSchema } from '../widgets.ts'
import type { WidgetData } from '../data/schema.ts'
import { COLORS } from './frame.ts'
import type { Look } from './frame.ts'
import { plotOf, shortNumber } from './lines.ts'
import { drawWidget, hasImage } from './widgets.ts'

const LOOK: Look = { width: 480, height: 240, theme: 'light' }
const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u0008 javascript:`
const object = {
  id: 3,
  type: 'slo',
  name: EVIL,
  state: 'major',
  permissions: { read: true, write: false, execute: false, maintain: false },
} as const
const series = {
  jobId: 3,
  key: 'returnValue1',
  name: EVIL,
  unit: EVIL,
  precision: 1,
  mode: 'avg',
  scale: 'PT1H',
  begin: '2026-01-01T00:00:00+01:00',
  end: '2026-01-01T04:00:00+01:00',
  values: [1, null, 3, 2].map((value, hour) => ({
    timestamp: `2026-01-01T0${hour}:00:00+01:00`,
    value,
    min: value,
    max: value,
    count: 1,
  })),
} as const

const CASES: readonly (readonly [string, object, WidgetData])[] = [
  [
    'value',
    { kind: 'value', source: { type: 'job', jobId: 3 } },
    {
      kind: 'value',
      value: 12.345,
      name: EVIL,
      unit: EVIL,
      precision: 1,
      at: null,
      state: 'warning',
      object,
      sparkline: series,
      before: null,
    },
  ],
  [
    'history',
    { kind: 'history', series: [{ jobId: 3 }, { jobId: 4 }] },
    { kind: 'history', series: [series, null] },
  ],
  ...['line', 'area', 'bar'].map((type): [string, object, WidgetData] => [
    type,
    { kind: 'chart', dataQueryId: 1, type, x: 'day', y: [EVIL, 'b'] },
    {
      kind: 'rows',
      columns: [
        { name: 'day', type: 'string' },
        { name: EVIL, type: 'number' },
        { name: 'b', type: 'number' },
      ] as never,
      rows: [
        [EVIL, 1, '2.5'],
        ['b', null, -3],
      ],
      truncated: false,
    },
  ]),
  [
    'slo',
    { kind: 'slo', objectId: 3 },
    {
      kind: 'slo',
      object,
      begin: series.begin,
      end: series.end,
      availability: 99.9996,
      downSeconds: 1,
      samples: [{ begin: series.begin, end: series.end, state: 'ok' }],
      creditSeconds: null,
      usedSeconds: null,
    },
  ],
]

const draw = (given: object, data: WidgetData, look: Look = LOOK) =>
  drawWidget(widgetSchema.parse({ title: EVIL, ...given }), data, look)?.svg ?? ''

describe.each(CASES)('%s', (_, given, data) => {
  test('has elements and attributes of the renderer alone, with any texts in it', async () => {
    const names = new Set<string>()
    const attributes = new Set<string>()
    await new HTMLRewriter()
      .on('*', {
        element({ tagName, attributes: own }) {
          names.add(tagName)
          for (const [name] of own) attributes.add(name)
        },
      })
      .transform(new Response(draw(given, data)))
      .text()
    for (const name of names)
      expect(['svg', 'title', 'rect', 'g', 'text', 'line', 'path', 'circle']).toContain(name)
    for (const name of attributes) expect(name).not.toMatch(/^on|href|style|src/)
    expect(draw(given, data)).not.toMatch(/<script|NaN|Infinity|undefined/)
    expect(draw(given, data)).not.toContain('\u0008')
  })

  test('stays drawable at the smallest and the largest size, also without data', () => {
    for (const look of [
      { width: 120, height: 80, theme: 'dark' },
      { width: 1_600, height: 1_000, theme: 'light' },
    ] as const)
      expect(draw(given, data, look)).not.toMatch(/NaN|Infinity|="-/)
  })
})

const bucket = (hour: string, mean: number | null, spread: number) => ({
  begin: `2026-01-01T${hour}:00+01:00`,
  end: `2026-01-01T${hour}:59+01:00`,
  mean,
  bounds: {
    80: { lower: (mean ?? 0) - spread / 2, upper: (mean ?? 0) + spread / 2 },
    95: { lower: (mean ?? 0) - spread, upper: (mean ?? 0) + spread },
  },
})
const FORECAST = {
  levels: [80, 95],
  // One over the values that there are, two behind them, one without a value, and one that is too far away.
  buckets: [
    bucket('02:00', 9, 1),
    bucket('04:00', 2, 1),
    bucket('04:20', null, 1),
    bucket('04:40', 4, 3),
    bucket('09:00', 9, 9),
  ],
}
const dashed = /<path d="([^"]*)"[^>]*stroke-dasharray="2 4"/
const area = /<path d="([^"]*Z)" fill="#1f62b5" fill-opacity="0.2"/g

test('a forecast is a dashed line with its widest interval behind the last value, a quarter of the range ahead', () => {
  const history = (forecast?: typeof FORECAST | null) =>
    draw(
      { title: 'Level', kind: 'history', series: [{ jobId: 3 }] },
      {
        kind: 'history',
        series: [{ ...series, name: 'a', unit: 'm' }],
        ...(forecast !== undefined && { forecast }),
      },
    )
  const svg = history(FORECAST)
  // The range is 00:00 to 04:00: the image ends at 05:00.
  expect(dashed.exec(svg)?.[1]?.match(/[ML]/g)).toEqual(['M', 'L'])
  expect([...svg.matchAll(area)].map(([, path = '']) => path.match(/[ML]/g)?.length)).toEqual([4])
  expect(svg).toContain('>2026-01-01 04:40<')
  expect(svg).toMatch(/aria-label="Level: a – m, → 4 \(1 – 7\)"/)
  // The axis has room for the bounds: from 1 to 7.
  expect(svg).toContain('>7<')
  for (const none of [undefined, null, { ...FORECAST, buckets: FORECAST.buckets.slice(0, 1) }]) {
    expect(history(none)).not.toContain('dasharray')
    expect(history(none)).toContain('>2026-01-01 04:00<')
  }
})

test('a chart over times has its forecast, a chart over texts and one of bars has none', () => {
  const chart = (type: string, x: string) =>
    draw(
      { title: 'Sales', kind: 'chart', dataQueryId: 1, type, x, y: ['sold'] },
      {
        kind: 'rows',
        columns: ['at', 'name', 'sold'].map((name, index) => ({
          name,
          type: (['datetime', 'string', 'number'] as const)[index] ?? 'number',
          exact: false,
        })) as never,
        rows: [
          ['2026-01-01T02:00:00Z', 'b', 3],
          ['2026-01-01T00:00:00Z', 'a', 1],
        ],
        truncated: false,
        forecast: FORECAST,
      },
    )
  for (const type of ['line', 'area']) {
    expect(dashed.exec(chart(type, 'at'))?.[1]?.match(/[ML]/g)).toEqual(['M', 'L', 'L'])
    expect(chart(type, 'at')).toMatch(/>2026-01-01 00:00<.*>2026-01-01 09:00</)
    expect(chart(type, 'name')).not.toContain('dasharray')
  }
  expect(chart('bar', 'at')).not.toContain('dasharray')
})

test('the smallest and largest values are an area that breaks at a gap, if the widget has it', () => {
  const values = series.values.map((one) => ({ ...one, ...(one.value !== null && { min: 0, max: 5 }) }))
  const svg = (band: boolean) =>
    draw(
      { kind: 'history', band, series: [{ jobId: 3 }] },
      { kind: 'history', series: [{ ...series, values }] },
    )
  // Two values behind the gap; the one before it is a stroke.
  expect([...svg(true).matchAll(area)]).toHaveLength(1)
  expect(svg(true)).toContain('stroke-opacity="0.2"')
  expect(svg(false)).not.toContain('opacity')
})

test('a value, a state and an availability are in the text for those who do not see the image', () => {
  const [value, , , , , slo] = CASES
  if (!value || !slo) throw new Error('A case is missing.')
  expect(draw({ ...value[1], title: 'Level' }, { ...value[2], unit: 'm' } as WidgetData)).toContain(
    'aria-label="Level: 12.3 m, warning"',
  )
  // Not rounded up to a full hundred.
  expect(draw({ ...slo[1], title: 'Shop' }, slo[2])).toContain('aria-label="Shop: 99.999 %, major"')
})

test('numbers as far from each other as doubles can be have a place', () => {
  const text = plotOf(
    [{ name: 'a', points: [-1.7e308, 1.7e308].map((y, x) => ({ x, y })) }],
    { x: 0, y: 0, width: 400, height: 200 },
    { theme: 'light', kind: 'line', ends: ['a', 'b'] },
  ).join('')
  expect(text).not.toMatch(/NaN|Infinity/)
  expect(text).toContain('>1.7e+308<')
})

test('a gap of a series breaks its line, and a single point is a dot', () => {
  const parts = plotOf(
    [{ name: 'a', points: [1, 2, null, 3].map((y, x) => ({ x, y })) }],
    { x: 0, y: 0, width: 400, height: 200 },
    { theme: 'light', kind: 'line', ends: ['a', 'b'] },
  )
  expect(parts.filter((part) => part.startsWith('<path'))).toHaveLength(1)
  expect(parts.filter((part) => part.startsWith('<circle'))).toHaveLength(1)
})

test.each([
  [0, '0'],
  [1, '1'],
  [0.25, '0.25'],
  [1_234, '1.23k'],
  [1_000_000, '1M'],
  [-2_500_000, '-2.5M'],
  [100, '100'],
  [0.000_001, '1.0e-6'],
  [1e18, '1.0e+18'],
])('%p on an axis is %s', (value, text) => expect(shortNumber(value)).toBe(text))

test('other widgets have no image', () => {
  expect(hasImage(widgetSchema.parse({ kind: 'line' }))).toBe(false)
  expect(hasImage(widgetSchema.parse({ kind: 'chart', dataQueryId: 1, type: 'pie', x: 'a', y: ['b'] }))).toBe(
    false,
  )
})

describe.each(['light', 'dark'] as const)('contrast of %s', (theme) => {
  const { background, text, quiet, series: lines, states } = COLORS[theme]
  test.each([text, quiet, ...Object.values(states)])('the text %s has at least 4.5', (color) =>
    expect(contrast(color, background)).toBeGreaterThanOrEqual(4.5),
  )
  test.each([...lines])('the series %s has at least 3', (color) =>
    expect(contrast(color, background)).toBeGreaterThanOrEqual(3),
  )
})

/** WCAG 2.2, contrast ratio. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
