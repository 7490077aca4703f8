import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { EngineHost } from '../../src/monitoring/engine/host.ts'
import { pageGroupOf, nextSlot } from '../../src/monitoring/engine/retention/stagger.ts'
import { UNKNOWN_LIMITS_MAX } from '../../src/ports/ingest-health.ts'
import type { IngestHealth } from '../../src/ports/ingest-health.ts'

/** A gap between two looks at the clock that is longer than this was a time in which nothing could be received. */
const STALL_MS = 500
const TICK_MAX_MS = 250
const HEARTBEAT_MS = 1_000
/** Fewer samples a flush would write more segments that are packed once more; more would make a restart slow. */
const FLUSH_SAMPLES = 2_500_000
const FLUSH_ROWS = 20_000
const FLUSH_BYTES = 32 * 1024 * 1024
const FLUSH_MS = 60_000
/** Samples may expire a day late; less frequent retention would have much to do at once. */
const TIDY_MS = 3_600_000
/** The jobs whose turn came meanwhile are tidied together: of 10,000 some thirty. */
const TIDY_SLICE_MS = 10_000
/** The pause after a look in which no job was due. */
const BANDS_MS = 1_000
/** The pause after a flush, even a failed flush. */
const FLUSH_PAUSE_MS = 1_000

const NOTHING = { samples: 0, rows: 0, sizeBytes: 0 }

/** The engine of this process, with the scheduler around it: deadlines, heartbeat, flushes. */
export type ScheduledEngine = {
  readonly engine: JobEngine
  readonly ingestHealth: IngestHealth
  start(): Promise<void>
  close(): Promise<void>
}

/** Opens the engine. `start` begins to judge silence: call it when deliveries can be received. */
export async function openEngine(
  host: Omit<EngineHost, 'armed' | 'turn'>,
  stallMs = STALL_MS,
): Promise<ScheduledEngine> {
  const scheduler = new EngineScheduler(host, stallMs)
  const engine = await JobEngine.open({
    ...host,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    armed: () => scheduler.armed(),
  })
  scheduler.attach(engine)
  return {
    engine,
    ingestHealth: {
      lastIngestGap: () => engine.lastIngestGap,
      clockBehindMs: () => engine.clockBehindMs,
      unknownLimits: () => Promise.resolve(engine.unknownLimits.slice(0, UNKNOWN_LIMITS_MAX)),
      figures: () => engine.figures(),
      refusal: () => engine.refusal,
      recordRefusal: () => engine.recordRefusal(),
    },
    start: () => scheduler.start(),
    close: () => scheduler.close(),
  }
}

class EngineScheduler {
  readonly #host: Omit<EngineHost, 'armed' | 'turn'>
  readonly #stallMs: number
  #engine: JobEngine | null = null
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #ticking: Promise<void> = Promise.resolve()
  #tidying: Promise<void> | null = null
  #makingBands: Promise<void> | null = null
  #lastLookAt = 0
  /** The monotonic clock at that look. */
  #lastLookMs = 0
  #lastHeartbeatAt = 0
  #lastFlushAt = 0
  #lastTidyAt = 0
  #noBandsAt = 0
  #isClosed = false
  #hasStumbled = false

  constructor(host: Omit<EngineHost, 'armed' | 'turn'>, stallMs: number) {
    this.#host = host
    this.#stallMs = stallMs
  }

  attach(engine: JobEngine): void {
    this.#engine = engine
  }

  /** Credits the time since the last heartbeat, then lets the scheduler run. */
  async start(): Promise<void> {
    const now = this.#host.clock.now()
    const lastSeenAt = (await this.#engine?.lastHeartbeat()) ?? null
    if (lastSeenAt !== null && now - lastSeenAt > this.#stallMs)
      await this.#engine?.recordIngestGap(lastSeenAt, now)
    this.#lastLookAt = this.#host.clock.now()
    this.#lastLookMs = this.#host.clock.monotonic()
    this.#lastFlushAt = now
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
    await this.#makingBands
    await this.#engine?.settled()
    if (this.#mayFlush()) await this.#engine?.flush()
    await this.#engine?.beat(this.#host.clock.now())
  }

  /** No long timeout: past 2^31 ms a timer fires at once, and a suspended machine would sleep through it. */
  #schedule(): void {
    if (this.#isClosed || !this.#engine) return
    const now = this.#host.clock.now()
    // A deadline that could not be noticed stays the earliest: without a pause it would be tried without end.
    const at = this.#hasStumbled ? now + TICK_MAX_MS : Math.min(this.#engine.nextAt, now + TICK_MAX_MS)
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
        this.#host.log.error('engine: tick failed; retrying', error)
      })
      .finally(() => this.#schedule())
  }

  async #look(): Promise<void> {
    const engine = this.#engine
    if (!engine) return
    const now = this.#host.clock.now()
    const stalledMs = this.#sinceLastLook(now)
    if (stalledMs > TICK_MAX_MS + this.#stallMs) {
      this.#host.log.warn(
        `engine: nothing was received for ${(stalledMs / 1_000).toFixed(1)} s, because the process was paused or the clock was set ahead; all timeouts were extended by that time. If this happens often, give the machine more CPU or memory, and do not pause its virtual machine.`,
        { stalledMs: Math.round(stalledMs) },
      )
      await engine.recordIngestGap(now - stalledMs, now)
      // Whose turn came meanwhile waits for the next one: they must not all come at once now.
      this.#lastTidyAt = now
    }
    // Uses the instant of the check: a later stall is credited at the next check, before any deadline is judged.
    await engine.wake(now)
    engine
      .settled()
      .catch((error: unknown) =>
        this.#host.log.error('engine: processing state transitions failed; retrying', error),
      )
    if (Math.abs(now - this.#lastHeartbeatAt) >= HEARTBEAT_MS) {
      this.#lastHeartbeatAt = now
      await engine.beat(now)
    }
    this.#flushWhenDue(now)
    this.#retainWhenDue(now)
    this.#makeBandsWhenDue(now)
  }

  /** The time since the last call, ms: the longer one of the wall clock and the monotonic clock. */
  #sinceLastLook(now: number): number {
    const monotonicMs = this.#host.clock.monotonic()
    const sinceMs = Math.max(now - this.#lastLookAt, monotonicMs - this.#lastLookMs)
    this.#lastLookAt = now
    this.#lastLookMs = monotonicMs
    return Math.round(sinceMs)
  }

  /** On a full disk a flush would only take what a delete needs; the journal keeps its samples as well. */
  #mayFlush(): boolean {
    return this.#host.freeBytes() >= (this.#engine?.unflushed.sizeBytes ?? 0)
  }

  /** Deadlines go on meanwhile: a flush works in small slices and lets everything else in between. */
  #flushWhenDue(now: number): void {
    const { samples, rows, sizeBytes } = this.#engine?.unflushed ?? NOTHING
    const isLarge = samples >= FLUSH_SAMPLES || rows >= FLUSH_ROWS || sizeBytes >= FLUSH_BYTES
    const pauseMs = isLarge ? FLUSH_PAUSE_MS : FLUSH_MS
    if (rows === 0 || Math.abs(now - this.#lastFlushAt) < pauseMs || !this.#mayFlush()) return
    this.#lastFlushAt = now
    this.#engine
      ?.flush()
      .catch((error: unknown) => this.#host.log.error('engine: flush failed; retrying', error))
  }

  #makeBandsWhenDue(now: number): void {
    if (!this.#engine || this.#makingBands || Math.abs(now - this.#noBandsAt) < BANDS_MS) return
    if (this.#engine.nextBandsAt > now) {
      this.#noBandsAt = now
      return
    }
    this.#makingBands = this.#engine
      .makeBands(now)
      .catch((error: unknown) =>
        this.#host.log.error('engine: computing usual values failed; retrying', error),
      )
      .finally(() => {
        this.#makingBands = null
      })
  }

  /** After the clock was set back, no job has its turn twice in a row. Neighbours run together because they share pages. */
  #retainWhenDue(now: number): void {
    const afterAt = this.#lastTidyAt
    if (!this.#engine || this.#tidying || Math.abs(now - afterAt) < TIDY_SLICE_MS) return
    this.#lastTidyAt = now
    this.#tidying = this.#engine.retention
      .apply({
        selects: (jobId) => nextSlot(pageGroupOf(jobId), TIDY_MS, afterAt) <= now,
        goesOn: () => !this.#isClosed,
      })
      .catch((error: unknown) => this.#host.log.error('engine: retention failed; retrying', error))
      .finally(() => {
        this.#tidying = null
      })
  }
}
