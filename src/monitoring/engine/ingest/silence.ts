import { Refusal } from '../../../lib/errors.ts'
import type { IngestGap } from '../../../ports/ingest-health.ts'
import type { Event } from '../../jobs/actor.ts'
import { capacityRefusal } from './capacity.ts'
import type { Head } from '../head/head.ts'
import type { EngineHost } from '../host.ts'
import { effectsOf } from '../head/job.ts'
import type { Job } from '../head/job.ts'
import type { IngestOutage } from './outage.ts'
import { WatchedClock } from './watched-clock.ts'
import type { WatchedValues } from './watched-values.ts'
import type { Wal } from '../wal/wal.ts'

const WAKES_PER_COMMIT = 2_000

type SilenceHost = EngineHost & { readonly values: WatchedValues }

/** Wakes jobs whose deadline has passed, and extends deadlines by the time in which the service could not receive. */
export class SilenceWatch {
  readonly clock: WatchedClock
  readonly #host: SilenceHost
  readonly #head: Head
  readonly #wal: Wal
  readonly #outage: IngestOutage
  #lastIngestGap: IngestGap | null = null

  constructor(host: SilenceHost, head: Head, wal: Wal, outage: IngestOutage) {
    this.#host = host
    this.#head = head
    this.#wal = wal
    this.#outage = outage
    this.clock = new WatchedClock(host.clock, (byMs, now) => this.#setBack(byMs, now))
  }

  /** The last time in which deliveries could not be received or were refused, once it is over. */
  get lastIngestGap(): IngestGap | null {
    return this.#lastIngestGap
  }

  /** The time of the next `wake`, epoch ms; infinity when no job has a deadline. */
  get nextAt(): number {
    const { deadlines } = this.#head
    const outage = this.#outage
    return outage.isOpen ? Math.max(outage.heldUntilAt, deadlines.nextAt) : deadlines.nextAt
  }

  /** The reason why no delivery can be stored now; null while deliveries can be stored. */
  get refusal(): Refusal | null {
    if (this.#host.values.isFailing)
      return new Refusal(
        'unavailable',
        'Deliveries cannot be stored because the values database cannot be written. Stop the process that locks it, or check the disk; the log has the cause.',
      )
    const refusal = this.#capacityRefusal()
    // An overloaded engine stores some of the deliveries.
    return refusal?.code === 'storage_full' ? refusal : null
  }

  /** A delivery was refused before its job was known. */
  recordRefusal(): void {
    const now = this.#host.clock.now()
    this.#outage.refused(now)
  }

  /** The refused job does not count as silent. @throws {Refusal} storage_full, overloaded */
  requireCapacity(job: Job, now: number): void {
    const refusal = this.#capacityRefusal()
    if (refusal === null) return
    job.refuse(now)
    this.#outage.refused(now)
    throw refusal
  }

  /** As `JobEngine.wake`. */
  async wake(now: number): Promise<void> {
    this.clock.notice(now)
    this.clock.measure(now)
    if (this.#outage.isOpen && !(await this.#endOutage(now))) return
    await Promise.all(this.#wakeSome(now))
  }

  /** As `JobEngine.recordIngestGap`. */
  async recordIngestGap(fromAt: number, toAt: number): Promise<void> {
    this.clock.notice(toAt)
    const aheadMs = this.clock.aheadMs(toAt)
    this.clock.measure(toAt)
    await this.#acceptForAll({ kind: 'ingest gap', fromAt, toAt, aheadMs }, toAt)
    this.#lastIngestGap = { fromAt, toAt }
  }

  #capacityRefusal(): Refusal | null {
    return capacityRefusal(this.#head.unflushed, this.#wal.isFull, this.#host.freeBytes())
  }

  /** False while deliveries are still refused: no job is woken then. */
  async #endOutage(now: number): Promise<boolean> {
    const [outage, host] = [this.#outage, this.#host]
    if (this.#capacityRefusal() !== null) outage.refused(now)
    if (!outage.isOverAt(now)) return false
    const { span } = outage
    if (span) {
      await this.#acceptForAll({ kind: 'ingest gap', ...span }, now)
      this.#lastIngestGap = span
      host.log.warn('engine: deliveries were rejected; all timeouts were extended by that time', {
        refusedMs: span.toAt - span.fromAt,
      })
    }
    // While storage still fails, the next failure belongs to the same outage.
    if (span || !host.values.isFailing) outage.end()
    return true
  }

  /** Applies an event to all jobs. */
  async #acceptForAll(event: Event, at: number): Promise<void> {
    const effects = [...this.#head.jobs.values()].flatMap((job) => effectsOf(job, event, at))
    if (effects.length > 0) await this.#wal.accept({ jobId: 0, at, event }, effects)
  }

  /** Deadlines move in the same turn, before the clock is read again. */
  #setBack(byMs: number, now: number): void {
    this.#host.log.warn(
      'engine: the clock was set back behind the stored values; deadlines were moved back, and new values get the latest stored time until the clock has caught up. Check the time synchronisation of this machine.',
      { setBackMs: -byMs, behindMs: this.clock.behindMs },
    )
    this.#acceptForAll({ kind: 'clock', byMs }, now).catch(() => this.clock.reportAgain())
  }

  #wakeSome(now: number): readonly Promise<void>[] {
    const woken: Promise<void>[] = []
    for (const { effect, event } of this.#head.deadlines.takeDue(now)) {
      // A failed commit reverts the job and enters its deadline again.
      woken.push(this.#wal.accept({ jobId: effect.job.id, at: now, event }, [effect]))
      if (woken.length >= WAKES_PER_COMMIT) break
    }
    return woken
  }
}
