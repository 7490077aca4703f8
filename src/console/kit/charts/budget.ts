import { now } from '../time.tsx'

type Credits = { readonly creditTotal: number; readonly creditLeft: number }
type Period = { readonly begin: string; readonly end: string }

/** The share of the budget that is left; null without a budget. */
export function shareLeft({ creditTotal, creditLeft }: Credits): number | null {
  return creditTotal > 0 ? Math.max(0, creditLeft / creditTotal) : null
}

/** The share of a period that is left. At a steady pace the same share of the budget is left. */
export function steadyShare({ begin, end }: Period, at = now.value): number {
  const [from, to] = [Date.parse(begin), Date.parse(end)]
  return Math.min(1, Math.max(0, (to - at) / (to - from)))
}
