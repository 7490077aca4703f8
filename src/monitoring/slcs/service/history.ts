import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { lengthMs } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import { readCorrections, readOverlays } from '../../revaluations/overlays/service.ts'
import { coversOf, laidOver } from '../../state-history/recalc.ts'
import type { StateHistoryQuery, StateHistoryView } from '../../state-history/schema.ts'
import { readPast, readStateHistory, withApplied } from '../../state-history/service.ts'
import type { Described, StatePast } from '../../state-history/service.ts'
import { spansOf } from '../../state-history/timeline.ts'
import type { Span } from '../../state-history/timeline.ts'
import { activeSpans } from '../active-time.ts'
import { creditOf } from '../credit.ts'
import { periodAt } from '../periods.ts'
import type { Period } from '../periods.ts'
import { maintenanceRanges } from '../maintenance-steps.ts'
import { findSlc, readCounted, readMaintenanceSteps } from '../store.ts'
import type { SlcRow } from '../store.ts'
import { readEndedPeriods } from '../store/periods.ts'
import type { FrozenTerms } from '../store/periods.ts'
import { periodSpans } from '../verdict.ts'
import { badTimeOf, readCorrectedPast } from './used.ts'
import type { SlcPast as ChildrenPast } from './used.ts'

const PERIODS_MAX = 1_000

/** The state history of a container over a range; with `recalc`, its credit is computed again with all corrections of
 * the past.
 * @throws {Refusal} not_found, invalid */
export function readSlcHistory(
  context: Context,
  id: number,
  query: StateHistoryQuery,
): Promise<StateHistoryView> {
  return readStateHistory(context, { type: 'slc', id }, query, readSlcPast)
}

async function readSlcPast(
  database: Database,
  object: Described,
  asked: { readonly range: Range; readonly recalc: boolean },
): Promise<StatePast> {
  const { range } = asked
  const recorded = await readPast(database, object, { range, recalc: false })
  const slc = asked.recalc && recorded.spans.length > 0 ? await findSlc(database, object.id) : null
  if (!slc) return recorded
  const whole = { beginAt: periodAt(slc, range.beginAt).beginAt, endAt: range.endAt }
  const { overlays } = await readOverlays(database, [object.id], whole)
  if (overlays.length === 0) return recorded
  const periods = await termsIn(database, { ...slc, id: object.id }, range)
  const ids = [...new Set(periods.flatMap(({ terms }) => terms.children.map(({ id }) => id)))]
  const [past, steps, own] = await Promise.all([
    readCorrectedPast(database, object, { ids, range: whole }),
    readMaintenanceSteps(database, object.id, range),
    readCorrections(database, object.path, range),
  ])
  const judged = periods.flatMap((one) =>
    judgedIn({ ...slc, createdAt: object.createdAt }, one, past, range.endAt),
  )
  const bare = spansOf(
    judged[0]?.state ?? 'ok',
    judged.map(({ beginAt, state }) => ({ at: beginAt, to: state })),
    range,
  )
  const lived = {
    type: 'maintenance',
    adjustTo: 'undefined',
    ranges: maintenanceRanges(steps, 'maintained'),
  } as const
  const spans = laidOver(laidOver(bare, coversOf([lived])), coversOf(own))
  return { spans, revaluations: withApplied(recorded.revaluations, overlays) }
}

/** A period that is current in the range, with its terms. */
type Termed = { readonly period: Period; readonly terms: FrozenTerms }

/** The periods that are current in a range, with the terms at their ends. @throws {Refusal} invalid if there are too
 * many */
export async function termsIn(
  database: Database,
  slc: SlcRow & { readonly id: number },
  range: Range,
): Promise<readonly Termed[]> {
  const periods: Period[] = []
  for (let at = range.beginAt; at < range.endAt; at = periods.at(-1)?.endAt ?? range.endAt) {
    if (periods.length === PERIODS_MAX) throw tooMany()
    periods.push(periodAt(slc, at))
  }
  const untilAt = (periods.at(-1)?.endAt ?? range.endAt) + 1
  const page = { beginAt: range.beginAt, endAt: untilAt, limit: PERIODS_MAX }
  const [ended, children] = await Promise.all([
    readEndedPeriods(database, slc.id, page),
    readCounted(database, slc.id),
  ])
  const agreed = new Map(ended.map(({ endAt, terms }) => [endAt, terms]))
  return periods.map((period) => ({ period, terms: agreed.get(period.endAt) ?? { ...slc, children } }))
}

/** The states of a container while a period was the current one, up to an instant. */
function judgedIn(
  slc: SlcRow & { readonly createdAt: number },
  { period, terms }: Termed,
  past: ChildrenPast,
  untilAt: number,
): Span[] {
  const { activeTime, children } = terms
  const { timeZone, createdAt } = slc
  const counting = { slc: { activeTime, timeZone }, children, createdAt }
  const { bad } = badTimeOf(counting, sliced(past, period), period)
  const credit = creditOf(lengthMs(activeSpans(activeTime, timeZone, period)), terms)
  return periodSpans({ period, credit, used: { fromAt: period.beginAt, beforeMs: 0, spans: bad } }, untilAt)
}

/** The part of the past in a range, because many periods read from one long past. */
function sliced({ children, covers }: ChildrenPast, range: Range): ChildrenPast {
  return {
    children: new Map([...children].map(([id, spans]) => [id, inRange(spans, range)])),
    covers: covers.map((layer) => inRange(layer, range)),
  }
}

/** The ranges that overlap another range; the input is disjoint and in order. */
function inRange<R extends Range>(ranges: readonly R[], { beginAt, endAt }: Range): R[] {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.endAt ?? 0) > beginAt) high = middle
    else low = middle + 1
  }
  let end = low
  while ((ranges[end]?.beginAt ?? endAt) < endAt) end++
  return ranges.slice(low, end)
}

function tooMany(): Refusal {
  return new Refusal('invalid', 'The range has too much to recalculate in one request.', [
    { pointer: '?recalc', message: `would need more than ${PERIODS_MAX} periods; use a shorter range` },
  ])
}
