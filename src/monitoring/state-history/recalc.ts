import { cut, unionOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import type { State } from '../../domain/state.ts'
import { shownState, stateOf, stateWithoutBlame } from '../states/propagation.ts'
import type { Link, Push } from '../states/propagation.ts'
import type { SloRules } from '../states/slo-state.ts'
import { STATES } from '../../domain/state.ts'
import { shownInMaintenance } from '../states/state.ts'
import { spansOf } from './timeline.ts'
import type { Span, StateChange } from './timeline.ts'

/** A revaluation that changes states, and when it applies. */
export type Overlay = {
  readonly type: 'maintenance' | 'adjustment'
  /** The state that an adjustment sets. */
  readonly adjustTo: State
  /** Disjoint and in order. */
  readonly ranges: readonly Range[]
}

/** The effect of overlays on the states in a range. */
export type Cover = Range & { readonly becomes: State | null; readonly maintained: boolean }

/** The combined effect of overlays, which apply in the given order: maintenance marks the state below it as maintained,
 * an adjustment replaces it. Disjoint and in order. */
export function coversOf(overlays: readonly Overlay[]): Cover[] {
  const edges = overlays
    .flatMap(({ ranges }, index) =>
      ranges.flatMap(({ beginAt, endAt }) => [
        { at: beginAt, index, begins: true },
        { at: endAt, index, begins: false },
      ]),
    )
    .sort((a, b) => a.at - b.at)
  const active = new Set<number>()
  const covers: Cover[] = []
  let beginAt = Number.NEGATIVE_INFINITY
  for (const { at, index, begins } of edges) {
    if (active.size > 0 && at > beginAt) covers.push({ beginAt, endAt: at, ...effectOf(overlays, active) })
    beginAt = at
    if (begins) active.add(index)
    else active.delete(index)
  }
  return covers
}

function effectOf(overlays: readonly Overlay[], active: ReadonlySet<number>): Omit<Cover, keyof Range> {
  let lastAdjustment = -1
  let lastMaintenance = -1
  for (const index of active) {
    if (overlays[index]?.type === 'adjustment') lastAdjustment = Math.max(lastAdjustment, index)
    else lastMaintenance = Math.max(lastMaintenance, index)
  }
  return {
    becomes: overlays[lastAdjustment]?.adjustTo ?? null,
    maintained: lastMaintenance > lastAdjustment,
  }
}

/** Spans without gaps, after the covers were applied. */
export function laidOver(spans: readonly Span[], covers: readonly Cover[]): Span[] {
  if (covers.length === 0) return [...spans]
  const pieces: Span[] = []
  let next = 0
  for (const span of spans) {
    let from = span.beginAt
    while ((covers[next]?.endAt ?? Infinity) <= from) next++
    for (let index = next; from < span.endAt; index++) {
      const cover = covers[index]
      const coveredAt = Math.min(Math.max(cover?.beginAt ?? Infinity, from), span.endAt)
      const endAt = Math.min(cover?.endAt ?? Infinity, span.endAt)
      pieces.push({ state: span.state, beginAt: from, endAt: coveredAt })
      if (cover) pieces.push({ state: coveredState(span.state, cover), beginAt: coveredAt, endAt })
      from = endAt
    }
  }
  return merged(pieces)
}

function coveredState(state: State, { becomes, maintained }: Cover): State {
  const below = becomes ?? state
  return maintained ? shownInMaintenance(below) : below
}

/** The state that service level containers used for an object from an instant on; null for the object's own state. */
export type SlaChange = { readonly at: number; readonly to: State | null }

/** Spans without gaps, as service level containers counted them. */
export function slaSpans(spans: readonly Span[], changes: readonly SlaChange[]): Span[] {
  const covers = changes.flatMap(({ at, to }, index): Cover[] => {
    const endAt = changes[index + 1]?.at ?? Number.POSITIVE_INFINITY
    return to === null || endAt <= at ? [] : [{ beginAt: at, endAt, becomes: to, maintained: false }]
  })
  return laidOver(spans, covers)
}

/** When children could not deliver because of our own downtime, and the state of their parent at the start of the
 * range. */
export type IngestGaps = { readonly ranges: readonly Range[]; readonly was: State }

/** A child as its parent counts it. Before its first span it is `undefined`. */
export type CountedChild = Pick<Link, 'weight' | 'overrides'> & {
  readonly push: Push
  readonly spans: readonly Span[]
}

/** The states of a parent over a range, from the states of its children: the result that propagation would have had.
 * @param gaps.ranges disjoint and in order */
export function parentSpans(
  { rules, children }: { readonly rules: SloRules | null; readonly children: readonly CountedChild[] },
  range: Range,
  gaps: IngestGaps,
): Span[] {
  const tally = STATES.map(() => 0)
  const count = (place: number, weight: number) => (tally[place] = (tally[place] ?? 0) + weight)
  const places = children.map((child) => {
    const place = placeOf(child, 'undefined')
    count(place, child.weight)
    return place
  })
  const events = eventsIn(children, range)
  const first = stateOf(rules, tally)
  const beginsGap = gapTest(gaps, range)
  let was: State = gaps.was === 'no_data' ? 'no_data' : first
  let isGap = false
  const changes: StateChange[] = []
  for (const [number, event] of events.entries()) {
    const { at, index, place } = event
    const weight = children[index]?.weight ?? 0
    count(places[index] ?? 0, -weight)
    count((places[index] = place), weight)
    isGap ||= beginsGap(event)
    if (events[number + 1]?.at === at) continue
    const state = stateOf(rules, tally)
    was = isGap ? stateWithoutBlame(state, was) : state
    changes.push({ at, to: was })
    isGap = false
  }
  return spansOf(first, changes, range)
}

/** The index of the tally at which a child in a state counts. */
function placeOf(child: CountedChild, state: State): number {
  return STATES.indexOf(shownState(state, child.push, child.overrides))
}

/** The changes of children in a range, in order, with their states at its start. */
function eventsIn(children: readonly CountedChild[], range: Range) {
  return children
    .flatMap((child, index) =>
      child.spans
        .filter(({ beginAt, endAt }) => endAt > range.beginAt && beginAt < range.endAt)
        .map(({ beginAt, state }) => ({
          at: Math.max(beginAt, range.beginAt),
          index,
          state,
          place: placeOf(child, state),
        })),
    )
    .sort((a, b) => a.at - b.at)
}

/** Whether events, asked for in order, are of children that cannot deliver from then on. A downtime that began before
 * the range counts if it left the parent without data. */
function gapTest({ ranges, was }: IngestGaps, { beginAt }: Range) {
  let next = 0
  return ({ at, state }: { readonly at: number; readonly state: State }) => {
    while ((ranges[next]?.endAt ?? Infinity) <= at) next++
    const isWithin = (ranges[next]?.beginAt ?? Infinity) <= at
    return state === 'no_data' && isWithin && (at > beginAt || was === 'no_data')
  }
}

/** Spans without gaps, with the spans of another history in place of them within some ranges. */
export function spliced(spans: readonly Span[], others: readonly Span[], windows: readonly Range[]): Span[] {
  const isIn = (wanted: boolean): Cut[] =>
    parted(windows, spans.at(0)?.beginAt ?? 0, spans.at(-1)?.endAt ?? 0).filter(
      ({ within }) => within === wanted,
    )
  const pieces = [...cutTo(spans, isIn(false)), ...cutTo(others, isIn(true))]
  return merged(pieces.sort((a, b) => a.beginAt - b.beginAt))
}

type Cut = Range & { readonly within: boolean }

/** A range, cut at the borders of windows. */
function parted(windows: readonly Range[], beginAt: number, endAt: number): Cut[] {
  const parts: Cut[] = []
  let from = beginAt
  for (const window of unionOf(windows)) {
    const [part] = cut(window, { beginAt: from, endAt })
    if (!part) continue
    parts.push({ beginAt: from, endAt: part.beginAt, within: false }, { ...part, within: true })
    from = part.endAt
  }
  return [...parts, { beginAt: from, endAt, within: false }]
}

/** The parts of spans that are in ranges; both in order. */
function cutTo(spans: readonly Span[], ranges: readonly Range[]): Span[] {
  const pieces: Span[] = []
  let next = 0
  for (const range of ranges) {
    while ((spans[next]?.endAt ?? Infinity) <= range.beginAt) next++
    for (let index = next; (spans[index]?.beginAt ?? Infinity) < range.endAt; index++) {
      const span = spans[index]
      if (span) pieces.push(...cut(span, range).map((part) => ({ ...part, state: span.state })))
    }
  }
  return pieces
}

/** Pieces as spans, in order: empty pieces are dropped, and neighbours with the same state are merged. */
function merged(pieces: readonly Span[]): Span[] {
  const spans: Span[] = []
  for (const piece of pieces) {
    const last = spans.at(-1)
    if (piece.endAt <= piece.beginAt) continue
    if (last?.state === piece.state && last.endAt === piece.beginAt)
      spans[spans.length - 1] = { ...last, endAt: piece.endAt }
    else spans.push(piece)
  }
  return spans
}
