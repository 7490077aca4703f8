import { numberAt, recordAt, recordsAt, textAt } from './fields.ts'
import type { Json } from './fields.ts'

const COLUMNS = 12
/** The columns of Grafana. */
const WIDTH = 24
/** Of one page; panels that are moved down have room up to 1,000. */
const ROWS_MAX = 900
const HEIGHT_MAX = 100
/** Heights of old dashboards are in pixels. */
const PIXELS = 38
const OLD_HEIGHT = 7
const HEADING_HEIGHT = 1

export type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
/** A panel with its place on 12 columns. */
export type Placed = { readonly panel: Json; readonly place: Place }

/** The panels in reading order with their places. Panels of collapsed rows follow their row. Nothing overlaps. */
export function placedPanels(dashboard: Json): Placed[] {
  const rows = recordsAt(dashboard, 'rows')
  const panels = recordsAt(dashboard, 'panels')
  return settled(panels.length === 0 && rows.length > 0 ? ofRows(rows) : ofGrid(panels))
}

function ofGrid(panels: readonly Json[]): Placed[] {
  const sorted = panels.toSorted((a, b) => placeOf(a).y - placeOf(b).y || placeOf(a).x - placeOf(b).x)
  const placed: Placed[] = []
  /** Rows that were added above by panels of collapsed rows. */
  let added = 0
  for (const panel of sorted) {
    const place = placeOf(panel)
    placed.push({ panel, place: { ...place, y: place.y + added } })
    const inside = recordsAt(panel, 'panels')
    if (textAt(panel, 'type') !== 'row' || inside.length === 0) continue
    const top = Math.min(...inside.map((one) => placeOf(one).y))
    const bottom = Math.max(...inside.map((one) => placeOf(one).y + placeOf(one).h))
    const begin = place.y + added + HEADING_HEIGHT
    for (const one of ofGrid(inside))
      placed.push({ ...one, place: { ...one.place, y: one.place.y - top + begin } })
    added += bottom - top
  }
  return placed
}

function placeOf(panel: Json): Place {
  const at = recordAt(panel, 'gridPos')
  const [x, w] = [numberAt(at, 'x', 0), numberAt(at, 'w', WIDTH)]
  const begin = clamp(Math.round((x * COLUMNS) / WIDTH), 0, COLUMNS - 1)
  const end = clamp(Math.round(((x + w) * COLUMNS) / WIDTH), begin + 1, COLUMNS)
  const isRow = textAt(panel, 'type') === 'row'
  return {
    x: isRow ? 0 : begin,
    y: Math.max(0, Math.round(numberAt(at, 'y', 0))),
    w: isRow ? COLUMNS : end - begin,
    h: isRow ? HEADING_HEIGHT : clamp(Math.round(numberAt(at, 'h', OLD_HEIGHT)), 1, HEIGHT_MAX),
  }
}

/** The panels of dashboards before the grid: rows of 12 columns, whose panels have spans. */
function ofRows(rows: readonly Json[]): Placed[] {
  const placed: Placed[] = []
  let top = 0
  for (const row of rows) {
    const title = textAt(row, 'title')
    if (title !== '' && (row['showTitle'] !== false || row['collapse'] === true)) {
      placed.push({
        panel: { type: 'row', title },
        place: { x: 0, y: top, w: COLUMNS, h: HEADING_HEIGHT },
      })
      top += HEADING_HEIGHT
    }
    const height = heightOf(row)
    let x = 0
    for (const panel of recordsAt(row, 'panels')) {
      const w = clamp(Math.round(numberAt(panel, 'span', COLUMNS)), 1, COLUMNS)
      if (x + w > COLUMNS) {
        x = 0
        top += height
      }
      placed.push({ panel, place: { x, y: top, w, h: height } })
      x += w
    }
    if (x > 0) top += height
  }
  return placed
}

function heightOf(row: Json): number {
  const pixels = Number.parseInt(textAt(row, 'height'), 10)
  return Number.isNaN(pixels) ? OLD_HEIGHT : clamp(Math.ceil(pixels / PIXELS), 1, HEIGHT_MAX)
}

/** Moves down each panel that overlaps one before it. */
function settled(all: readonly Placed[]): Placed[] {
  const free = Array.from({ length: COLUMNS }, () => 0)
  return all.map(({ panel, place }) => {
    const below = free.slice(place.x, place.x + place.w)
    const y = Math.max(place.y, ...below)
    free.fill(y + place.h, place.x, place.x + place.w)
    return { panel, place: { ...place, y } }
  })
}

/** Divides panels into pages of a bounded height. Each page begins at the top. */
export function pagesOf(all: readonly Placed[]): readonly (readonly Placed[])[] {
  const pages: Placed[][] = []
  let top = 0
  for (const { panel, place } of all) {
    let page = pages.at(-1)
    if (!page || place.y + place.h - top > ROWS_MAX) {
      top = place.y
      pages.push((page = []))
    }
    page.push({ panel, place: { ...place, y: Math.max(0, place.y - top) } })
  }
  return pages.map(settled)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
