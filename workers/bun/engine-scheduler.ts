import { Keeper } from '../../src/monitoring/engine/service.ts'
import type { KeeperHost } from '../../src/monitoring/engine/host.ts'
import { neighbourhoodOf, nextTurn } from '../../src/monitoring/engine/retention/stagger.ts'
import type { Hearing } from '../../src/ports/ingest-health.ts'

/** A gap between two looks at the clock that is longer than this was a time in which nothing could be received. */
const STALL_MS = 500
const TICK_MAX_MS = 250
const HEARTBEAT_MS = 1_000
/** Fewer samples a fold would write more segments that are packed once more; more would make a restart slow. */
const FOLD_SAMPLES = 2_500_000
const FOLD_ROWS = 20_000
const FOLD_BYTES = 32 * 1024 * 1024
const FOLD_MS = 60_000
/** What is a day older than it must be is no harm; what tidies too rarely has much to do at once. */
const TIDY_MS = 3_600_000
/** The jobs whose turn came meanwhile are tidied together: of 10,000 some thirty. */
const TIDY_SLICE_MS = 10_000
/** Also after one that failed. */
const FOLD_PAUSE_MS = 1_000

const NOTHING = { samples: 0, rows: 0, sizeBytes: 0 }

/** The keeper of this process, with the clockwork around it: deadlines, heartbeat, folds. */
export type Keeping = {
  readonly keeper: Keeper
  readonly hearing: Hearing
  start(): Promise<void>
  close(): Promise<void>
}

/** Opens the keeper. `start` begins to judge silence: call it when deliveries can be received. */
export async function openKeeping(
  host: Omit<KeeperHost, 'armed' | 'turn'>,
  stallMs = STALL_MS,
): Promise<Keeping> {
  const clockwork = new Clockwork(host, stallMs)
  const keeper = await Keeper.open({
    ...host,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    armed: () => clockwork.armed(),
  })
  clockwork.attach(keeper)
  return {
    keeper,
    hearing: {
      lastDeaf: () => keeper.lastDeaf,
      clockBehindMs: () => keeper.clockBehindMs,
      refusal: () => keeper.refusal,
      wasRefused: () => keeper.wasRefused(),
    },
    start: () => clockwork.start(),
    close: () => clockwork.close(),
  }
}

class Clockwork {
  readonly #host: Omit<KeeperHost, 'armed' | 'turn'>
  readonly #stallMs: number
  #keeper: Keeper | null = null
  #timer: Timer | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #ticking: Promise<void> = Promise.resolve()
  #tidying: Promise<void> | null = null
  #lastLookAt = 0
  /** The monotonic clock at that look. */
  #lastLookMs = 0
  #lastHeartbeatAt = 0
  #lastFoldAt = 0
  #lastTidyAt = 0
  #isClosed = false
  #hasStumbled = false

  constructor(host: Omit<KeeperHost, 'armed' | 'turn'>, stallMs: number) {
    this.#host = host
    this.#stallMs = stallMs
  }

  attach(keeper: Keeper): void {
    this.#keeper = keeper
  }

  /** Credits the time since the last heartbeat, then lets the clockwork run. */
  async start(): Promise<void> {
    const now = this.#host.clock.now()
    const lastSeenAt = (await this.#keeper?.lastHeartbeat()) ?? null
    if (lastSeenAt !== null && now - lastSeenAt > this.#stallMs) await this.#keeper?.deaf(lastSeenAt, now)
    this.#lastLookAt = this.#host.clock.now()
    this.#lastLookMs = this.#host.clock.monotonic()
    this.#lastFoldAt = now
    this.#lastTidyAt = now
    this.#schedule()
  }

  /** A deadline moved earlier: look sooner. */
  armed(): void {
    if (this.#timer) this.#schedule()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#ticking
    await this.#tidying
    await this.#keeper?.settled()
    if (this.#mayFold()) await this.#keeper?.fold()
    await this.#keeper?.beat(this.#host.clock.now())
  }

  /** No long timeout: past 2^31 ms a timer fires at once, and a suspended machine would sleep through it. */
  #schedule(): void {
    if (this.#isClosed || !this.#keeper) return
    const now = this.#host.clock.now()
    // A deadline that could not be noticed stays the earliest: without a pause it would be tried without end.
    const at = this.#hasStumbled ? now + TICK_MAX_MS : Math.min(this.#keeper.nextAt, now + TICK_MAX_MS)
    if (this.#timer && this.#timerAt <= at) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, at - now))
  }

  #tick(): void {
    this.#timer = null
    this.#hasStumbled = false
    this.#ticking = this.#look()
      .catch((error: unknown) => {
        this.#hasStumbled = true
        this.#host.log.error('the clockwork stumbled and goes on', error)
      })
      .finally(() => this.#schedule())
  }

  async #look(): Promise<void> {
    const keeper = this.#keeper
    if (!keeper) return
    const now = this.#host.clock.now()
    const stalledMs = this.#sinceLastLook(now)
    if (stalledMs > TICK_MAX_MS + this.#stallMs) {
      this.#host.log.warn(
        `Nothing was received for ${(stalledMs / 1_000).toFixed(1)} s: the process did not run, or the clock was set ahead. Deadlines of jobs are put off by that time. If it happens often, give the machine more CPU or memory, or pause no virtual machine that runs this service.`,
        { stalledMs: Math.round(stalledMs) },
      )
      await keeper.deaf(now - stalledMs, now)
      // Whose turn came meanwhile waits for the next one: they must not all come at once now.
      this.#lastTidyAt = now
    }
    // By the time that was looked at: a stall from here on is credited at the next look, before anything is judged by it.
    await keeper.wake(now)
    keeper.settled().catch((error: unknown) => this.#host.log.error('a change of state waits', error))
    if (Math.abs(now - this.#lastHeartbeatAt) >= HEARTBEAT_MS) {
      this.#lastHeartbeatAt = now
      await keeper.beat(now)
    }
    this.#foldWhenDue(now)
    this.#tidyWhenDue(now)
  }

  /** The time that passed since this was asked last, by whichever clock has it longer, ms. */
  #sinceLastLook(now: number): number {
    const monotonicMs = this.#host.clock.monotonic()
    const sinceMs = Math.max(now - this.#lastLookAt, monotonicMs - this.#lastLookMs)
    this.#lastLookAt = now
    this.#lastLookMs = monotonicMs
    return Math.round(sinceMs)
  }

  /** On a full disk a fold would only take what a delete needs; the journal keeps its samples as well. */
  #mayFold(): boolean {
    return this.#host.roomBytes() >= (this.#keeper?.unfolded.sizeBytes ?? 0)
  }

  /** Deadlines go on meanwhile: a fold works in small slices and lets everything else in between. */
  #foldWhenDue(now: number): void {
    const { samples, rows, sizeBytes } = this.#keeper?.unfolded ?? NOTHING
    const isLarge = samples >= FOLD_SAMPLES || rows >= FOLD_ROWS || sizeBytes >= FOLD_BYTES
    const pauseMs = isLarge ? FOLD_PAUSE_MS : FOLD_MS
    if (rows === 0 || Math.abs(now - this.#lastFoldAt) < pauseMs || !this.#mayFold()) return
    this.#lastFoldAt = now
    this.#keeper
      ?.fold()
      .catch((error: unknown) => this.#host.log.error('a fold failed and is tried again', error))
  }

  /** A clock that was set back takes nobody's turn twice in a row. Neighbours have theirs together: they share pages. */
  #tidyWhenDue(now: number): void {
    const afterAt = this.#lastTidyAt
    if (!this.#keeper || this.#tidying || Math.abs(now - afterAt) < TIDY_SLICE_MS) return
    this.#lastTidyAt = now
    this.#tidying = this.#keeper.history
      .tidy({
        whose: (jobId) => nextTurn(neighbourhoodOf(jobId), TIDY_MS, afterAt) <= now,
        goesOn: () => !this.#isClosed,
      })
      .catch((error: unknown) => this.#host.log.error('tidying failed and is tried again', error))
      .finally(() => {
        this.#tidying = null
      })
  }
}
