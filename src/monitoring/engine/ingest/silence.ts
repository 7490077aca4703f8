import { Refusal } from '../../../lib/errors.ts'
import type { IngestGap } from '../../../ports/ingest-health.ts'
import type { Event } from '../../jobs/actor.ts'
import { capacityRefusal } from './admission.ts'
import type { Deadlines } from '../head/deadlines.ts'
import type { EngineHost } from '../host.ts'
import { effectsOf } from '../head/job.ts'
import type { Job } from '../head/job.ts'
import type { IngestOutage } from './outage.ts'
import { WatchedClock } from './watched-clock.ts'
import type { WatchedValues } from '../wal/watched-values.ts'
import type { Wal } from '../wal/wal.ts'

const WAKES_PER_COMMIT = 2_000

type SilenceDeps = {
  readonly host: EngineHost & { readonly values: WatchedValues }
  readonly jobs: ReadonlyMap<number, Job>
  readonly deadlines: Deadlines
  readonly outage: IngestOutage
  readonly wal: Wal
}

/** Judges the silence of jobs, and tells it from times in which the service itself did not hear. */
export class SilenceWatch {
  readonly clock: WatchedClock
  readonly #parts: SilenceDeps
  #lastIngestGap: IngestGap | null = null

  constructor(parts: SilenceDeps) {
    this.#parts = parts
    this.clock = new WatchedClock(parts.host.clock, (byMs, now) => this.#setBack(byMs, now))
  }

  /** The latest time in which deliveries could not be received or were refused, once it is over. */
  get lastIngestGap(): IngestGap | null {
    return this.#lastIngestGap
  }

  /** When the earliest deadline may have passed and may be judged; infinity when there is none. */
  get nextAt(): number {
    const { deadlines, outage } = this.#parts
    return outage.isOpen ? Math.max(outage.heldUntilAt, deadlines.nextAt) : deadlines.nextAt
  }

  /** Why nothing can be stored just now; null while it can. */
  get refusal(): Refusal | null {
    const { host } = this.#parts
    if (host.values.isFailing)
      return new Refusal(
        'unavailable',
        'Deliveries cannot be stored because the values database cannot be written. Stop the process that locks it, or check the disk; the log has the cause.',
      )
    const refusal = this.#capacityRefusal()
    // Where too much waits, some of it is stored.
    return refusal?.code === 'storage_full' ? refusal : null
  }

  /** A delivery was refused before anybody knew of which job. */
  recordRefusal(): void {
    const now = this.#parts.host.clock.now()
    this.#parts.outage.refused(now)
  }

  /** @throws {Refusal} storage_full, overloaded: then the job, which sends, is not taken for silent */
  requireCapacity(job: Job, now: number): void {
    const refusal = this.#capacityRefusal()
    if (refusal === null) return
    job.refuse(now)
    this.#parts.outage.refused(now)
    throw refusal
  }

  /** As `JobEngine.wake`. */
  async wake(now: number): Promise<void> {
    const { outage } = this.#parts
    this.clock.notice(now)
    this.clock.measure(now)
    if (outage.isOpen && !(await this.#endOutage(now))) return
    await Promise.all(this.#wakeSome(now))
  }

  /** As `JobEngine.deaf`. */
  async recordIngestGap(fromAt: number, toAt: number): Promise<void> {
    this.clock.notice(toAt)
    const aheadMs = this.clock.aheadMs(toAt)
    this.clock.measure(toAt)
    await this.#acceptOfAll({ kind: 'deaf', fromAt, toAt, aheadMs }, toAt)
    this.#lastIngestGap = { fromAt, toAt }
  }

  #capacityRefusal(): Refusal | null {
    const { host, wal } = this.#parts
    return capacityRefusal(wal.unflushed, wal.isFull, host.freeBytes())
  }

  /** False while deliveries are refused still: then no silence is judged. */
  async #endOutage(now: number): Promise<boolean> {
    const { outage, host } = this.#parts
    if (this.#capacityRefusal() !== null) outage.refused(now)
    if (!outage.isOverAt(now)) return false
    const { span } = outage
    if (span) {
      await this.#acceptOfAll({ kind: 'deaf', ...span }, now)
      this.#lastIngestGap = span
      host.log.warn('engine: deliveries were rejected; all timeouts were extended by that time', {
        refusedMs: span.toAt - span.fromAt,
      })
    }
    // Where storage fails still, what is tried next adds to the same outage.
    if (span || !host.values.isFailing) outage.end()
    return true
  }

  /** An event that concerns all jobs. */
  async #acceptOfAll(event: Event, at: number): Promise<void> {
    const { jobs, wal } = this.#parts
    const effects = [...jobs.values()].flatMap((job) => effectsOf(job, event, at))
    if (effects.length > 0) await wal.accept({ jobId: 0, at, event }, effects)
  }

  /** Deadlines move in this turn, so that whatever is read from the clock next finds them where they belong. */
  #setBack(byMs: number, now: number): void {
    this.#parts.host.log.warn(
      'engine: the clock was set back behind the stored values; deadlines were moved back, and new values get the latest stored time until the clock has caught up. Check the time synchronisation of this machine.',
      { setBackMs: -byMs, behindMs: this.clock.behindMs },
    )
    this.#acceptOfAll({ kind: 'clock', byMs }, now).catch(() => this.clock.reportAgain())
  }

  #wakeSome(now: number): readonly Promise<void>[] {
    const { deadlines, wal } = this.#parts
    const woken: Promise<void>[] = []
    for (const { effect, event } of deadlines.takeDue(now)) {
      // What is refused is undone, and so entered again.
      woken.push(wal.accept({ jobId: effect.job.id, at: now, event }, [effect]))
      if (woken.length >= WAKES_PER_COMMIT) break
    }
    return woken
  }
}
