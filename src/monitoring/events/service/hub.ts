import { idsOf } from '../../../access/rights/permissions.ts'
import { Refusal } from '../../../lib/errors.ts'
import { Mutex } from '../../../lib/mutex.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import type { Events, EphemeralEvent, Reading, Visibility } from '../../../ports/events.ts'
import type { Ports } from '../../../ports/index.ts'
import { alarmDraft, gapDraft, MARK, stateDraft, valueDraft } from '../drafts.ts'
import { Reader } from '../reader.ts'
import * as store from '../store.ts'
import type { JobValues, Subscribers } from '../values.ts'
import { frameOf, retryOf, Window } from '../window.ts'
import type { Draft, GapReason, WindowLimits } from '../window.ts'
import { full, Seats } from './seats.ts'
import type { SeatLimits } from './seats.ts'
import { Watches } from './watches.ts'

/** How often a host calls `beat`: what was taken from a reader shows within twice this time. */
export const BEAT_MS = 5_000
/** How long everything is kept ready for readers to come back when the last one has gone. */
const LINGER_MS = 300_000
const ROWS_AT_ONCE = 1_000
const LOOKS_AT_ONCE = 50
/** Clients come back after 2 to 5 seconds, and not all in the same moment. */
const RETRY_MIN_MS = 2_000
const RETRY_SPREAD_MS = 3_000

export type HubLimits = WindowLimits & SeatLimits & { readonly watchedJobsMax: number }

const LIMITS: HubLimits = {
  eventsMax: 20_000,
  sizeMaxBytes: 16 * 1024 * 1024,
  readersMax: 2_000,
  readersOfUserMax: 100,
  watchedJobsMax: 5_000,
}

/** What a hub needs of the place where it lives. */
export type HubHost = Pick<Ports, 'database' | 'clock' | 'log'> & {
  readonly settings: Pick<Ports['settings'], 'timeZone'>
  readonly limits?: Partial<HubLimits>
  /** Tells jobs that live elsewhere that their values are wanted; repeated with each beat. */
  watch?(jobIds: readonly number[]): Promise<void>
}

/** While somebody reads, and a while after: the window, and the transition and the change of an alarm that were told last. */
type Awake = { readonly window: Window; place: store.TransitionPosition | null; alarmChange: number }

type Open = { readonly reader: Reader; readonly reading: Reading }

/**
 * Tells readers what happens.
 *
 * 1. States and alarms are read from where they were committed, from the last one on that was told: nothing between a commit and its
 *    being told can be lost, and they come in the order of their commits.
 * 2. What is kept nowhere else is told by whoever knows it.
 * 3. All of it gets a place in one window, from which each reader takes as fast as it reads. Who falls out of the window
 *    is cut off.
 * 4. Nothing is asked or kept while nobody reads.
 */
export class Hub implements Events, Subscribers {
  readonly #host: HubHost
  readonly #limits: HubLimits
  readonly #format: TimeFormat
  readonly #lock = new Mutex()
  readonly #readers = new Map<Reader, Open>()
  readonly #seats: Seats
  readonly #watches = new Watches(LINGER_MS)
  #awake: Awake | null = null
  #looking: Promise<void> | null = null
  #beating: Promise<void> | null = null
  #isMore = false
  #opened = 0
  #idleSinceAt = 0
  #isClosed = false

  constructor(host: HubHost) {
    this.#host = host
    this.#limits = { ...LIMITS, ...host.limits }
    this.#seats = new Seats(this.#limits)
    this.#format = timeFormat(host.settings.timeZone)
  }

  /** How many read now. */
  get readers(): number {
    return this.#readers.size
  }

  /** False when nobody has read for a while: then nothing is kept. */
  get isAwake(): boolean {
    return this.#awake !== null
  }

  get areThere(): boolean {
    return this.#watches.size > 0
  }

  watches(jobId: number): boolean {
    return this.#watches.has(jobId)
  }

  async open(reading: Reading): Promise<Response> {
    this.#requireOpen()
    this.#seats.take(reading.userId)
    let stream: ReadableStream<Uint8Array> | null = null
    try {
      const sight = await reading.look()
      if (!sight) throw new Refusal('unauthenticated', 'The credentials no longer hold.')
      const awake = await this.#lock.run(() => this.#wake())
      await this.#watch(awake, [...reading.wanted.jobIds])
      this.#requireOpen()
      stream = this.#attach(awake, reading, sight)
    } finally {
      if (!stream) this.#leave(reading)
    }
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }

  committed(): Promise<void> {
    if (!this.#awake) return NOTHING
    this.#isMore = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  publish({ kind, data }: EphemeralEvent): Promise<void> {
    this.#tell([{ kind, above: [], data, jobId: null }])
    return NOTHING
  }

  /** @param missed whether there were values of the first of these jobs that could not be told */
  tell(values: readonly JobValues[], missed = false): Promise<void> {
    const [first] = values
    if (missed && first) this.#tell([gapDraft('values', first.jobId)])
    const watched = values.filter(({ jobId }) => this.#watches.has(jobId))
    this.#tell(watched.map((one) => valueDraft(one, this.#watches.above(one.jobId), this.#format)))
    return NOTHING
  }

  /** Looks again at what every reader may see, and for what was not told; every `BEAT_MS`. One under way is joined. */
  beat(): Promise<void> {
    this.#beating ??= this.#lookAfter().finally(() => {
      this.#beating = null
    })
    return this.#beating
  }

  async #lookAfter(): Promise<void> {
    const { clock } = this.#host
    if (!this.#awake) return
    await this.committed()
    const open = [...this.#readers.values()]
    for (let from = 0; from < open.length; from += LOOKS_AT_ONCE)
      await Promise.all(open.slice(from, from + LOOKS_AT_ONCE).map((one) => this.#check(one)))
    this.#watches.tidy(clock.now())
    await this.#place(this.#watches.ids)
    if (this.#seats.taken === 0 && Math.abs(clock.now() - this.#idleSinceAt) >= LINGER_MS) this.#sleep()
  }

  /** Ends all streams; there will be no more. */
  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers.keys()) reader.end()
    this.#sleep()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Refusal('unavailable', 'The service is shutting down. Try again shortly.')
  }

  #leave({ userId }: Reading): void {
    this.#seats.give(userId)
    this.#idleSinceAt = this.#host.clock.now()
  }

  async #wake(): Promise<Awake> {
    if (this.#awake) return this.#awake
    const { database, clock } = this.#host
    const [place, alarmChange] = await Promise.all([
      store.readLastPlace(database),
      store.readLastAlarmChange(database),
    ])
    const epoch = await store.openEpoch(database, clock.now())
    this.#awake = { window: new Window(epoch, this.#limits), place, alarmChange }
    this.#idleSinceAt = clock.now()
    return this.#awake
  }

  #sleep(): void {
    this.#awake = null
    this.#watches.clear()
  }

  /** Sees to it that the values of these jobs are told from now on. */
  async #watch({ window }: Awake, jobIds: readonly number[]): Promise<void> {
    if (jobIds.length === 0) return
    if (this.#watches.size + this.#watches.missing(jobIds) > this.#limits.watchedJobsMax)
      throw full('Too many jobs are watched for values. Try again later.')
    // Who ended at the latest number, without these jobs, must not go on as if nothing of them had been missed.
    const since = this.#watches.missing(jobIds) > 0 ? window.add(MARK).seq : window.lastSeq
    this.#watches.add(jobIds, since)
    try {
      await this.#place(jobIds)
    } finally {
      // Whoever attaches counts again, with nothing in between.
      this.#watches.leave(jobIds, this.#host.clock.now())
    }
  }

  async #place(jobIds: readonly number[]): Promise<void> {
    if (jobIds.length === 0) return
    const rows = await store.readJobPaths(this.#host.database, jobIds)
    this.#watches.place(jobIds, new Map(rows.map(({ id, path }) => [id, idsOf(path)])))
    await this.#host.watch?.(jobIds)
  }

  #attach({ window }: Awake, reading: Reading, sight: Visibility): ReadableStream<Uint8Array> {
    const { wanted, once, lastEventId } = reading
    const resumed = lastEventId === null ? null : this.#resume(window, lastEventId, wanted.jobIds)
    const after = typeof resumed === 'number' ? resumed : window.lastSeq
    this.#watches.add(wanted.jobIds, after)
    const reader = new Reader({
      window,
      wanted,
      sight,
      after,
      first: [
        retryOf(RETRY_MIN_MS + ((this.#opened++ * 997) % RETRY_SPREAD_MS)),
        typeof resumed === 'string'
          ? frameOf(window.idOf(after), 'gap', { reason: resumed })
          : frameOf(window.idOf(after), 'ready', { resumed: resumed !== null }),
      ],
      once,
      onEnd: () => {
        this.#readers.delete(reader)
        this.#watches.leave(wanted.jobIds, this.#host.clock.now())
        this.#leave(reading)
      },
    })
    this.#readers.set(reader, { reader, reading })
    return reader.stream
  }

  #resume(window: Window, lastEventId: string, jobIds: ReadonlySet<number>): number | GapReason {
    const after = window.resume(lastEventId)
    return typeof after === 'number' && !this.#watches.cover(jobIds, after) ? 'jobs' : after
  }

  async #look(): Promise<void> {
    try {
      while (this.#isMore && this.#awake) {
        this.#isMore = false
        await this.#readStates(this.#awake)
        await this.#readAlarms(this.#awake)
      }
    } catch (error) {
      this.#host.log.error('event hub: reading committed changes failed; retrying', error)
    }
  }

  async #readStates(awake: Awake): Promise<void> {
    const { database } = this.#host
    const last = awake.place
    const rows = await store.readTransitions(database, last?.place ?? 0, ROWS_AT_ONCE)
    const [first] = rows
    const isThere = !last || (first !== undefined && isSame(first, last))
    const next = isThere ? (rows.at(-1) ?? last) : await store.readLastPlace(database)
    // Nobody reads any more, or others do.
    if (this.#awake !== awake) return
    awake.place = next
    const fresh = last ? rows.slice(1) : rows
    this.#tell(isThere ? fresh.map((row) => stateDraft(row, this.#format)) : [gapDraft('history', null)])
    if (rows.length === ROWS_AT_ONCE) this.#isMore = true
  }

  async #readAlarms(awake: Awake): Promise<void> {
    const rows = await store.readAlarmChanges(this.#host.database, awake.alarmChange, ROWS_AT_ONCE)
    if (this.#awake !== awake) return
    awake.alarmChange = rows.at(-1)?.id ?? awake.alarmChange
    this.#tell(rows.map((row) => alarmDraft(row, this.#format)))
    if (rows.length === ROWS_AT_ONCE) this.#isMore = true
  }

  #tell(drafts: readonly Draft[]): void {
    const window = this.#awake?.window
    if (!window || drafts.length === 0) return
    for (const draft of drafts) window.add(draft)
    for (const reader of this.#readers.keys()) {
      if (reader.isBehind) reader.end()
      else reader.advance()
    }
  }

  async #check({ reader, reading }: Open): Promise<void> {
    let sight: Visibility | null = null
    try {
      sight = await reading.look()
    } catch (error) {
      this.#host.log.error('event hub: checking the rights of a reader failed; its stream ends', error)
    }
    if (!sight) return reader.end()
    reader.narrow(sight)
    reader.beat()
  }
}

const NOTHING = Promise.resolve()

function isSame(one: store.TransitionPosition, other: store.TransitionPosition): boolean {
  return one.place === other.place && one.objectId === other.objectId && one.seq === other.seq
}
