import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { statusOf } from '../../http/problem.ts'
import { Refusal } from '../../lib/errors.ts'
import { deliverAll } from '../jobs/service/deliver.ts'
import { bundlesOf, named, wishesOf, wishKey } from './mapping.ts'
import type { Found, Named } from './mapping.ts'
import type { Point } from './points.ts'
import { findValues } from './store.ts'
import { Tally } from './tally.ts'

/** Delivers the points to the jobs that they name. When this resolves, all points that are neither rejected nor skipped
 * are on stable storage.
 * @throws {Refusal} overloaded, unavailable: a part may be stored; the whole request can be repeated */
export async function takePoints(context: Context, points: readonly Point[]): Promise<Tally> {
  const tally = new Tally(points.length)
  const good = named(points, tally)
  const bundles = bundlesOf(good, await lookUp(context, good), tally)
  // Senders repeat requests that got no answer, and sometimes others.
  const parcels = bundles.map(({ jobId, delivery }) => ({
    jobId,
    sent: { delivery },
    repeat: null,
    isOnce: true as const,
  }))
  const answers = await deliverAll(context, parcels)
  for (const [index, answer] of answers.entries()) {
    if (!(answer instanceof Refusal)) continue
    if (mayBeRepeated(answer)) throw answer
    for (const point of bundles[index]?.points ?? []) tally.reject(point, why(answer))
  }
  return tally
}

/** Whether the same points may be accepted later. */
function mayBeRepeated({ code }: Refusal): boolean {
  const status = statusOf(code)
  return status === 429 || status >= 500
}

async function lookUp(context: Context, points: readonly Named[]): Promise<ReadonlyMap<string, Found>> {
  const wishes = wishesOf(points)
  const found = new Map<string, Found>()
  if (wishes.length === 0) return found
  const readable = readableBy(await rightsOf(context), 'o')
  for (const [index, known] of (await findValues(context.ports.database, wishes, readable)).entries()) {
    const wish = wishes[index]
    if (wish && known) found.set(wishKey(wish), known)
  }
  return found
}

function why({ detail }: Refusal): string {
  return `${detail.charAt(0).toLowerCase()}${detail.slice(1).replace(/\.$/, '')}`
}
