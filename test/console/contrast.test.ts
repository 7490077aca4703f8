import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TOKENS = readFileSync(join(import.meta.dir, '../../src/console/styles/tokens.css'), 'utf8')
/** The least contrast of text, and of icons and borders of controls (WCAG 2.2, 1.4.3 and 1.4.11). */
const TEXT = 4.5
const SHAPE = 3

type Rgb = readonly [red: number, green: number, blue: number]
const PAIR =
  /--([\w-]+):\s*light-dark\(\s*oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)\s*,\s*oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)\s*\)/g

/** A colour of OKLCH in linear sRGB, clipped to its range (CSS Color 4, section 10). */
function linearOf(lightness: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  return [
    clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

const luminance = ([red, green, blue]: Rgb) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const themes = [new Map<string, Rgb>(), new Map<string, Rgb>()] as const
for (const [, name = '', ...numbers] of TOKENS.matchAll(PAIR)) {
  const [a, b, c, d, e, f] = numbers.map(Number) as [number, number, number, number, number, number]
  themes[0].set(name, linearOf(a, b, c))
  themes[1].set(name, linearOf(d, e, f))
}

const GROUNDS = ['ground', 'surface', 'raised', 'sunken']
const STATES = ['ok', 'warning', 'minor', 'major', 'maint', 'nodata']
const pairs: readonly (readonly [front: string, backs: readonly string[], least: number])[] = [
  ...['ink', 'ink-2', 'ink-3', 'accent'].map((front) => [front, [...GROUNDS, 'accent-soft'], TEXT] as const),
  ...STATES.map((front) => [front, GROUNDS, TEXT] as const),
  ['on-accent', ['accent'], TEXT],
  ['on-state', STATES, TEXT],
  ['line-strong', GROUNDS, SHAPE],
  ...[1, 2, 3, 4, 5].map((number) => [`series-${number}`, ['surface', 'sunken'], SHAPE] as const),
]

test.each(pairs)('%s stands out on %p in both themes', (front, backs, least) => {
  for (const [theme, colours] of themes.entries()) {
    for (const back of backs) {
      const [one, other] = [colours.get(front), colours.get(back)]
      if (!one || !other) throw new Error(`tokens.css has no --${front} or --${back}.`)
      const ratio = contrast(one, other)
      expect({ front, back, theme, isEnough: ratio >= least || ratio }).toEqual({
        front,
        back,
        theme,
        isEnough: true,
      })
    }
  }
})

test('the ratio is the one of WCAG: black on white is 21', () => {
  expect(contrast(linearOf(0, 0, 0), linearOf(1, 0, 0))).toBeCloseTo(21, 3)
})
