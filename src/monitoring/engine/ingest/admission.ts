import { Refusal } from '../../../lib/errors.ts'
import type { Sender } from '../../../domain/delivery.ts'
import { checkSender } from '../../jobs/delivery.ts'
import type { Job } from '../head/job.ts'
import type { SilenceWatch } from './silence.ts'

/** Admits the jobs of one call of a sender. Capacity is checked for the first job only. */
export class Admission {
  readonly #silence: SilenceWatch
  readonly #sender: Sender
  readonly #now: number
  #hasCapacity = false

  constructor(silence: SilenceWatch, sender: Sender, now: number) {
    this.#silence = silence
    this.#sender = sender
    this.#now = now
  }

  /** Takes one delivery from the job's rate limit. A refused job does not count as silent.
   * @throws {Refusal} forbidden, storage_full, overloaded, too_fast */
  admit(job: Job): void {
    checkSender(job, this.#sender)
    if (!this.#hasCapacity) this.#silence.requireCapacity(job, this.#now)
    this.#hasCapacity = true
    requireRate(job, this.#now)
  }
}

/** Takes one delivery from the job's rate limit. A refused job does not count as silent. @throws {Refusal} too_fast */
export function requireRate(job: Job, now: number): void {
  if (job.tryConsume(now)) return
  job.refuse(now)
  throw new Refusal('too_fast', 'The job receives more than 5,000 deliveries per second. Send fewer.')
}
