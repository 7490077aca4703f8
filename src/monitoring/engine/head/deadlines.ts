import { step } from '../../jobs/actor.ts'
import type { Event } from '../../jobs/actor.ts'
import type { Effect, Job } from './job.ts'
import { DeadlineHeap } from './deadline-heap.ts'

/** When jobs want to be looked at. Deadlines may move later without being entered anew: a job is then looked at too early,
 * and entered again. */
export class Deadlines {
  readonly #jobs: ReadonlyMap<number, Job>
  readonly #armed: () => void
  readonly #heap = new DeadlineHeap()

  /** `armed` hears when `nextAt` has moved earlier. */
  constructor(jobs: ReadonlyMap<number, Job>, armed: () => void) {
    this.#jobs = jobs
    this.#armed = armed
  }

  /** When the earliest deadline may have passed; infinity when there is none. */
  get nextAt(): number {
    return this.#heap.nextAt
  }

  /** Enters the job's deadline, if it is earlier than what is entered. */
  enter(job: Job): void {
    const at = job.deadlineAt
    if (at >= job.armedAt) return
    job.armedAt = at
    const isEarliest = at < this.#heap.nextAt
    this.#heap.set(at, job.id)
    if (isEarliest) this.#armed()
  }

  /** What happens to each job whose deadline has passed by `now`, one at a time; the others stay entered. A job whose
   * deliveries were refused has more time; every other one is woken. */
  *takeDue(now: number): Generator<{ readonly effect: Effect; readonly event: Event }> {
    for (let due = this.#heap.takeDue(now); due !== null; due = this.#heap.takeDue(now)) {
      const job = this.#jobs.get(due.id)
      // A job that was forgotten left its entry behind.
      if (!job || job.armedAt !== due.at) continue
      job.armedAt = Number.POSITIVE_INFINITY
      const refused = job.refusedBy(now)
      const put = refused && happening(job, { kind: 'deaf', ...refused, isSent: true }, now)
      const found = put ?? happening(job, { kind: 'wake' }, now)
      if (found) yield found
      else this.enter(job)
    }
  }
}

/** What an event does to a job; null where its deadline stays. */
function happening(job: Job, event: Event, now: number): { effect: Effect; event: Event } | null {
  const result = step(job.state, event, now)
  return result.state.deadline?.at === job.state.deadline?.at ? null : { effect: { job, result }, event }
}
