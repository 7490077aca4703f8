import type { Context } from '../../../context.ts'
import { statusOf } from '../../../http/problem.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import type { Delivered, DeliveredRun, Outcome, Parcel, Repeat } from '../../../ports/job-actors.ts'
import { deliverAll, deliveredFields, NO_OUTCOME, pointingIntoArray, repeatOf, scopeOf } from '../service.ts'
import { deliveryItem, seriesItem } from './items.ts'
import type { BulkBody } from './schema.ts'

/** An item on its way: a parcel, or the refusal of what cannot be one. */
type Sent = { readonly jobId: number | null; readonly parcel: Parcel | Refusal }

/** Takes all items that can be taken, deliveries first, and answers each in its place. Under a key each item is
 * remembered by its job, so that a repetition of the whole call stores what is missing and nothing twice. `isReplayed`
 * says that everything that was taken had been taken before.
 * @throws {Refusal} unauthenticated */
export async function deliverBulk(context: Context, body: BulkBody, key: string | null) {
  const { deliveries = [], series = [] } = body
  const repeat = key === null ? null : await repeatOf(scopeOf(context.caller), key, body)
  const singles = deliveries.map((input, place): Sent => {
    const item = deliveryItem(input)
    if ('refusal' in item) return { jobId: item.jobId, parcel: item.refusal }
    const { jobId, content } = item
    return { jobId, parcel: { jobId, sent: { delivery: content }, repeat: at(repeat, `d${place}`) } }
  })
  const runs = series.map((input, place): Sent => {
    const item = seriesItem(input)
    if ('refusal' in item) return { jobId: item.jobId, parcel: item.refusal }
    const { jobId, content } = item
    return { jobId, parcel: { jobId, sent: { run: content }, repeat: at(repeat, `s${place}`) } }
  })
  const outcomes = await outcomesOf(context, [...singles, ...runs])
  const format = timeFormat(context.ports.settings.timeZone)
  const good = outcomes.flatMap((outcome) => (outcome instanceof Refusal ? [] : outcome))
  return {
    results: singles.map(({ jobId }, place) => {
      const outcome = outcomes[place] ?? NO_OUTCOME
      if (!(outcome instanceof Refusal)) return { jobId, status: 200, ...goodFields(format, outcome) }
      const pointed = hasArray(deliveries[place]) ? pointingIntoArray(outcome) : outcome
      return refusedFields(jobId, pointed, `/deliveries/${place}`)
    }),
    series: runs.map(({ jobId }, place) => {
      const outcome = outcomes[singles.length + place] ?? NO_OUTCOME
      if (!(outcome instanceof Refusal)) return { jobId, status: 200, ...goodFields(format, outcome) }
      return refusedFields(jobId, outcome, `/series/${place}`)
    }),
    isReplayed: good.length > 0 && good.every(({ replayed }) => replayed === true),
  }
}

/** An outcome for each item; what was refused before is not sent. */
async function outcomesOf(context: Context, sent: readonly Sent[]): Promise<readonly Outcome[]> {
  const parcels = sent.flatMap(({ parcel }) => (parcel instanceof Refusal ? [] : parcel))
  const answers = await deliverAll(context, parcels)
  let next = 0
  return sent.map(({ parcel }) => (parcel instanceof Refusal ? parcel : (answers[next++] ?? NO_OUTCOME)))
}

/** The key of one item of a call. */
function at(whole: Repeat | null, place: string): Repeat | null {
  return whole && { ...whole, key: `${whole.key} ${place}` }
}

function hasArray(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, 'returnValue')
}

function goodFields(format: TimeFormat, outcome: Delivered | DeliveredRun) {
  const replayed = outcome.replayed === true ? { replayed: true as const } : {}
  if (!('refused' in outcome)) return { ...deliveredFields(format, outcome), ...replayed }
  const { accepted, late, refused, state, errorCode, deadlineAt } = outcome
  const nextTimeoutAt = deadlineAt === null ? null : format(deadlineAt)
  return { accepted, late, refused, state, errorCode, nextTimeoutAt, ...replayed }
}

function refusedFields(jobId: number | null, { code, detail, errors }: Refusal, pointer: string) {
  const pointed = errors.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }))
  return { jobId, status: statusOf(code), code, detail, errors: pointed }
}
