import { undeliverable, undeliverableTo } from '../../../access/rights/service.ts'
import { requireUser } from '../../../context.ts'
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
import { refusedAt, roundWithout, withRefusals } from '../round.ts'
import { deliveryOf } from '../schema.ts'
import type { DeliveryBody } from '../schema.ts'
import { readExistingIds } from '../store.ts'

/** Delivers to a job; when this resolves, the values are on stable storage. Reads no database while the caller's rights
 * are cached: the actor has everything else. With a key, a repetition within 24 hours gets the first answer again and
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
    return deliverAs(senderOf(context), ports, { jobId, body, key: key === null ? null : keyOf(caller, key) })
  })
}

/** Delivers for a sender that was authenticated in another way. The key is globally unique. */
export function deliverAs(
  sender: Sender,
  ports: Ports,
  { jobId, body, key }: { readonly jobId: number; readonly body: DeliveryBody; readonly key: string | null },
): Promise<Delivered> {
  const { jobActors } = ports
  const delivery = deliveryOf(body)
  const delivered =
    key === null
      ? jobActors.deliver(jobId, delivery, sender)
      : deliverOnce(jobActors, sender, { jobId, delivery, repeat: repeatOf(key, body) })
  return delivered.catch(async (error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found')
      throw (await unready(ports, [jobId])).get(jobId) ?? error
    throw body.returnValue !== undefined && error instanceof Refusal ? pointingIntoArray(error) : error
  })
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

/** The key as jobs store it: each caller has its own keys. */
export function keyOf(caller: Caller, key: string): string {
  return `u${caller.kind === 'user' ? caller.userId : 0} ${key}`
}

/** The record by which a job recognises a repetition, from a globally unique key. */
export async function repeatOf(key: string, body: unknown): Promise<Repeat> {
  return { key, digest: await sha256(JSON.stringify(body)) }
}

/** Delivers many items, in the given order for each job. Each item gets its own outcome; a refusal affects its item
 * only. Accepted items are on stable storage when this resolves. A series has at most `RUN_SAMPLES_MAX` samples and
 * `RUN_TEXT_MAX` characters. */
export async function deliverAll(
  context: Context,
  parcels: readonly BulkItem[],
): Promise<readonly DeliveryOutcome[]> {
  const sender = senderOf(context)
  const refusals = await undeliverable(
    context,
    parcels.map(({ jobId }) => jobId),
  )
  if (refusals.size === 0) return deliverToReady(context.ports, parcels, sender)
  const outcomes = await deliverToReady(
    context.ports,
    parcels.filter(({ jobId }) => !refusals.has(jobId)),
    sender,
  )
  const next = outcomes.values()
  return parcels.map(({ jobId }) => refusals.get(jobId) ?? next.next().value ?? NO_OUTCOME)
}

async function deliverToReady(
  ports: Ports,
  parcels: readonly BulkItem[],
  sender: Sender,
): Promise<readonly DeliveryOutcome[]> {
  const outcomes = await ports.jobActors.deliverAll(parcels, sender)
  const unknown = parcels.filter((_, place) => isUnknown(outcomes[place])).map(({ jobId }) => jobId)
  if (unknown.length === 0) return outcomes
  const waiting = await unready(ports, unknown)
  return outcomes.map((outcome, place) =>
    isUnknown(outcome) ? (waiting.get(parcels[place]?.jobId ?? 0) ?? outcome) : outcome,
  )
}

function isUnknown(outcome: DeliveryOutcome | undefined): boolean {
  return outcome instanceof Refusal && outcome.code === 'not_found'
}

/** The outcome of an item without an answer. */
export const NO_OUTCOME = new Refusal('unavailable', 'The job did not answer. Try again shortly.')

/** Delivers rounds: each value counts as a delivery of its own. Otherwise as `deliverAll`. */
export async function deliverRounds(
  context: Context,
  rounds: readonly Round[],
): Promise<readonly DeliveredRound[]> {
  const sender = senderOf(context)
  const refusals = await undeliverable(
    context,
    rounds.flatMap(({ jobIds }) => jobIds),
  )
  if (refusals.size === 0) return deliverRoundsToReady(context.ports, rounds, sender)
  const outcomes = await deliverRoundsToReady(
    context.ports,
    rounds.map((round) => roundWithout(round, refusals)),
    sender,
  )
  return outcomes.flatMap((outcome, place) => {
    const round = rounds[place]
    return round ? withRefusals(round, refusals, outcome) : []
  })
}

async function deliverRoundsToReady(
  ports: Ports,
  rounds: readonly Round[],
  sender: Sender,
): Promise<readonly DeliveredRound[]> {
  const outcomes = await ports.jobActors.deliverRounds(rounds, sender)
  const jobAt = (place: number, index: number) => rounds[place]?.jobIds[index] ?? 0
  const unknown = outcomes.flatMap(({ refused }, place) =>
    refused.flatMap(({ code, index }) => (code === 'not_found' ? jobAt(place, index) : [])),
  )
  if (unknown.length === 0) return outcomes
  const waiting = await unready(ports, unknown)
  return outcomes.map((outcome, place) => ({
    ...outcome,
    refused: outcome.refused.map((one) => {
      const refusal = one.code === 'not_found' ? waiting.get(jobAt(place, one.index)) : undefined
      return refusal ? refusedAt(one.index, refusal) : one
    }),
  }))
}

/** Why jobs that no actor knows can be delivered to later: they exist, and their actors have no configuration yet. A job that
 * does not exist has no entry. */
async function unready(
  { database, log }: Ports,
  jobIds: readonly number[],
): Promise<ReadonlyMap<number, Refusal>> {
  try {
    const existing = await readExistingIds(database, [...new Set(jobIds)])
    return new Map(existing.map((id) => [id, NOT_READY]))
  } catch (error) {
    log.error(
      'deliveries: looking for unknown jobs failed; their deliveries are refused as unavailable',
      error,
    )
    return new Map(jobIds.map((id) => [id, NOT_READY]))
  }
}

const NOT_READY = new Refusal(
  'unavailable',
  'The job is not ready for deliveries yet, because the service could not store its configuration. Try again shortly.',
)

/** @throws {Refusal} unauthenticated */
function senderOf(context: Pick<Context, 'caller'>): Sender {
  const { userId, role } = requireUser(context)
  return { userId, anyJob: role === 'administrator' }
}

/** Rewrites pointers for values that came in `returnValue`, which the actor does not know. */
export function pointingIntoArray({ code, detail, errors }: Refusal): Refusal {
  const pointer = (text: string) =>
    text.replace(/^\/returnValue(\d+)$/, (_, number) => `/returnValue/${Number(number) - 1}`)
  return new Refusal(
    code,
    detail,
    errors.map((fault) => ({ ...fault, pointer: pointer(fault.pointer) })),
  )
}
