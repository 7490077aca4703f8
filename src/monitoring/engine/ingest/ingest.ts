import { Refusal } from '../../../lib/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
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
import type { ValuesDatabase } from '../../../ports/values-database.ts'
import { step } from '../../jobs/actor.ts'
import type { ActorState, Event, Sample, Step } from '../../jobs/actor.ts'
import { partOf, refusedAt } from '../../jobs/round.ts'
import { checkSender, loneKeyOf, maySend } from '../../jobs/delivery.ts'
import { leavesTimeout } from '../../jobs/judgement.ts'
import { requireRate } from './admission.ts'
import type { Effect, Job } from '../head/job.ts'
import type { Arrival } from '../head/hot-state.ts'
import type { RecordExtras } from '../wal/commit.ts'
import { acceptRow } from './row.ts'
import { storedBefore, withoutStored } from './dedupe.ts'
import { StoredValues } from './stored-rows.ts'
import type { Entry, RoundEntry } from '../wal/entry.ts'
import { readRepeats } from '../store/repeats.ts'

/** How long a job knows the key of a delivery again. */
const REPEAT_MS = 86_400_000

/** What the intake needs of its engine. */
export type IngestDeps = {
  readonly values: ValuesDatabase
  readonly clock: Clock
  /** @throws {Refusal} not_found */
  job(jobId: number): Job
  readonly find: (jobId: number) => Job | null
  /** What a job has kept under a key at an instant. @throws {Refusal} not_found */
  readonly storedAt: (jobId: number, key: string, at: number) => Promise<readonly Value[]>
  /** @throws {Refusal} storage_full, overloaded */
  requireCapacity(job: Job, now: number): void
  /** Resolves when the event is durable, with what goes with it. What is accepted in one go shares one promise. */
  accept(entry: Entry | RoundEntry, effects: readonly Effect[], besides?: RecordExtras): Promise<void>
  /** Resolves when everything accepted so far is durable. @throws {Refusal} unavailable */
  readonly durable: () => Promise<void>
  /** The same of a value that was only noted. */
  gather(job: Job, sample: Sample, arrival: Arrival): Promise<void>
  /** Carries committed transitions on. */
  deliverTransitions(): Promise<boolean>
  /** Runs a task while nothing is being committed. */
  alone<Result>(task: () => Promise<Result>): Promise<Result>
}

type Success = Delivered | DeliveredSeries
type AppendedValue = { readonly at: number; readonly durable: Promise<void> }
/** Something that was accepted and is not durable yet. */
type AcceptedDelivery = {
  readonly outcome: Success
  readonly durable: Promise<void>
  readonly changesState: boolean
}

/** Takes deliveries: one, many, and those that may be repetitions. */
export class Ingest {
  readonly #deps: IngestDeps
  /** What was begun under a key and is not durable yet, by job and key. */
  readonly #claims = new Map<string, Claim>()

  constructor(desk: IngestDeps) {
    this.#deps = desk
  }

  async deliver(jobId: number, delivery: Delivery, sender: Sender): Promise<Delivered> {
    const now = this.#deps.clock.now()
    const job = this.#admit(jobId, sender, now)
    const noted = this.#note(job, delivery, now)
    if (noted) {
      await noted.durable
      return noted.outcome
    }
    const event: Event = { kind: 'deliver', delivery }
    const result = step(job.state, event, now)
    await this.#deps.accept({ jobId, at: now, event }, [{ job, result }])
    // A change of state is answered once it was carried on, so that who asks next finds it everywhere.
    if (result.transitions.length > 0) await this.#deps.deliverTransitions()
    return deliveredOf(delivery, result)
  }

  deliverAll(parcels: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    if (parcels.some(({ repeat }) => repeat !== null)) return this.#deliverOnce(parcels, sender)
    if (parcels.some(({ isOnce }) => isOnce)) return this.#deliverNew(parcels, sender)
    const now = this.#deps.clock.now()
    return this.#awaitDurable(parcels.map((parcel) => this.#take(parcel, sender, now)))
  }

  deliverRounds(rounds: readonly Round[], sender: Sender): Promise<readonly DeliveredRound[]> {
    const deliver = (all: readonly StoredValues[]) => {
      const now = this.#deps.clock.now()
      const door = {
        deliver: (one: Round) => this.#deliverRound(one, sender, now),
        durable: this.#deps.durable,
      }
      return Promise.all(all.map((stored) => stored.deliverRest(door)))
    }
    // Nothing waits between look-up and acceptance unless samples are read: a repetition that comes next finds them all.
    const stored = StoredValues.ofAll(rounds, sender, this.#deps)
    return stored instanceof Promise ? stored.then(deliver) : deliver(stored)
  }

  async #deliverRound(round: Round, sender: Sender, now: number): Promise<DeliveredRound> {
    const { places, rows, effects, refused, timeoutsLeft } = acceptRow(round, now, {
      find: (jobId) => this.#deps.find(jobId),
      admit: this.#admission(sender, now),
    })
    try {
      const event = { kind: 'round', round: partOf(round, places) } as const
      if (places.length > 0) await this.#deps.accept({ jobId: 0, at: now, event }, effects, { rows })
    } catch (error) {
      const refusal = refusedAs(error)
      const lost = [...refused, ...places.map((index) => refusedAt(index, refusal))]
      return { accepted: 0, late: 0, refused: lost.toSorted((a, b) => a.index - b.index) }
    }
    if (effects.some(({ result }) => result.transitions.length > 0)) await this.#deps.deliverTransitions()
    const late = effects.reduce((sum, { result }) => sum + Number(result.late), 0)
    const accepted = places.length
    return timeoutsLeft.length === 0 ? { accepted, late, refused } : { accepted, late, refused, timeoutsLeft }
  }

  #admit(jobId: number, sender: Sender, now: number): Job {
    const job = this.#deps.job(jobId)
    this.#admission(sender, now)(job)
    return job
  }

  /** Checks the jobs for which a sender has something, all in one go: whether there is room is asked once.
   * The answer @throws {Refusal} forbidden, storage_full, overloaded, too_fast */
  #admission(sender: Sender, now: number): (job: Job) => void {
    let hasRoom = false
    return (job) => {
      checkSender(job, sender)
      if (!hasRoom) this.#deps.requireCapacity(job, now)
      hasRoom = true
      requireRate(job, now)
    }
  }

  #take({ jobId, sent, repeat }: BulkItem, sender: Sender, now: number): AcceptedDelivery | Refusal {
    try {
      const job = this.#admit(jobId, sender, now)
      const noted = repeat === null ? this.#noteSent(job, sent, now) : null
      if (noted) return noted
      const event: Event =
        'run' in sent ? { kind: 'run', run: sent.run } : { kind: 'deliver', delivery: sent.delivery }
      const result = step(job.state, event, now)
      const outcome = 'run' in sent ? deliveredRunOf(result, sent.run) : deliveredOf(sent.delivery, result)
      const kept: Event = result.run === null ? event : { kind: 'run', run: result.run }
      const row = repeat && { ...repeat, jobId, answer: JSON.stringify(outcome), untilAt: now + REPEAT_MS }
      const durable = this.#deps.accept({ jobId, at: now, event: kept }, [{ job, result }], {
        repeat: row,
      })
      return { outcome, durable, changesState: result.transitions.length > 0 }
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }

  /** As `#note`, also of a run that is a single sample. */
  #noteSent(job: Job, sent: BulkItem['sent'], now: number): AcceptedDelivery | null {
    if ('delivery' in sent) return this.#note(job, sent.delivery, now)
    const { key, at, values } = sent.run
    if (at.length !== 1) return null
    const noted = this.#append(job, key, values[0] ?? 0, { timestampAt: at[0] ?? 0, errorCode: null, now })
    if (!noted) return null
    const { state, errorCode, deadlineAt } = job.answer
    const outcome = { accepted: 1, late: 0, refused: [], state, errorCode, deadlineAt }
    return { outcome, durable: noted.durable, changesState: false }
  }

  /** Notes a delivery of one value that changes nothing else; null for every other, which is an event. */
  #note(
    job: Job,
    delivery: Delivery,
    now: number,
  ): (AcceptedDelivery & { readonly outcome: Delivered }) | null {
    const key = loneKeyOf(delivery)
    if (key === null) return null
    const { timestampAt, errorCode: given } = delivery
    const noted = this.#append(job, key, delivery.values[key] ?? 0, { timestampAt, errorCode: given, now })
    if (!noted) return null
    const { state, errorCode, deadlineAt } = job.answer
    const outcome = { accepted: 1, timestampAt: noted.at, late: false, state, errorCode, deadlineAt }
    return { outcome, durable: noted.durable, changesState: false }
  }

  #append(job: Job, key: string, value: Value, arrival: Arrival): AppendedValue | null {
    const at = job.append(key, value, arrival)
    return at === null ? null : { at, durable: this.#deps.gather(job, { key, at, value }, arrival) }
  }

  /** Waits until what was taken in one go is durable. Much of it may share several commits, and some of them fail. */
  async #awaitDurable(
    attempts: readonly (AcceptedDelivery | Success | Refusal)[],
  ): Promise<readonly DeliveryOutcome[]> {
    const taken = attempts.filter(isAccepted)
    const failures = new Map<Promise<void>, Refusal>()
    for (const durable of new Set(taken.map((one) => one.durable))) {
      await durable.catch((error: unknown) => failures.set(durable, refusedAs(error)))
    }
    if (taken.some(({ changesState, durable }) => changesState && !failures.has(durable)))
      await this.#deps.deliverTransitions()
    return attempts.map((attempt) =>
      isAccepted(attempt) ? (failures.get(attempt.durable) ?? attempt.outcome) : attempt,
    )
  }

  /** As `deliverAll` where jobs are asked first what they have of it. */
  async #deliverNew(parcels: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    const looked: (BulkItem | Success)[] = []
    for (const parcel of parcels) looked.push(await this.#withoutStored(parcel, sender))
    const now = this.#deps.clock.now()
    // What is stored before may still wait for its commit.
    const durable = this.#deps.durable()
    return this.#awaitDurable(
      looked.map((one) =>
        'sent' in one ? this.#take(one, sender, now) : { outcome: one, durable, changesState: false },
      ),
    )
  }

  /** The parcel without what its job has already, or the answer when that is all; what is to be refused stays. */
  async #withoutStored(parcel: BulkItem, sender: Sender): Promise<BulkItem | Success> {
    const { jobId, sent, isOnce } = parcel
    const job = this.#deps.find(jobId)
    if (!isOnce || !job || !('delivery' in sent) || !maySend(job, sender)) return parcel
    const delivery = await withoutStored(job, sent.delivery, this.#deps.storedAt)
    return delivery ? { ...parcel, sent: { delivery } } : storedBefore(job, sent.delivery)
  }

  /** As `deliverAll` where some may have been there before: what jobs remember is asked first, for all at once. */
  async #deliverOnce(parcels: readonly BulkItem[], sender: Sender): Promise<readonly DeliveryOutcome[]> {
    const places = parcels.map((parcel) => this.#place(parcel))
    let outcomes: readonly DeliveryOutcome[] = []
    try {
      const repeats = places.flatMap(({ own, parcel }) =>
        own && parcel.repeat ? [{ jobId: parcel.jobId, key: parcel.repeat.key }] : [],
      )
      const now = this.#deps.clock.now()
      const rows = await this.#deps.alone(() => readRepeats(this.#deps.values, repeats, now))
      const known = new Map(rows.map((row) => [nameOf(row.jobId, row.key), row]))
      const attempts = places.map(({ parcel, first }) => {
        // Its answer is that of the first, which is not there yet.
        if (first) return STORAGE_AWAY
        const row = parcel.repeat && known.get(nameOf(parcel.jobId, parcel.repeat.key))
        if (!row) return this.#take(parcel, sender, now)
        return answerAgain(parcel.repeat, row.digest, JSON.parse(row.answer) as Success)
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
      places.map(async ({ first, parcel }, place) => {
        if (first === null) return outcomes[place] ?? STORAGE_AWAY
        return answerAgain(parcel.repeat, first.digest, await first.outcome)
      }),
    )
  }

  /** Who was first under a parcel's key, if anybody is at it now; else the parcel is. */
  #place(parcel: BulkItem) {
    const { jobId, repeat } = parcel
    if (repeat === null) return { parcel, name: '', own: null, first: null }
    const name = nameOf(jobId, repeat.key)
    const first = this.#claims.get(name) ?? null
    if (first) return { parcel, name, own: null, first }
    const own = new Claim(repeat.digest)
    this.#claims.set(name, own)
    return { parcel, name, own, first: null }
  }
}

/** A delivery under a key that is on its way; repetitions wait for its outcome. */
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

function refusedAs(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

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
    ...standingOf(state, delivery),
  }
}

function deliveredRunOf({ state, run }: Step, { key }: SampleSeries): DeliveredSeries {
  return {
    accepted: run?.at.length ?? 0,
    late: run?.late ?? 0,
    refused: run?.refused ?? [],
    ...standingOf(state, { values: { [key]: 0 }, errorCode: null }),
  }
}

/** How a job stands after values. */
function standingOf(state: ActorState, sent: Pick<Delivery, 'values' | 'errorCode'>) {
  const { state: shown, errorCode, deadline } = state
  const standing = { state: shown, errorCode, deadlineAt: deadline?.at ?? null }
  return leavesTimeout(state, sent) ? { ...standing, leavesTimeout: true as const } : standing
}
