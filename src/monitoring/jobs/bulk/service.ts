import type * as z from 'zod'
import type { Context } from '../../../context.ts'
import type { Repeatable } from '../../../http/idempotency.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { DeliveredRound, DeliveryOutcome, BulkItem, Repeat } from '../../../domain/delivery.ts'
import { RECORDED_PER_REQUEST_MAX, recordRefusal } from '../refusals/service.ts'
import { deliverAll, keyOf, NO_OUTCOME, repeatOf } from '../service/deliver.ts'
import { areReplayed, itemText, refusedView, repeatAt, roundView } from './service/answers.ts'
import { deliveryItem, seriesItem } from './items.ts'
import { takeRounds } from './service/rounds.ts'
import type { BulkBody, roundBody } from './schema.ts'

/** Delivers all acceptable items, deliveries first, and answers each in its place. With a key, each job remembers its
 * items, so that a repetition of the call stores only what is missing. The answer is marked as replayed if all accepted
 * items had been accepted before.
 * @throws {Refusal} unauthenticated */
export async function deliverBulk(context: Context, body: BulkBody, key: string | null): Promise<Repeatable> {
  const repeat = key === null ? null : await repeatOf(keyOf(context.caller, key), body)
  return body.rounds === undefined
    ? answerItems(context, body, repeat)
    : answerRounds(context, body.rounds, repeat)
}

async function answerRounds(
  context: Context,
  rounds: readonly unknown[],
  repeat: Repeat | null,
): Promise<Repeatable> {
  const outcomes = await takeRounds(context, rounds, repeat)
  recordRefusedOfRounds(context, rounds, outcomes)
  const views = outcomes.map((outcome, place) =>
    outcome instanceof Refusal ? refusedView(outcome, `/rounds/${place}`) : roundView(outcome),
  )
  return {
    text: JSON.stringify({ results: [], series: [], rounds: views }),
    isReplayed: areReplayed(outcomes),
  }
}

function recordRefusedOfRounds(
  context: Context,
  rounds: readonly unknown[],
  outcomes: readonly (DeliveredRound | Refusal)[],
): void {
  let recorded = 0
  for (const [place, outcome] of outcomes.entries()) {
    if (outcome instanceof Refusal || outcome.refused.length === 0) continue
    const { key, timestamp, jobIds, values } = rounds[place] as z.input<typeof roundBody>
    for (const { index, code, detail } of outcome.refused) {
      if (recorded++ >= RECORDED_PER_REQUEST_MAX) return
      const item = { key, timestamp, values: [values[index]] }
      recordRefusal(context, jobIds[index] ?? 0, new Refusal(code, detail), item)
    }
  }
}

/** The items of a call, in order: what is sent for each, or its refusal. */
class Sending {
  readonly parcels: BulkItem[] = []
  readonly jobIds: (number | null)[] = []
  /** By place; null for an item that is sent. */
  readonly #refusals: (Refusal | null)[] = []

  send(parcel: BulkItem): void {
    this.parcels.push(parcel)
    this.jobIds.push(parcel.jobId)
    this.#refusals.push(null)
  }

  refuse(jobId: number | null, refusal: Refusal): void {
    this.jobIds.push(jobId)
    this.#refusals.push(refusal)
  }

  /** The outcomes by place, from the outcomes of the sent items. */
  land(outcomes: readonly DeliveryOutcome[]): readonly DeliveryOutcome[] {
    let next = 0
    return this.#refusals.map((refusal) => refusal ?? outcomes[next++] ?? NO_OUTCOME)
  }
}

async function answerItems(context: Context, body: BulkBody, repeat: Repeat | null): Promise<Repeatable> {
  const { deliveries = [], series = [] } = body
  const sending = new Sending()
  for (let place = 0; place < deliveries.length; place++) {
    const item = deliveryItem(deliveries[place])
    if ('refusal' in item) sending.refuse(item.jobId, item.refusal)
    else
      sending.send({
        jobId: item.jobId,
        sent: { delivery: item.content },
        repeat: repeat && repeatAt(repeat, `d${place}`),
      })
  }
  for (let place = 0; place < series.length; place++) {
    const item = seriesItem(series[place])
    if ('refusal' in item) sending.refuse(item.jobId, item.refusal)
    else
      sending.send({
        jobId: item.jobId,
        sent: { run: item.content },
        repeat: repeat && repeatAt(repeat, `s${place}`),
      })
  }
  const outcomes = sending.land(await deliverAll(context, sending.parcels))
  const format = timeFormat(context.ports.settings.timeZone)
  let recorded = 0
  const texts = outcomes.map((outcome, index) => {
    const jobId = sending.jobIds[index] ?? null
    const place = index - deliveries.length
    if (outcome instanceof Refusal) {
      const item = place < 0 ? deliveries[index] : series[place]
      if (jobId !== null && recorded++ < RECORDED_PER_REQUEST_MAX)
        recordRefusal(context, jobId, outcome, item)
      const pointer = place < 0 ? `/deliveries/${index}` : `/series/${place}`
      return JSON.stringify({
        jobId,
        ...refusedView(outcome, pointer, place < 0 && hasArray(deliveries[index])),
      })
    }
    return itemText(format, jobId, outcome)
  })
  const results = texts.slice(0, deliveries.length).join(',')
  const columns = texts.slice(deliveries.length).join(',')
  return { text: `{"results":[${results}],"series":[${columns}]}`, isReplayed: areReplayed(outcomes) }
}

function hasArray(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, 'returnValue')
}
