import { textWidth } from '../../../monitoring/status-pages/badge.ts'
import { escaped } from '../../../monitoring/status-pages/markup.ts'

export type Theme = 'light' | 'dark'

/** Texts have a contrast of at least 4.5 with the background, series and bars of at least 3 (WCAG 2.2). */
export const COLORS = {
  light: {
    background: '#ffffff',
    text: '#1b1f24',
    quiet: '#5c6167',
    grid: '#d0d4d9',
    series: ['#1f62b5', '#b3261e', '#147a38', '#8a5a00', '#7b3fa0', '#0f7580'],
    states: { good: '#147a38', odd: '#8a5a00', bad: '#b3261e', care: '#2558b0', none: '#5c6167' },
  },
  dark: {
    background: '#14171b',
    text: '#f1f3f5',
    quiet: '#a8aeb5',
    grid: '#3b4046',
    series: ['#74a9f0', '#f08a84', '#5fcf86', '#e0ac4a', '#c79be6', '#56c7d3'],
    states: { good: '#5fcf86', odd: '#e0ac4a', bad: '#f08a84', care: '#8fb4f5', none: '#a8aeb5' },
  },
} as const

/** The size and colours of an image. */
export type Look = { readonly width: number; readonly height: number; readonly theme: Theme }

/** An area inside of an image. */
export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

const PADDING = 12
export const FONT = 12
const TITLE = 14
const MEAN_FONT = 11

/** A text at a place. */
export function textAt(content: string, { x, y, size = FONT, fill, anchor = 'start' }: TextPlace): string {
  return `<text x="${rounded(x)}" y="${rounded(y)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${escaped(content)}</text>`
}

type TextPlace = {
  readonly x: number
  readonly y: number
  readonly size?: number
  readonly fill: string
  readonly anchor?: 'start' | 'middle' | 'end'
}

/** A text that is cut to a width in pixels. */
export function fitted(content: string, width: number, size = FONT): string {
  const scale = size / MEAN_FONT
  if (textWidth(content) * scale <= width) return content
  const characters = Array.from(content)
  while (characters.length > 0 && textWidth(`${characters.join('')}…`) * scale > width) characters.pop()
  return `${characters.join('')}…`
}

/** An SVG image, and its contents as a sentence. */
export type Image = { readonly svg: string; readonly label: string }

/** An image of a widget without scripts, styles and references: a title, and contents below it.
 * @param summary the contents as a sentence, for readers who do not see them */
export function imageOf(
  look: Look,
  { title, summary }: { readonly title: string; readonly summary: string },
  contents: (area: Area) => readonly string[],
): Image {
  const { width, height, theme } = look
  const colors = COLORS[theme]
  const top = title === '' ? PADDING : PADDING + TITLE + PADDING / 2
  const area = { x: PADDING, y: top, width: width - 2 * PADDING, height: height - top - PADDING }
  const label = title === '' ? summary : `${title}: ${summary}`
  const heading =
    title === ''
      ? []
      : [
          textAt(fitted(title, area.width, TITLE), {
            x: PADDING,
            y: PADDING + TITLE - 2,
            size: TITLE,
            fill: colors.text,
          }),
        ]
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">`,
    `<title>${escaped(label)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colors.background}"/>`,
    '<g font-family="Verdana,DejaVu Sans,sans-serif">',
    ...heading,
    ...contents(area),
    '</g></svg>',
  ].join('')
  return { svg, label }
}

export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10)
}
