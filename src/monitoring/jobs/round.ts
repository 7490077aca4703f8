import { Refusal } from '../../lib/errors.ts'
import type {
  Delivered,
  DeliveredRound,
  Delivery,
  DeliveryOutcome,
  BulkItem,
  RefusedRowValue,
  Repeat,
  Round,
  Value,
} from '../../domain/delivery.ts'
import { BARE } from './delivery.ts'

/** The deliveries of a round, one after the other. They share one object, which is valid until the next call. */
export function deliveriesOf({ key, timestampAt, values, errorCode }: Round): (index: number) => Delivery {
  const single: Record<string, Value> = { [key]: 0 }
  const delivery: Delivery = { ...BARE, values: single, timestampAt, errorCode: errorCode ?? null }
  return (index) => {
    single[key] = values[index] ?? 0
    return delivery
  }
}

/** A round as items of a bulk call, for actors that accept nothing else; `repeatAt` gives each its key. */
export function itemsOf(round: Round, repeatAt: (index: number) => Repeat | null): readonly BulkItem[] {
  const deliveryAt = deliveriesOf(round)
  return round.jobIds.map((jobId, index) => {
    const delivery = deliveryAt(index)
    return {
      jobId,
      sent: { delivery: { ...delivery, values: { ...delivery.values } } },
      repeat: repeatAt(index),
      ...(round.isOnce ? { isOnce: true } : {}),
    }
  })
}

/** The outcome of a round from the outcomes of its items. */
export function roundOutcome(outcomes: readonly DeliveryOutcome[]): DeliveredRound {
  const refused: RefusedRowValue[] = []
  const timeoutsLeft: number[] = []
  const kept: Delivered[] = []
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof Refusal) refused.push(refusedAt(index, outcome))
    else if (!('refused' in outcome)) {
      kept.push(outcome)
      if (outcome.leavesTimeout) timeoutsLeft.push(index)
    }
  }
  const late = kept.filter((one) => one.late).length
  const isReplayed = kept.length > 0 && kept.every(({ replayed }) => replayed === true)
  return {
    accepted: kept.length,
    late,
    refused,
    ...(timeoutsLeft.length > 0 ? { timeoutsLeft } : {}),
    ...(isReplayed ? { replayed: true } : {}),
  }
}

/** A round without the jobs that were refused. */
export function roundWithout(round: Round, refusals: ReadonlyMap<number, Refusal>): Round {
  const isLeft = round.jobIds.map((jobId) => !refusals.has(jobId))
  return {
    ...round,
    jobIds: round.jobIds.filter((_, index) => isLeft[index]),
    values: round.values.filter((_, index) => isLeft[index]),
  }
}

/** The outcome of a whole round from the outcome of its remaining part. */
export function withRefusals(
  { jobIds }: Round,
  refusals: ReadonlyMap<number, Refusal>,
  outcome: DeliveredRound,
): DeliveredRound {
  const left: number[] = []
  const refused: RefusedRowValue[] = []
  for (const [index, jobId] of jobIds.entries()) {
    const refusal = refusals.get(jobId)
    if (refusal) refused.push(refusedAt(index, refusal))
    else left.push(index)
  }
  const moved = outcomeAt(outcome, left)
  return { ...moved, refused: [...refused, ...moved.refused].sort((a, b) => a.index - b.index) }
}

/** The outcome of a part of a round, with the indexes of the whole round. */
export function outcomeAt(outcome: DeliveredRound, places: readonly number[]): DeliveredRound {
  const placeOf = (index: number) => places[index] ?? index
  const { refused, timeoutsLeft } = outcome
  return {
    ...outcome,
    refused: refused.map((one) => ({ ...one, index: placeOf(one.index) })),
    ...(timeoutsLeft ? { timeoutsLeft: timeoutsLeft.map(placeOf) } : {}),
  }
}

export function refusedAt(index: number, { code, detail }: Refusal): RefusedRowValue {
  return { index, code, detail }
}

/** The values of a round at these places. */
export function partOf(round: Round, places: readonly number[]): Round {
  if (places.length === round.jobIds.length) return round
  const { jobIds, values } = round
  return {
    ...round,
    jobIds: places.map((index) => jobIds[index] ?? 0),
    values: places.map((index) => values[index] ?? 0),
  }
}
