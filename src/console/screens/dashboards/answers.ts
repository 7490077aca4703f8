import { msOfDuration } from '../../kit/time.tsx'
import type { DashboardData, WidgetAnswer } from './dashboard.ts'

/** The pause after a failed read. */
export const RETRY_MS = 15_000

/** The time until the next read: the pace of the dashboard, or sooner where a widget asks for it. */
export function pauseOf({ next, widgets }: Pick<DashboardData, 'next' | 'widgets'>): number {
  const soonest = Object.values(widgets).map(({ retryAfter = Infinity }) => retryAfter * 1000)
  return Math.min(msOfDuration(next) ?? RETRY_MS, ...soonest)
}

/** Unchanged data have no content: the former answer stays. */
export function merged(
  former: Readonly<Record<string, WidgetAnswer>>,
  latest: DashboardData['widgets'],
): Readonly<Record<string, WidgetAnswer>> {
  return Object.fromEntries(
    Object.entries(latest).map(([id, answer]) => [
      id,
      answer.status === 304 ? (former[id] ?? answer) : answer,
    ]),
  )
}
