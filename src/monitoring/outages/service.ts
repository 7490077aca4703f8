import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { durationMs, durationText } from '../../lib/duration.ts'
import { decodeNumbers, pageOf } from '../../lib/paging.ts'
import { rangeOf } from '../../lib/range.ts'
import type { Range } from '../../lib/range.ts'
import { timeFormat } from '../../lib/time.ts'
import type { Database } from '../../ports/database.ts'
import { costOf } from '../slos/costs.ts'
import type { CostTerms } from '../slos/costs.ts'
import { readCostTerms } from '../slos/service.ts'
import { overlapMs } from '../state-history/timeline.ts'
import type { Span } from '../state-history/timeline.ts'
import { readPast, readSpans, revaluationView } from '../state-history/service.ts'
import type { StatePast } from '../state-history/service.ts'
import { LEVELS } from '../states/state.ts'
import type { ObjectType } from '../tree/schema.ts'
import { requireObject } from '../tree/service.ts'
import type { ObjectRow } from '../tree/service.ts'
import { isOneOf, outagesOf } from './outages.ts'
import type { Outage, OutageRules } from './outages.ts'
import type { OutagesQuery, OutageView } from './schema.ts'
import * as store from './store.ts'

/** Outages that are followed beyond the range because they may be merged. */
const JOINED_MAX = 1_000

/** The outages of an object that overlap the range, with their true begins and ends; a page of them.
 * @throws {Refusal} not_found, invalid */
export async function listOutages(
  context: Context,
  object: { readonly type: ObjectType; readonly id: number },
  query: OutagesQuery,
): Promise<{ readonly items: OutageView[]; readonly next: string | null }> {
  const { ports } = context
  const row = await requireObject(context, object.id, { type: object.type, right: 'read' })
  const askedAt = ports.clock.now()
  const now = askedAt + 1
  const range = rangeOf(query, askedAt, '?end')
  const rules = {
    states: query.states,
    minDurationMs: durationMs(query.minDuration),
    mergeGapMs: durationMs(query.mergeGap),
    split: query.split,
  }
  const placeOf = (outage: Outage): Place => [RANKS[query.sort](outage), outage.beginAt]
  const after = query.cursor === undefined ? null : decodeNumbers(query.cursor, 2)
  const past = await readWhole(ports.database, { row, rules, range, now }, query.recalc)
  const listed = outagesOf(past.spans, rules)
    .filter(({ beginAt, endAt }) => beginAt < range.endAt && endAt > range.beginAt)
    .filter((outage) => after === null || comparePlaces(placeOf(outage), after) > 0)
    .sort((a, b) => comparePlaces(placeOf(a), placeOf(b)))
  const { shown, next } = pageOf(listed, query.limit, placeOf)
  const terms = await readCostTerms(context, row)
  const items = await Promise.all(
    shown.map((outage) => viewOf(context, { row, outage, rules, now, past, terms })),
  )
  return { items, next }
}

/** The place of an outage in a list: its rank in the order, then its begin. */
type Place = readonly [rank: number, beginAt: number]

const RANKS: Readonly<Record<OutagesQuery['sort'], (outage: Outage) => number>> = {
  begin: ({ beginAt }) => beginAt,
  latest: ({ beginAt }) => -beginAt,
  state: ({ state }) => LEVELS.indexOf(state),
  duration: ({ beginAt, endAt }) => beginAt - endAt,
}

function comparePlaces([rank, beginAt]: Place, [otherRank, otherBeginAt]: Place): number {
  return rank - otherRank || beginAt - otherBeginAt
}

type OutageSearch = {
  readonly row: ObjectRow
  readonly rules: OutageRules
  readonly range: Range
  readonly now: number
}

/** The states in the range, and as much around it as its outages need. */
async function readWhole(database: Database, wanted: OutageSearch, recalc: boolean): Promise<StatePast> {
  let range: Range = await reachOf(database, wanted)
  for (;;) {
    const past: StatePast = await readPast(database, wanted.row, { range, recalc })
    // Recorded states cover whole outages; corrections may have extended an outage beyond them.
    const wider: Range | null = recalc ? widened(range, past.spans, wanted) : null
    if (!wider) return past
    range = wider
  }
}

/** The range with twice as much of the past or of the future where an outage may continue; null where none does. */
function widened(range: Range, spans: readonly Span[], { row, rules, now }: OutageSearch): Range | null {
  const bad = spans.filter(({ state }) => isOneOf(state, rules.states))
  const lengthMs = range.endAt - range.beginAt
  const firstAt = (bad[0]?.beginAt ?? Infinity) - rules.mergeGapMs
  const lastAt = (bad.at(-1)?.endAt ?? -Infinity) + rules.mergeGapMs
  const beginAt = firstAt > range.beginAt ? range.beginAt : Math.max(row.createdAt, range.beginAt - lengthMs)
  const endAt = lastAt < range.endAt ? range.endAt : Math.min(now, range.endAt + lengthMs)
  return beginAt === range.beginAt && endAt === range.endAt ? null : { beginAt, endAt }
}

/** The range, extended so that no outage in it is cut off, or merged with one outside. */
async function reachOf(database: Database, wanted: OutageSearch): Promise<Range> {
  const [beginAt, endAt] = await Promise.all([beginOf(database, wanted), endOf(database, wanted)])
  return { beginAt: Math.max(beginAt, wanted.row.createdAt), endAt: Math.min(endAt, wanted.now) }
}

async function beginOf(database: Database, { row, rules, range }: OutageSearch): Promise<number> {
  const asked = { objectId: row.id, states: rules.states }
  let { beginAt } = range
  for (let joined = 0; joined < JOINED_MAX; joined++) {
    const begun = await store.findBeginBefore(database, { ...asked, at: beginAt })
    if (begun === null) {
      // An object without an earlier change has been bad since it was created.
      const [first] = await readSpans(database, row.id, { beginAt, endAt: beginAt + 1 })
      return first && isOneOf(first.state, rules.states) ? row.createdAt : beginAt
    }
    const ended = await store.findEndAfter(database, { ...asked, at: begun })
    if (ended !== null && beginAt - ended > rules.mergeGapMs) break
    // One millisecond earlier, so that the next search finds the previous outage.
    beginAt = begun - 1
  }
  return beginAt
}

async function endOf(database: Database, { row, rules, range, now }: OutageSearch): Promise<number> {
  const asked = { objectId: row.id, states: rules.states }
  let { endAt } = range
  for (let joined = 0; joined < JOINED_MAX && endAt < now; joined++) {
    const ended = await store.findEndAfter(database, { ...asked, at: endAt })
    if (ended === null) return now
    const begun = await store.findBeginBefore(database, { ...asked, at: ended })
    if (begun !== null && begun - endAt > rules.mergeGapMs) break
    endAt = ended + 1
  }
  return endAt
}

type ShownOutages = Omit<OutageSearch, 'range'> & {
  readonly outage: Outage
  readonly past: StatePast
  readonly terms: CostTerms | null
}

async function viewOf(
  context: Context,
  { row, outage, rules, now, past, terms }: ShownOutages,
): Promise<OutageView> {
  const { ports } = context
  const { beginAt, endAt, state, segments } = outage
  const format = timeFormat(ports.settings.timeZone)
  const active = endAt === now
  const ended = (at: number) => (at === now ? null : format(at))
  // A range that ends now includes the current millisecond, which has not passed yet.
  const passed = (at: number) => (at === now ? now - 1 : at)
  const reasons = await store.readReasons(ports.database, row.id, {
    beginAt,
    endAt,
    states: rules.states,
    readable: readableBy(await rightsOf(context), 'o'),
  })
  return {
    id: `o-${row.id}-${beginAt}`,
    objectId: row.id,
    objectType: row.type,
    objectName: row.name,
    state,
    begin: format(beginAt),
    end: ended(endAt),
    duration: durationText(passed(endAt) - beginAt),
    active,
    segments: segments.map((segment) => ({
      state: segment.state,
      begin: format(segment.beginAt),
      end: ended(segment.endAt),
    })),
    reasons: [...reasons],
    cost:
      terms &&
      costOf(
        segments.map((part) => ({ ...part, endAt: passed(part.endAt) })),
        terms,
      ),
    revaluations: past.revaluations
      .filter((one) => overlapMs(one, outage) > 0 && one.appliesIn(outage))
      .map((one) => revaluationView(one, format)),
  }
}
