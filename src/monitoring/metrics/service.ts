import type { Context } from '../../context.ts'
import type { DeliveryOutcome } from '../../domain/delivery.ts'
import { statusOf } from '../../http/problem.ts'
import { Refusal } from '../../lib/errors.ts'
import { RECORDED_PER_REQUEST_MAX, recordRefusal } from '../jobs/refusals/service.ts'
import { deliverAll, deliverRounds } from '../jobs/service/deliver.ts'
import { itemsOf } from '../jobs/round.ts'
import { jobsOf } from './service/known-jobs.ts'
import { arrange, named } from './mapping.ts'
import type { Arranged, Item, Row } from './mapping.ts'
import type { Point } from './points.ts'
import { Tally } from './tally.ts'

/** Rows and items are two calls: in all they may have no more jobs than a host takes in one call. */
const JOBS_OF_BOTH_MAX = 9_000

/** Delivers the points to the jobs that they name. When this resolves, all points that are neither rejected nor skipped
 * are on stable storage.
 * @throws {Refusal} overloaded, unavailable: a part may be stored; the whole request can be repeated */
export async function takePoints(context: Context, points: readonly Point[]): Promise<Tally> {
  const tally = new Tally(points.length)
  const good = named(points, tally)
  const { rows, items } = inCalls(arrange(good, await jobsOf(context, good), tally))
  const calls = [deliverRows(context, rows, tally), deliverItems(context, items, tally)]
  const ends = await Promise.allSettled(calls)
  const [failure, other] = ends.flatMap((end) => (end.status === 'rejected' ? [end] : []))
  if (other)
    context.ports.log.error(
      'metrics: the rows and the single deliveries of a request both failed; the answer has the other failure',
      other.reason,
    )
  if (failure) throw failure.reason
  return tally
}

/** Everything as items where rows and items together have too many jobs. */
function inCalls({ rows, items }: Arranged): Arranged {
  const jobs = new Set(items.map(({ item }) => item.jobId))
  if (jobs.size === 0) return { rows, items }
  for (const { round } of rows) for (const jobId of round.jobIds) jobs.add(jobId)
  if (jobs.size <= JOBS_OF_BOTH_MAX) return { rows, items }
  const ofRows = rows.flatMap(({ round, points }) =>
    itemsOf(round, () => null).map((item, index): Item => ({ item, points: points.slice(index, index + 1) })),
  )
  return { rows: [], items: [...ofRows, ...items] }
}

async function deliverRows(context: Context, rows: readonly Row[], tally: Tally): Promise<void> {
  if (rows.length === 0) return
  const outcomes = await deliverRounds(
    context,
    rows.map(({ round }) => round),
  )
  for (const [place, { refused }] of outcomes.entries()) {
    const row = rows[place]
    if (row === undefined) continue
    for (const { index, code, detail } of refused)
      reject(context, new Refusal(code, detail), {
        jobId: row.round.jobIds[index] ?? 0,
        points: row.points.slice(index, index + 1),
        tally,
      })
  }
}

async function deliverItems(context: Context, items: readonly Item[], tally: Tally): Promise<void> {
  if (items.length === 0) return
  const outcomes: readonly DeliveryOutcome[] = await deliverAll(
    context,
    items.map(({ item }) => item),
  )
  for (const [place, outcome] of outcomes.entries()) {
    const sent = items[place]
    if (sent && outcome instanceof Refusal)
      reject(context, outcome, { jobId: sent.item.jobId, points: sent.points, tally })
  }
}

type Rejected = { readonly jobId: number; readonly points: readonly Point[]; readonly tally: Tally }

/** @throws {Refusal} the given one, if the same points may be accepted later */
function reject(context: Context, refusal: Refusal, { jobId, points, tally }: Rejected): void {
  const status = statusOf(refusal.code)
  if (status === 429 || status >= 500) throw refusal
  if (tally.rejected < RECORDED_PER_REQUEST_MAX) recordRefusal(context, jobId, refusal, inputOf(points))
  for (const point of points) tally.reject(point, why(refusal))
}

/** The first point as a delivery has it. */
function inputOf([first]: readonly Point[]): unknown {
  return { metric: first?.metric, key: first?.value, values: first?.numbers.map(({ number }) => number) }
}

function why({ detail }: Refusal): string {
  return `${detail.charAt(0).toLowerCase()}${detail.slice(1).replace(/\.$/, '')}`
}
