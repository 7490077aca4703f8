import { step } from '../../jobs/actor.ts'
import type { Event } from '../../jobs/actor.ts'
import type { Effect, Job } from './job.ts'
import { DeadlineHeap } from './deadline-heap.ts'

/** The deadlines of jobs. A deadline that moves later need not be entered again: its job is woken too early, and the later
 * deadline is entered then. */
export class Deadlines {
  readonly #jobs: ReadonlyMap<number, Job>
  readonly #armed: () => void
  readonly #heap = new DeadlineHeap()

  /** @param armed is called when `nextAt` moved earlier */
  constructor(jobs: ReadonlyMap<number, Job>, armed: () => void) {
    this.#jobs = jobs
    this.#armed = armed
  }

  /** The earliest entered deadline, epoch ms; infinity without deadlines. */
  get nextAt(): number {
    return this.#heap.nextAt
  }

  /** Enters the job's deadline, if it is earlier than the entered one. */
  enter(job: Job): void {
    const at = job.deadlineAt()
    if (at >= job.armedAt) return
    job.armedAt = at
    const isEarliest = at < this.#heap.nextAt
    this.#heap.set(at, job.id)
    if (isEarliest) this.#armed()
  }

  /** Yields an effect for each job whose deadline has passed by `now`. A job whose deliveries were refused gets more time;
   * every other job is woken. */
  *takeDue(now: number): Generator<{ readonly effect: Effect; readonly event: Event }> {
    for (let entry = this.#heap.takeDue(now); entry !== null; entry = this.#heap.takeDue(now)) {
      const job = this.#jobs.get(entry.id)
      // A forgotten job leaves its entry behind.
      if (!job || job.armedAt !== entry.at) continue
      job.armedAt = Number.POSITIVE_INFINITY
      const refused = job.refusedBy(now)
      const credit = refused && effectOf(job, { kind: 'ingest gap', ...refused, isSent: true }, now)
      const due = credit ?? effectOf(job, { kind: 'wake' }, now)
      if (due) yield due
      else this.enter(job)
    }
  }
}

/** The effect of an event on a job; null where its deadline stays. */
function effectOf(job: Job, event: Event, now: number): { effect: Effect; event: Event } | null {
  const before = job.currentState()
  const result = step(before, event, now)
  return result.state.deadline?.at === before.deadline?.at ? null : { effect: { job, result }, event }
}
