import { asRefusal, Refusal } from '../../../lib/errors.ts'
import type {
  Delivered,
  DeliveredRound,
  DeliveredSeries,
  Delivery,
  DeliveryOutcome,
  BulkItem,
  Repeat,
  Round,
  SampleSeries,
  Sender,
  Value,
} from '../../../domain/delivery.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Event, Step } from '../../jobs/actor.ts'
import { loneKeyOf, maySend } from '../../jobs/delivery.ts'
import { leavesTimeout } from '../../jobs/judgement.ts'
import { partOf, refusedAt } from '../../jobs/round.ts'
import type { Head } from '../head/head.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { Job } from '../head/job.ts'
import type { Query } from '../query/query.ts'
import type { Wal } from '../wal/wal.ts'
import { Admission } from './admission.ts'
import { storedBefore, StoredSamples, withoutStored } from './dedupe.ts'
import { acceptRow } from './row.ts'
import type { SilenceWatch } from './silence.ts'
import { StoredValues } from './stored-rows.ts'

/** How long a job remembers an idempotency key. */
const REPEAT_MS = 86_400_000

type Success = Delivered | DeliveredSeries
type AppendedValue = { readonly at: number; readonly durable: Promise<void> }
/** A delivery that was accepted and is not durable yet. */
type AcceptedDelivery = {
  readonly outcome: Success
  readonly durable: Promise<void>
  readonly changesState: boolean
}

/** Takes deliveries: one, many, and those with an idempotency key. */
export class Ingest {
  readonly #head: Head
  readonly #wal: Wal
  readonly #samples: StoredSamples
  readonly #silence: SilenceWatch
  /** Deliveries with an idempotency key that are not durable yet, by job and key. */
  readonly #claims = new Map<string, Claim>()

  constructor(head: Head, wal: Wal, query: Query, silence: SilenceWatch) {
    this.#head = head
    this.#wal = wal
    this.#samples = new StoredSamples(query, wal)
    this.#silence = silence
  }

  async deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered> {
    const now = this.#silence.clock.now()
    const job = this.#admit(jobId, sender, now)
    const appended = this.#appendDelivery(job, delivery, now)
    if (appended) {
      await appended.durable
      return appended.outcome
    }
    const event: Event = { kind: 'deliver', delivery }
    const result = step(job.currentState(), event, now)
    await this.#wal.accept({ jobId, at: now, event }, [{ job, result }])
    // The sender is answered once the change of state was delivered, and so finds it everywhere.
    if (result.transitions.length > 0) await this.#wal.outbox.deliver()
    return deliveredOf(delivery, result)
  }

  deliverAll(items: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    if (items.some(({ repeat }) => repeat !== null)) return this.#deliverOnce(items, sender)
    if (items.some(({ isOnce }) => isOnce)) return this.#deliverNew(items, sender)
    const now = this.#silence.clock.now()
    return this.#awaitDurable(items.map((item) => this.#take(item, sender, now)))
  }

  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]> {
    const deliver = (all: readonly StoredValues[]) => {
      const now = this.#silence.clock.now()
      const deliverOne = (round: Round) => this.#deliverRound(round, sender, now)
      return Promise.all(all.map((stored) => stored.deliverRest(this.#wal, deliverOne)))
    }
    const lookup = { head: this.#head, samples: this.#samples }
    // No await between look-up and acceptance: the next repetition finds all values.
    const stored = StoredValues.ofAll(rounds, sender, lookup)
    return stored
      ? deliver(stored)
      : this.#deliverLookedUp(() => StoredValues.readAll(rounds, sender, lookup), deliver)
  }

  /** Delivers in a turn of look-ups, which ends with the acceptance and before the commit. */
  async #deliverLookedUp<Found, Result>(
    find: () => Promise<Found>,
    deliver: (found: Found) => Promise<Result>,
  ): Promise<Result> {
    const { delivered } = await this.#samples.inTurn(async () => ({ delivered: deliver(await find()) }))
    return delivered
  }

  async #deliverRound(round: Round, sender: Sender, now: number): Promise<DeliveredRound> {
    const { places, rows, effects, refused, timeoutsLeft } = acceptRow(
      round,
      now,
      this.#head,
      new Admission(this.#silence, sender, now),
    )
    try {
      const event = { kind: 'round', round: partOf(round, places) } as const
      if (places.length > 0) await this.#wal.accept({ jobId: 0, at: now, event }, effects, { rows })
    } catch (error) {
      const refusal = asRefusal(error)
      const lost = [...refused, ...places.map((index) => refusedAt(index, refusal))]
      return { accepted: 0, late: 0, refused: lost.toSorted((a, b) => a.index - b.index) }
    }
    if (effects.some(({ result }) => result.transitions.length > 0)) await this.#wal.outbox.deliver()
    const late = effects.reduce((sum, { result }) => sum + Number(result.late), 0)
    const accepted = places.length
    return timeoutsLeft.length === 0 ? { accepted, late, refused } : { accepted, late, refused, timeoutsLeft }
  }

  #admit(jobId: number, sender: Sender, now: number): Job {
    const job = this.#head.job(jobId)
    new Admission(this.#silence, sender, now).admit(job)
    return job
  }

  #take({ jobId, sent, repeat }: BulkItem, sender: Sender, now: number): AcceptedDelivery | Refusal {
    try {
      const job = this.#admit(jobId, sender, now)
      const appended = repeat === null ? this.#appendSent(job, sent, now) : null
      if (appended) return appended
      const event: Event =
        'run' in sent ? { kind: 'run', run: sent.run } : { kind: 'deliver', delivery: sent.delivery }
      const result = step(job.currentState(), event, now)
      const outcome = 'run' in sent ? deliveredSeriesOf(result, sent.run) : deliveredOf(sent.delivery, result)
      const accepted: Event = result.run === null ? event : { kind: 'run', run: result.run }
      const row = repeat && { ...repeat, jobId, answer: JSON.stringify(outcome), untilAt: now + REPEAT_MS }
      const durable = this.#wal.accept({ jobId, at: now, event: accepted }, [{ job, result }], {
        repeat: row,
      })
      return { outcome, durable, changesState: result.transitions.length > 0 }
    } catch (error) {
      return asRefusal(error)
    }
  }

  /** As `#appendDelivery`, also for a series of one sample. */
  #appendSent(job: Job, sent: BulkItem['sent'], now: number): AcceptedDelivery | null {
    if ('delivery' in sent) return this.#appendDelivery(job, sent.delivery, now)
    const { key, at, values } = sent.run
    if (at.length !== 1) return null
    const arrival = { timestampAt: at[0] ?? 0, errorCode: null, now }
    const appended = this.#append(job, key, values[0] ?? 0, arrival)
    if (!appended) return null
    const { state, errorCode, deadlineAt } = job.answer
    const outcome = { accepted: 1, late: 0, refused: [], state, errorCode, deadlineAt }
    return { outcome, durable: appended.durable, changesState: false }
  }

  /** Appends a delivery of one routine value; null for every other delivery, which is an event. */
  #appendDelivery(
    job: Job,
    delivery: Delivery,
    now: number,
  ): (AcceptedDelivery & { readonly outcome: Delivered }) | null {
    const key = loneKeyOf(delivery)
    if (key === null) return null
    const { timestampAt, errorCode: given } = delivery
    const arrival = { timestampAt, errorCode: given, now }
    const appended = this.#append(job, key, delivery.values[key] ?? 0, arrival)
    if (!appended) return null
    const { state, errorCode, deadlineAt } = job.answer
    const outcome = { accepted: 1, timestampAt: appended.at, late: false, state, errorCode, deadlineAt }
    return { outcome, durable: appended.durable, changesState: false }
  }

  #append(job: Job, key: string, value: Value, arrival: Arrival): AppendedValue | null {
    const at = job.append(key, value, arrival)
    return at === null ? null : { at, durable: this.#wal.append(job, { key, at, value }, arrival) }
  }

  /** Waits until all attempts are durable. They may be in several commits, of which some may fail. */
  async #awaitDurable(
    attempts: readonly (AcceptedDelivery | Success | Refusal)[],
  ): Promise<readonly DeliveryOutcome[]> {
    const accepted = attempts.filter(isAccepted)
    const failures = new Map<Promise<void>, Refusal>()
    for (const durable of new Set(accepted.map((one) => one.durable))) {
      await durable.catch((error: unknown) => failures.set(durable, asRefusal(error)))
    }
    if (accepted.some(({ changesState, durable }) => changesState && !failures.has(durable)))
      await this.#wal.outbox.deliver()
    return attempts.map((attempt) =>
      isAccepted(attempt) ? (failures.get(attempt.durable) ?? attempt.outcome) : attempt,
    )
  }

  /** As `deliverAll`, without the values that are stored already. */
  #deliverNew(items: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    const find = async () => {
      const left: (BulkItem | Success)[] = []
      for (const item of items) left.push(await this.#withoutStored(item, sender))
      return left
    }
    return this.#deliverLookedUp(find, (left) => {
      const now = this.#silence.clock.now()
      // Stored values may still wait for their commit.
      const { durable } = this.#wal
      return this.#awaitDurable(
        left.map((one) =>
          'sent' in one ? this.#take(one, sender, now) : { outcome: one, durable, changesState: false },
        ),
      )
    })
  }

  /** The item without the values that its job has stored, or its answer where no value is left. An item that will be refused
   * stays as it is. */
  async #withoutStored(item: BulkItem, sender: Sender): Promise<BulkItem | Success> {
    const { jobId, sent, isOnce } = item
    const job = this.#head.find(jobId)
    if (!isOnce || !job || !('delivery' in sent) || !maySend(job, sender)) return item
    const delivery = await withoutStored(job, sent.delivery, this.#samples)
    return delivery ? { ...item, sent: { delivery } } : storedBefore(job, sent.delivery)
  }

  /** As `deliverAll` for items with idempotency keys: the stored answers of all keys are read first. */
  async #deliverOnce(items: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    const places = items.map((item) => this.#claim(item))
    let outcomes: readonly DeliveryOutcome[] = []
    try {
      const repeats = places.flatMap(({ own, item }) =>
        own && item.repeat ? [{ jobId: item.jobId, key: item.repeat.key }] : [],
      )
      const now = this.#silence.clock.now()
      const rows = await this.#wal.repeatsOf(repeats, now)
      const known = new Map(rows.map((row) => [nameOf(row.jobId, row.key), row]))
      const attempts = places.map(({ item, first }) => {
        // Replaced below by the answer to the first delivery, which is not there yet.
        if (first) return STORAGE_AWAY
        const row = item.repeat && known.get(nameOf(item.jobId, item.repeat.key))
        if (!row) return this.#take(item, sender, now)
        return answerAgain(item.repeat, row.digest, JSON.parse(row.answer) as Success)
      })
      outcomes = await this.#awaitDurable(attempts)
    } finally {
      places.forEach(({ own, name }, place) => {
        if (own === null) return
        this.#claims.delete(name)
        own.settle(outcomes[place] ?? STORAGE_AWAY)
      })
    }
    return Promise.all(
      places.map(async ({ first, item }, place) => {
        if (first === null) return outcomes[place] ?? STORAGE_AWAY
        return answerAgain(item.repeat, first.digest, await first.outcome)
      }),
    )
  }

  /** Claims the item's key, or finds the claim of an earlier delivery that is not durable yet. */
  #claim(item: BulkItem) {
    const { jobId, repeat } = item
    if (repeat === null) return { item, name: '', own: null, first: null }
    const name = nameOf(jobId, repeat.key)
    const first = this.#claims.get(name) ?? null
    if (first) return { item, name, own: null, first }
    const own = new Claim(repeat.digest)
    this.#claims.set(name, own)
    return { item, name, own, first: null }
  }
}

/** A delivery with an idempotency key that is not durable yet; repetitions wait for its outcome. */
class Claim {
  readonly digest: string
  readonly #outcome = Promise.withResolvers<DeliveryOutcome>()

  constructor(digest: string) {
    this.digest = digest
  }

  get outcome(): Promise<DeliveryOutcome> {
    return this.#outcome.promise
  }

  settle(outcome: DeliveryOutcome): void {
    this.#outcome.resolve(outcome)
  }
}

const STORAGE_AWAY = new Refusal('unavailable', 'The storage is unavailable. Try again shortly.')

function nameOf(jobId: number, key: string): string {
  return `${jobId} ${key}`
}

function isAccepted(attempt: AcceptedDelivery | Success | Refusal): attempt is AcceptedDelivery {
  return 'durable' in attempt
}

function answerAgain(repeat: Repeat | null, digest: string, outcome: DeliveryOutcome): DeliveryOutcome {
  if (repeat?.digest !== digest) {
    return new Refusal(
      'idempotency_conflict',
      'A different delivery was sent with this Idempotency-Key before. Use a new key.',
    )
  }
  return outcome instanceof Refusal ? outcome : { ...outcome, replayed: true }
}

function deliveredOf(delivery: Delivery, { state, late }: Step): Delivered {
  const placedAt = delivery.signal === 'result' ? state.newestAt : null
  return {
    accepted: Object.keys(delivery.values).length,
    timestampAt: delivery.timestampAt ?? placedAt ?? state.nowAt,
    late,
    ...stateOf(state, delivery),
  }
}

function deliveredSeriesOf({ state, run }: Step, { key }: SampleSeries): DeliveredSeries {
  return {
    accepted: run?.at.length ?? 0,
    late: run?.late ?? 0,
    refused: run?.refused ?? [],
    ...stateOf(state, { values: { [key]: 0 }, errorCode: null }),
  }
}

/** The state part of an answer to values. */
function stateOf(state: ActorState, sent: Pick<Delivery, 'values' | 'errorCode'>) {
  const { errorCode, deadline } = state
  const answer = { state: state.state, errorCode, deadlineAt: deadline?.at ?? null }
  return leavesTimeout(state, sent) ? { ...answer, leavesTimeout: true as const } : answer
}
