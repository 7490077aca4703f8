import { escaped } from './markup.ts'
import type { Tone } from './shown.ts'

/** White text on these colours has a contrast of at least 4.5 (WCAG 2.2). */
const COLORS: Readonly<Record<Tone | 'label', string>> = {
  good: '#147a38',
  odd: '#8a5a00',
  bad: '#b3261e',
  care: '#2558b0',
  none: '#5c6167',
  label: '#3b4046',
}

const LABEL_MAX = 40
const PADDING = 6

/** The approximate width of a character of 11 px Verdana or DejaVu Sans; `textLength` makes it exact. */
function widthOf(character: string): number {
  if (/[\u1100-\uffff]|[\u{10000}-\u{10ffff}]/u.test(character)) return 12
  if (/[iljtfrI.,:;'|!()[\] ]/.test(character)) return 4.5
  if (/[mwMW@%]/.test(character)) return 10.5
  return /[A-ZÄÖÜ]/.test(character) ? 8 : 7
}

/** The width of a text, px. */
export function textWidth(text: string): number {
  return Math.ceil(Array.from(text).reduce((sum, character) => sum + widthOf(character), 0))
}

/** A badge as SVG: the name on the left, the value on the right. */
export function badgeOf(name: string, value: string, tone: Tone): string {
  const characters = Array.from(name)
  const label = characters.length > LABEL_MAX ? `${characters.slice(0, LABEL_MAX - 1).join('')}…` : name
  const [labelWidth, valueWidth] = [textWidth(label), textWidth(value)]
  const left = labelWidth + 2 * PADDING
  const width = left + valueWidth + 2 * PADDING
  const title = escaped(`${label}: ${value}`)
  const text = (x: number, length: number, content: string) =>
    `<text x="${x}" y="14" textLength="${length}">${escaped(content)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<rect width="${left}" height="20" fill="${COLORS.label}"/>`,
    `<rect x="${left}" width="${width - left}" height="20" fill="${COLORS[tone]}"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`,
    text(PADDING, labelWidth, label),
    text(left + PADDING, valueWidth, value),
    '</g></svg>',
  ].join('')
}
