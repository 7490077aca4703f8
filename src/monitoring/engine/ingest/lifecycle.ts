import { step } from '../../jobs/actor.ts'
import type { Event } from '../../jobs/actor.ts'
import type { JobRules } from '../../../domain/job-rules.ts'
import type { Head } from '../head/head.ts'
import { Job } from '../head/job.ts'
import type { Retention } from '../retention/retention.ts'
import type { Wal } from '../wal/wal.ts'
import type { SilenceWatch } from './silence.ts'

/** Creates, configures and forgets jobs. */
export class Lifecycle {
  readonly #head: Head
  readonly #wal: Wal
  readonly #retention: Retention
  readonly #silence: SilenceWatch

  constructor(head: Head, wal: Wal, retention: Retention, silence: SilenceWatch) {
    this.#head = head
    this.#wal = wal
    this.#retention = retention
    this.#silence = silence
  }

  /** Creates the job unless a job has this id. @throws {Refusal} unavailable */
  async configure(jobId: number, rules: JobRules): Promise<void> {
    const event: Event = { kind: 'configure', jobId, rules }
    const known = this.#head.find(jobId)
    const now = this.#silence.clock.now()
    const result = step(known?.currentState() ?? null, event, now)
    const job = known ?? new Job(result.state, null)
    this.#head.add(job)
    const accepted = this.#wal.accept({ jobId, at: now, event }, [{ job, result }])
    this.#head.noteRules(job)
    await accepted
    if (result.transitions.length > 0) await this.#wal.outbox.deliver()
  }

  /** Does nothing where there is no such job. @throws {Refusal} unavailable */
  async forget(jobId: number): Promise<void> {
    const job = this.#head.find(jobId)
    if (!job) return
    this.#head.leave(job)
    const entry = { jobId, at: this.#silence.clock.now(), event: { kind: 'forget' } } as const
    await this.#wal.accept(entry, [], { forgotten: job })
    await this.#retention.sweepQuietly()
  }
}
