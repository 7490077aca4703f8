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
import { Window } from '../window.ts'
import { frameOf, retryOf } from '../../../http/server-sent-events.ts'
import type { Draft, GapReason, WindowLimits } from '../window.ts'
import { full, StreamLimiter } from './stream-limiter.ts'
import type { StreamLimits } from './stream-limiter.ts'
import { Watches } from './watches.ts'

/** How often a host calls `beat`. A revoked right takes effect within twice this time. */
export const BEAT_MS = 5_000
/** How long the window is kept after the last reader has gone, so that readers can resume. */
const LINGER_MS = 300_000
const ROWS_AT_ONCE = 1_000
const LOOKS_AT_ONCE = 50
/** Clients reconnect after 2 to 5 seconds, so that they do not all reconnect at once. */
const RETRY_MIN_MS = 2_000
const RETRY_SPREAD_MS = 3_000

export type HubLimits = WindowLimits & StreamLimits & { readonly watchedJobsMax: number }

const LIMITS: HubLimits = {
  eventsMax: 20_000,
  sizeMaxBytes: 16 * 1024 * 1024,
  readersMax: 2_000,
  readersOfUserMax: 100,
  watchedJobsMax: 5_000,
}

/** The hub's port to its host. */
export type HubHost = Pick<Ports, 'database' | 'clock' | 'log'> & {
  readonly settings: Pick<Ports['settings'], 'timeZone'>
  readonly limits?: Partial<HubLimits>
  /** Asks jobs that live in other isolates to send their values; repeated on each beat. */
  watch?(jobIds: readonly number[]): Promise<void>
}

/** The state while there are readers and for a while after: the window, and the last published transition and alarm
 * change. */
type Awake = { readonly window: Window; place: store.TransitionPosition | null; alarmChange: number }

type Open = { readonly reader: Reader; readonly reading: Reading }

/**
 * Publishes events to readers.
 *
 * 1. States and alarms are read from the database, from the last published one on, so that no event is lost between a
 *    commit and its publication, and events have the order of their commits.
 * 2. Values and script events, which are stored nowhere in this order, are passed in by their source.
 * 3. All events get a number in one window, from which each reader takes events as fast as it reads. A reader that is
 *    further behind than the window is cut off.
 * 4. Without readers, the hub reads and keeps nothing.
 */
export class Hub implements Events, Subscribers {
  readonly #host: HubHost
  readonly #limits: HubLimits
  readonly #format: TimeFormat
  readonly #lock = new Mutex()
  readonly #readers = new Map<Reader, Open>()
  readonly #seats: StreamLimiter
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
    this.#seats = new StreamLimiter(this.#limits)
    this.#format = timeFormat(host.settings.timeZone)
  }

  /** The number of open streams. */
  get readers(): number {
    return this.#readers.size
  }

  /** False after a while without readers: then the hub keeps nothing. */
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

  /** @param missed whether values of the first of these jobs were lost */
  tell(values: readonly JobValues[], missed = false): Promise<void> {
    const [first] = values
    if (missed && first) this.#tell([gapDraft('values', first.jobId)])
    const watched = values.filter(({ jobId }) => this.#watches.has(jobId))
    this.#tell(watched.map((one) => valueDraft(one, this.#watches.above(one.jobId), this.#format)))
    return NOTHING
  }

  /** Checks the rights of every reader again and reads unpublished changes; called every `BEAT_MS`. Concurrent calls
   * share one run. */
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

  /** Ends all streams and refuses new ones. */
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

  /** Makes the jobs send their values from now on. */
  async #watch({ window }: Awake, jobIds: readonly number[]): Promise<void> {
    if (jobIds.length === 0) return
    if (this.#watches.size + this.#watches.missing(jobIds) > this.#limits.watchedJobsMax)
      throw full('Too many jobs are watched for values. Try again later.')
    // A stream that ended at the latest number, without these jobs, must not resume as if it had missed nothing of
    // them.
    const since = this.#watches.missing(jobIds) > 0 ? window.add(MARK).seq : window.lastSeq
    this.#watches.add(jobIds, since)
    try {
      await this.#place(jobIds)
    } finally {
      // A reader that attaches counts the jobs again, in the same turn.
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
    // The hub has fallen asleep, or was woken anew, during the read.
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
    reader.look(sight)
    reader.beat()
  }
}

const NOTHING = Promise.resolve()

function isSame(one: store.TransitionPosition, other: store.TransitionPosition): boolean {
  return one.place === other.place && one.objectId === other.objectId && one.seq === other.seq
}
