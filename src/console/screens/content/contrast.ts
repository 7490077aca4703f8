/** The least ratio of text to its ground (WCAG 2.2, 1.4.3). */
export const LEAST = 4.5

export type Rgb = readonly [red: number, green: number, blue: number]
type Pair = { readonly text: string; readonly ground: string; readonly ratio: number }

const PAIRS: readonly (readonly [text: string, ground: string])[] = [
  ['--ink', '--ground'],
  ['--ink', '--surface'],
  ['--ink-2', '--surface'],
  ['--ink-3', '--surface'],
  ['--accent', '--surface'],
  ['--on-accent', '--accent'],
  ['--ok', '--surface'],
  ['--warning', '--surface'],
  ['--minor', '--surface'],
  ['--major', '--surface'],
  ['--maint', '--surface'],
  ['--nodata', '--surface'],
  ['--on-state', '--major'],
]

/** The ratio of the luminances of two colours, from 1 to 21. @param one channels from 0 to 255 */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(colour: Rgb): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The pairs of public properties that are hard to read on the page as it is now, in its present theme. */
export function unreadablePairs(): readonly Pair[] {
  const probe = document.body.appendChild(document.createElement('span'))
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const colourOf = (property: string): Rgb => {
    probe.style.color = `var(${property})`
    if (context === null) return [0, 0, 0]
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
    return [red, green, blue]
  }
  const pairs = PAIRS.map(([text, ground]) => ({
    text,
    ground,
    ratio: contrastOf(colourOf(text), colourOf(ground)),
  }))
  probe.remove()
  return context === null ? [] : pairs.filter(({ ratio }) => ratio < LEAST)
}
