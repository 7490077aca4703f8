import type { Context } from '../../../../context.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { DeliveredRound, Repeat, Round } from '../../../../domain/delivery.ts'
import { itemsOf, roundOutcome } from '../../round.ts'
import { deliverAll, deliverRounds, NO_OUTCOME } from '../../service/deliver.ts'
import { repeatAt } from './answers.ts'
import { roundItem } from '../items.ts'

/** An acceptable round and its place in the body. */
type IndexedRound = { readonly round: Round; readonly place: number }

/** Delivers all acceptable rounds and returns an outcome or a refusal for each, in order. With a key, each job
 * remembers its value. */
export async function takeRounds(
  context: Context,
  rounds: readonly unknown[],
  repeat: Repeat | null,
): Promise<readonly (DeliveredRound | Refusal)[]> {
  const items = rounds.map(roundItem)
  const placed = items.flatMap((round, place) => (round instanceof Refusal ? [] : { round, place }))
  const outcomes =
    repeat === null
      ? await deliverRounds(
          context,
          placed.map(({ round }) => round),
        )
      : await takeOnce(context, placed, repeat)
  let next = 0
  return items.map((item) => (item instanceof Refusal ? item : (outcomes[next++] ?? NO_OUTCOME)))
}

async function takeOnce(
  context: Context,
  placed: readonly IndexedRound[],
  repeat: Repeat,
): Promise<readonly DeliveredRound[]> {
  const parcels = placed.flatMap(({ round, place }) =>
    itemsOf(round, (index) => repeatAt(repeat, `r${place}.${index}`)),
  )
  const outcomes = await deliverAll(context, parcels)
  let from = 0
  return placed.map(({ round }) => roundOutcome(outcomes.slice(from, (from += round.jobIds.length))))
}
