import type { Range } from '../../lib/range.ts'
import type { State } from '../../domain/state.ts'
import { STATES } from '../../domain/state.ts'

/** How long an object was in one state, without a change. */
export type Span = Range & { readonly state: State }

/** A state that begins at an instant and lasts until the next. */
export type StateChange = { readonly at: number; readonly to: State }

/** The states of an object over a range, without gaps: `first` at its start, then the changes in order. Neighbours
 * differ; states of zero length are dropped. */
export function spansOf(first: State, changes: readonly StateChange[], range: Range): Span[] {
  const spans: Span[] = []
  const add = (state: State, beginAt: number, endAt: number) => {
    if (endAt <= beginAt) return
    const last = spans.at(-1)
    if (last?.state === state) spans[spans.length - 1] = { ...last, endAt }
    else spans.push({ state, beginAt, endAt })
  }
  let state = first
  let from = range.beginAt
  for (const { at, to } of changes) {
    const until = Math.min(Math.max(at, from), range.endAt)
    add(state, from, until)
    state = to
    from = until
  }
  add(state, from, range.endAt)
  return spans
}

/** The share of a range in each state, from above 0 to 1. */
export type Shares = Readonly<Partial<Record<State, number>>>

export type Sample = Range & { readonly shares: Shares; readonly worst: State; readonly mostFrequent: State }

/** Ranges of equal length, the last one shorter if necessary, with the share of each state. */
export function samplesOf(spans: readonly Span[], range: Range, lengthMs: number): Sample[] {
  const samples: Sample[] = []
  let index = 0
  for (let beginAt = range.beginAt; beginAt < range.endAt; beginAt += lengthMs) {
    const endAt = Math.min(beginAt + lengthMs, range.endAt)
    const times = new Map<State, number>()
    while ((spans[index]?.endAt ?? Infinity) <= beginAt) index++
    for (let at = index; (spans[at]?.beginAt ?? Infinity) < endAt; at++) {
      const span = spans[at]
      if (span) times.set(span.state, (times.get(span.state) ?? 0) + overlapMs(span, { beginAt, endAt }))
    }
    samples.push({ beginAt, endAt, ...summaryOf(times, endAt - beginAt) })
  }
  return samples
}

function summaryOf(times: ReadonlyMap<State, number>, lengthMs: number): Omit<Sample, keyof Range> {
  const byTime = [...times].sort(([a, aMs], [b, bMs]) => bMs - aMs || STATES.indexOf(a) - STATES.indexOf(b))
  return {
    shares: Object.fromEntries([...times].map(([state, ms]) => [state, ms / lengthMs])),
    worst: STATES.find((state) => times.has(state)) ?? 'undefined',
    mostFrequent: byTime[0]?.[0] ?? 'undefined',
  }
}

/** The overlap of two ranges, ms. */
export function overlapMs(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.endAt, b.endAt) - Math.max(a.beginAt, b.beginAt))
}
