import { areSame } from '../../../lib/same.ts'
import { Chains } from './pending-samples.ts'
import type { Heard, Job } from './job.ts'

/** What may wait for the jobs of one panel: to hand it out takes a few milliseconds at most. */
const ROUNDS_MAX = 32
const VALUES_MAX = 65_536

/** One value for each job of a panel, in its order. */
export type PanelRound = Pick<Heard, 'at' | 'values'>

/** Jobs that hear the same rounds, and rounds on stable storage that these have not taken yet. */
export class Panel {
  readonly key: string
  readonly jobs: readonly Job[]
  readonly #ids: readonly number[]
  readonly rounds: PanelRound[] = []
  /** The latest clock at which one of the rounds arrived. */
  nowAt = 0
  /** The journal row of the last round. */
  journalId = 0
  readonly #waiting: Set<Panel>
  #hasTwins = false

  /** None of the jobs may be in another panel. `waiting` has this one among them until its jobs have taken all. */
  constructor({ key, jobs }: Heard, waiting: Set<Panel>) {
    this.key = key
    this.jobs = jobs
    this.#ids = jobs.map(({ id }) => id)
    this.#waiting = waiting.add(this)
    for (const job of jobs) {
      if (job.panel) this.#hasTwins = true
      job.panel = this
    }
  }

  /** Whether a round is for just these jobs, in their order. One that is there twice takes both values before the next. */
  isFor({ key, jobs }: Heard): boolean {
    return !this.#hasTwins && key === this.key && areSame(jobs, this.jobs)
  }

  /** Its jobs, if these are their ids. Some may have been forgotten since. */
  jobsOf(ids: readonly number[]): readonly Job[] | null {
    return areSame(ids, this.#ids) ? this.jobs : null
  }

  add({ at, values, now }: Heard, journalId: number): void {
    this.rounds.push({ at, values })
    this.nowAt = Math.max(this.nowAt, now)
    this.journalId = journalId
    const count = this.rounds.length
    if (count >= ROUNDS_MAX || count * this.jobs.length >= VALUES_MAX) this.handOut()
  }

  /** Lets the jobs take what there is for them, once: they are in no panel then. */
  handOut(): void {
    if (!this.#waiting.delete(this)) return
    for (let index = 0; index < this.jobs.length; index++) this.jobs[index]?.take(this, index)
  }
}

/**
 * What was heard in rounds and is on stable storage. To reach a job in memory takes longer than what it does with a value:
 * jobs that hear the same rounds take what several have brought at once, or as soon as somebody looks at one of them.
 */
export class Panels {
  readonly #waiting = new Set<Panel>()
  readonly #chains = new Chains()

  add(heard: Heard, journalId: number): void {
    if (heard.jobs.length > 0) this.#panelOf(heard).add(heard, journalId)
  }

  /** As `add`, of jobs that will hardly hear the same again. */
  pass({ key, jobs, at, values, now }: Heard, journalId: number): void {
    for (let index = 0; index < jobs.length; index++) {
      const sample = { key, at: at[index] ?? 0, value: values[index] ?? 0 }
      jobs[index]?.keepLone(this.#chains, sample, now, journalId)
    }
  }

  /** Those with something that their jobs have not taken. */
  waiting(): readonly Panel[] {
    return [...this.#waiting]
  }

  #panelOf(heard: Heard): Panel {
    const known = heard.jobs[0]?.panel
    if (known?.isFor(heard)) return known
    // What a job heard before comes first.
    for (const job of heard.jobs) job.panel?.handOut()
    return new Panel(heard, this.#waiting)
  }
}
