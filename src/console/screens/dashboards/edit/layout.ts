import type { Item } from '../dashboard.ts'

export type Place = Pick<Item, 'x' | 'y' | 'w' | 'h'>

export const COLUMNS = 12
const ROWS_MAX = 1_000

/** The items with one of them at another place. Items there move down, and the rest stays. */
export function placed(items: readonly Item[], widget: string, place: Place): readonly Item[] {
  const others = items.filter((item) => item.widget !== widget)
  const settled: Item[] = [{ widget, ...within(place) }]
  for (const item of others.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    let { y } = item
    for (;;) {
      const below = settled.filter((one) => overlaps({ ...item, y }, one))
      if (below.length === 0) break
      y = Math.max(...below.map((one) => one.y + one.h))
    }
    settled.push({ ...item, y })
  }
  // In their order: only what has moved differs.
  const byWidget = new Map(settled.map((item) => [item.widget, item]))
  const ids = items.some((item) => item.widget === widget)
    ? items.map((item) => item.widget)
    : [...items.map((item) => item.widget), widget]
  return ids.flatMap((id) => byWidget.get(id) ?? [])
}

/** The first free place of a size, by rows. */
export function freePlace(items: readonly Item[], { w, h }: Pick<Place, 'w' | 'h'>): Place {
  for (let y = 0; y < ROWS_MAX; y += 1)
    for (let x = 0; x + w <= COLUMNS; x += 1) {
      const place = { x, y, w, h }
      if (!items.some((item) => overlaps(item, place))) return place
    }
  return { x: 0, y: ROWS_MAX - h, w, h }
}

/** A place within the grid. */
function within({ x, y, w, h }: Place): Place {
  const width = between(w, 1, COLUMNS)
  const height = between(h, 1, ROWS_MAX)
  return {
    x: between(x, 0, COLUMNS - width),
    y: between(y, 0, ROWS_MAX - 1),
    w: width,
    h: height,
  }
}

const between = (value: number, low: number, high: number): number =>
  Math.max(low, Math.min(high, Math.round(value)))

function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

const STEPS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The place to which a key moves an item: Alt and an arrow move it, with Shift they change its size; null for other keys. */
export function keyedPlace(
  { key, altKey, shiftKey }: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey'>,
  { x, y, w, h }: Place,
): Place | null {
  const step = altKey ? STEPS[key] : undefined
  if (!step) return null
  const [right, down] = step
  if (!shiftKey) return within({ x: x + right, y: y + down, w, h })
  return within({ x, y, w: Math.min(w + right, COLUMNS - x), h: h + down })
}
