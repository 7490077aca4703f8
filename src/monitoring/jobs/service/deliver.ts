import { undeliverable, undeliverableTo } from '../../../access/rights/service.ts'
import type { Caller, Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { thenSync } from '../../../lib/maybe-promise.ts'
import type { MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Ports } from '../../../ports/index.ts'
import type { JobActors } from '../../../ports/job-actors.ts'
import type {
  Delivered,
  DeliveredRound,
  Delivery,
  DeliveryOutcome,
  BulkItem,
  Repeat,
  Round,
  Sender,
} from '../../../domain/delivery.ts'
import { roundWithout, withRefusals } from '../round.ts'
import { deliveryOf } from '../schema.ts'
import type { DeliveryBody } from '../schema.ts'

/** Takes a delivery; when it resolves, the values are on stable storage. Asks no database as long as the caller's rights
 * are in memory: the job's actor knows all else. Under a key a repetition within 24 hours gets the first answer again, and
 * changes nothing.
 * @throws {Refusal} as the port's `deliver`; idempotency_conflict */
export function deliver(
  context: Context,
  jobId: number,
  { body, key }: { readonly body: DeliveryBody; readonly key: string | null },
): MaybePromise<Delivered> {
  const { ports, caller } = context
  return thenSync(undeliverableTo(context, jobId), (refusal) => {
    if (refusal) throw refusal
    return deliverAs(senderOf(caller), ports, { jobId, body, key: key === null ? null : keyOf(caller, key) })
  })
}

/** As `deliver`, for a sender who proved it in another way, and a key that is nobody else's. */
export function deliverAs(
  sender: Sender,
  { jobActors }: Ports,
  { jobId, body, key }: { readonly jobId: number; readonly body: DeliveryBody; readonly key: string | null },
): Promise<Delivered> {
  const delivery = deliveryOf(body)
  const delivered =
    key === null
      ? jobActors.deliver(jobId, delivery, sender)
      : deliverOnce(jobActors, sender, { jobId, delivery, repeat: repeatOf(key, body) })
  return body.returnValue === undefined ? delivered : delivered.catch(pointIntoArray)
}

async function deliverOnce(
  jobActors: JobActors,
  sender: Sender,
  { jobId, delivery, repeat }: { jobId: number; delivery: Delivery; repeat: Promise<Repeat> },
): Promise<Delivered> {
  const [outcome] = await jobActors.deliverAll([{ jobId, sent: { delivery }, repeat: await repeat }], sender)
  if (outcome instanceof Refusal) throw outcome
  if (!outcome || 'refused' in outcome) throw new TypeError('A delivery got no delivery result.')
  return outcome
}

function pointIntoArray(error: unknown): never {
  throw error instanceof Refusal ? pointingIntoArray(error) : error
}

/** A caller's key as jobs know it: nobody meets those of another. */
export function keyOf(caller: Caller, key: string): string {
  return `u${caller.kind === 'user' ? caller.userId : 0} ${key}`
}

/** What a job knows a repetition by, from a key that is nobody else's. */
export async function repeatOf(key: string, body: unknown): Promise<Repeat> {
  return { key, digest: await sha256(JSON.stringify(body)) }
}

/** Takes many deliveries, and runs of samples, for one job in the order given. Each is answered in its place; a refusal
 * hinders no other. What is not refused is on stable storage when it resolves. A run may have `RUN_SAMPLES_MAX` samples
 * and `RUN_TEXT_MAX` characters. */
export async function deliverAll(
  context: Context,
  parcels: readonly BulkItem[],
): Promise<readonly DeliveryOutcome[]> {
  const { jobActors } = context.ports
  const sender = senderOf(context.caller)
  const refusals = await undeliverable(
    context,
    parcels.map(({ jobId }) => jobId),
  )
  if (refusals.size === 0) return jobActors.deliverAll(parcels, sender)
  const outcomes = await jobActors.deliverAll(
    parcels.filter(({ jobId }) => !refusals.has(jobId)),
    sender,
  )
  const next = outcomes.values()
  return parcels.map(({ jobId }) => refusals.get(jobId) ?? next.next().value ?? NO_OUTCOME)
}

/** Stands for an answer that did not come. */
export const NO_OUTCOME = new Refusal('unavailable', 'The job did not answer. Try again shortly.')

/** Takes one value of each of many jobs, for each round as a delivery of its own; as `deliverAll`. */
export async function deliverRounds(
  context: Context,
  rounds: readonly Round[],
): Promise<readonly DeliveredRound[]> {
  const { jobActors } = context.ports
  const sender = senderOf(context.caller)
  const refusals = await undeliverable(
    context,
    rounds.flatMap(({ jobIds }) => jobIds),
  )
  if (refusals.size === 0) return jobActors.deliverRounds(rounds, sender)
  const outcomes = await jobActors.deliverRounds(
    rounds.map((round) => roundWithout(round, refusals)),
    sender,
  )
  return outcomes.flatMap((outcome, place) => {
    const round = rounds[place]
    return round ? withRefusals(round, refusals, outcome) : []
  })
}

/** @throws {Refusal} unauthenticated */
function senderOf(caller: Caller): Sender {
  if (caller.kind !== 'user') throw new Refusal('unauthenticated', 'Sign in first.')
  return { userId: caller.userId, anyJob: caller.role === 'administrator' }
}

/** An actor knows single values only; where they came in `returnValue`, faults are there. */
export function pointingIntoArray({ code, detail, errors }: Refusal): Refusal {
  const pointer = (text: string) =>
    text.replace(/^\/returnValue(\d+)$/, (_, number) => `/returnValue/${Number(number) - 1}`)
  return new Refusal(
    code,
    detail,
    errors.map((fault) => ({ ...fault, pointer: pointer(fault.pointer) })),
  )
}
