import type uPlot from 'uplot'

import type { Ink } from './ink.ts'
import type { Point, Span } from './points.ts'

export type Severity = 'warning' | 'minor' | 'major'
/** A limit of the value: a line with its label at the end. */
export type Limit = { readonly severity: Severity; readonly value: number; readonly text: string }
export type Marked = Span & { readonly text: string }
/** A value at a time, in ms since 1970. */
export type Mark = { readonly at: number; readonly value: number }

const DASHES: Readonly<Record<Severity, number[]>> = { major: [], minor: [7, 3], warning: [2, 3] }
const HATCH_PX = 6
const LABEL_PX = 13

type Painter = { readonly u: uPlot; readonly ink: Ink }

/** A soft ground where values are missing. */
export function paintGaps({ u, ink }: Painter, gaps: readonly Span[]): void {
  inside(u, (ctx) => {
    ctx.fillStyle = ink('--nodata')
    ctx.globalAlpha = 0.16
    for (const gap of gaps) {
      const [left, width] = across(u, gap)
      ctx.fillRect(left, u.bbox.top, width, u.bbox.height)
    }
  })
}

/** Hatched ground where maintenance was planned. */
export function paintMaintenance({ u, ink }: Painter, windows: readonly Marked[]): void {
  const ratio = devicePixelRatio
  for (const window of windows) {
    const [left, width] = across(u, window)
    if (width <= 0) continue
    inside(u, (ctx) => {
      const { top, height } = u.bbox
      ctx.beginPath()
      ctx.rect(left, top, width, height)
      ctx.clip()
      ctx.strokeStyle = ink('--maint')
      ctx.globalAlpha = 0.35
      ctx.lineWidth = ratio
      for (let x = left - height; x < left + width; x += HATCH_PX * ratio) {
        ctx.moveTo(x, top + height)
        ctx.lineTo(x + height, top)
      }
      ctx.stroke()
      ctx.globalAlpha = 1
      ctx.fillStyle = ink('--maint')
      ctx.font = font(580)
      ctx.fillText(window.text, left + 4 * ratio, top + height - 6 * ratio)
    })
  }
}

/** The lines of the limits. Their labels give way to each other. */
export function paintLimits({ u, ink }: Painter, limits: readonly Limit[]): void {
  const ratio = devicePixelRatio
  const { ctx, bbox } = u
  const right = bbox.left + bbox.width
  let free = Infinity
  const sorted = limits.toSorted((a, b) => a.value - b.value)
  for (const { severity, value, text } of sorted) {
    const y = Math.round(u.valToPos(value, 'y', true)) + 0.5
    if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) continue
    ctx.save()
    ctx.strokeStyle = ink(`--${severity}`)
    ctx.lineWidth = 1.25 * ratio
    ctx.setLineDash(DASHES[severity].map((length) => length * ratio))
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(right, y)
    ctx.stroke()
    ctx.fillStyle = ink(`--${severity}`)
    ctx.font = font(580)
    ctx.textAlign = 'start'
    ctx.textBaseline = 'middle'
    const place = Math.min(y, free - LABEL_PX * ratio)
    ctx.fillText(text, right + 6 * ratio, place)
    free = place
    ctx.restore()
  }
}

/** A line to compare the values with. */
export function paintReference({ u, ink }: Painter, points: readonly Mark[]): void {
  const ratio = devicePixelRatio
  inside(u, (ctx) => {
    ctx.strokeStyle = ink('--ink-3')
    ctx.lineWidth = 1.25 * ratio
    ctx.setLineDash([4 * ratio, 4 * ratio])
    for (const { at, value } of points) ctx.lineTo(u.valToPos(at, 'x', true), u.valToPos(value, 'y', true))
    ctx.stroke()
  })
}

/** The line of the present, and a ring at the last point. */
export function paintNow({ u, ink }: Painter, now: number, last: Point | undefined): void {
  const ratio = devicePixelRatio
  inside(u, (ctx) => {
    const x = Math.round(u.valToPos(now, 'x', true)) + 0.5
    ctx.strokeStyle = ink('--ink-2')
    ctx.lineWidth = ratio
    ctx.beginPath()
    ctx.moveTo(x, u.bbox.top)
    ctx.lineTo(x, u.bbox.top + u.bbox.height)
    ctx.stroke()
  })
  if (last === undefined) return
  const { ctx } = u
  ctx.save()
  ctx.beginPath()
  ctx.arc(u.valToPos(last.at, 'x', true), u.valToPos(last.avg, 'y', true), 3.5 * ratio, 0, 7)
  ctx.fillStyle = ink('--surface')
  ctx.strokeStyle = ink('--series-1')
  ctx.lineWidth = 2 * ratio
  ctx.fill()
  ctx.stroke()
  ctx.restore()
}

function font(weight: number): string {
  return `${weight} ${11 * devicePixelRatio}px "Hanken Grotesk", system-ui, sans-serif`
}

/** The left edge and the width of a span on the canvas. */
function across(u: uPlot, { begin, end }: Span): readonly [left: number, width: number] {
  const left = Math.max(u.bbox.left, u.valToPos(begin, 'x', true))
  const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(end, 'x', true))
  return [left, right - left]
}

function inside(u: uPlot, paint: (ctx: CanvasRenderingContext2D) => void): void {
  const { ctx, bbox } = u
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.beginPath()
  paint(ctx)
  ctx.restore()
}
