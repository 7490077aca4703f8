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

test('a value, a state and an availability are in the text for those who do not see the image', () => {
  const [value, , , , , slo] = CASES
  if (!value || !slo) throw new Error('A case is missing.')
  expect(draw({ ...value[1], title: 'Level' }, { ...value[2], unit: 'm' } as WidgetData)).toContain(
    'aria-label="Level: 12.3 m, warning"',
  )
  // Not rounded up to a full hundred.
  expect(draw({ ...slo[1], title: 'Shop' }, slo[2])).toContain('aria-label="Shop: 99.999 %, major"')
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
