import type { Assignment } from '../../src/automation/runs/protocol.ts'
import type { JobView } from '../../src/automation/runs/schema.ts'
import { FakeRunner, Held } from './fake-runner.ts'
import type { Said, Wire } from './fake-runner.ts'

const PAUSE_MS = 20
const SLOTS = 8

/** What runners have seen of jobs with their own eyes. */
export class Ledger {
  /** The attempts of each job that began, in order. */
  readonly begun = new Map<string, number[]>()
  /** How often the end of each job was acknowledged. */
  readonly ended = new Map<string, number>()
  /** Jobs that a runner had when it was killed. */
  readonly orphans = new Set<string>()
  /** Configurations of which two ran at once. */
  readonly together = new Set<string>()
  readonly #running = new Map<string, string>()

  begin({ id, attempt, script }: Assignment): void {
    this.begun.set(id, [...(this.begun.get(id) ?? []), attempt])
    const other = this.#running.get(String(script.id))
    if (other !== undefined && other !== id) this.together.add(String(script.id))
    this.#running.set(String(script.id), id)
  }

  /** The script does not run any more: it has come to its end, or died with its runner. */
  stop({ script }: Assignment): void {
    this.#running.delete(String(script.id))
  }

  end({ id }: Assignment): void {
    this.ended.set(id, (this.ended.get(id) ?? 0) + 1)
  }
}

/** A runner that goes on whatever happens, until it is killed. */
export class Node {
  readonly #wire: Wire
  readonly #name: string
  readonly #ledger: Ledger
  readonly #leaving = new AbortController()
  readonly #running = new Map<string, Assignment>()
  readonly #done: Promise<void>
  #runner: FakeRunner

  constructor(wire: Wire, name: string, ledger: Ledger) {
    this.#wire = (path, call) => wire(path, { ...call, signal: this.#leaving.signal })
    this.#name = name
    this.#ledger = ledger
    this.#runner = new FakeRunner(this.#wire, { name, slots: SLOTS })
    this.#done = this.#live().catch((error: unknown) => {
      if (!this.#leaving.signal.aborted) throw error
    })
  }

  /** Ends at once, as a process does that is killed; somebody else may go on under its name. */
  async kill(): Promise<void> {
    for (const assignment of this.#running.values()) {
      this.#ledger.orphans.add(assignment.id)
      this.#ledger.stop(assignment)
    }
    this.#leaving.abort()
    await this.#done
  }

  async #live(): Promise<void> {
    await this.#again(() => this.#runner.register())
    while (!this.#leaving.signal.aborted) {
      const json = { free: SLOTS - this.#running.size, running: [...this.#running.keys()] }
      const said = await this.#again(() => this.#runner.send('POST', '/runner/v1/poll', { json }))
      if (said.status === 401) await this.#again(() => this.#runner.register())
      for (const assignment of (said.body as { jobs?: Assignment[] }).jobs ?? []) this.#take(assignment)
      // Whoever has no place left looks again once there is one.
      while (this.#running.size === SLOTS) await Bun.sleep(1)
    }
  }

  #take(assignment: Assignment): void {
    this.#running.set(assignment.id, assignment)
    this.#run(new Held(this.#runner, assignment), assignment)
      .catch((error: unknown) => {
        if (!this.#leaving.signal.aborted) throw error
      })
      .finally(() => this.#running.delete(assignment.id))
  }

  async #run(held: Held, assignment: Assignment): Promise<void> {
    if ((await this.#again(() => held.say('PUT', 'accept'))).status !== 200) return
    const started = await this.#again(() => held.say('PUT', 'start', { json: { isolation: 'full' } }))
    if (started.status !== 200) return
    this.#ledger.begin(assignment)
    const line = { line: 1, at: 0, stream: 'stdout' as const, text: `${this.#name} ${assignment.attempt}` }
    await this.#again(() => held.log([line], 1))
    this.#ledger.stop(assignment)
    const { status } = await this.#again(() => held.finish({ logLines: 1 }))
    if (status === 204) this.#ledger.end(assignment)
  }

  /** Asks until somebody answers: the service may be starting anew. */
  async #again(ask: () => Promise<Said>): Promise<Said> {
    for (;;) {
      try {
        const said = await ask()
        if (said.status < 500) return said
      } catch (error) {
        if (this.#leaving.signal.aborted) throw error
      }
      await Bun.sleep(PAUSE_MS)
    }
  }
}

/** What was ordered, and how often it may be tried again. */
export type Ordered = { readonly id: string; readonly retries: number }

/** Everything that is not as it should be: what was lost, what was done twice, and what was told wrongly. */
export function problemsIn(
  ledger: Ledger,
  ordered: readonly Ordered[],
  jobs: ReadonlyMap<string, Pick<JobView, 'state' | 'attempt'>>,
): string[] {
  const problems = [...ledger.together].map((script) => `two runs of script ${script} at once`)
  if (new Set(ordered.map(({ id }) => id)).size !== ordered.length) problems.push('one run for two orders')
  for (const one of ordered) problems.push(...problemsOf(ledger, one, jobs.get(one.id)))
  const known = new Set(ordered.map(({ id }) => id))
  for (const id of [...jobs.keys(), ...ledger.begun.keys()])
    if (!known.has(id)) problems.push(`nobody ordered ${id}`)
  return problems
}

function problemsOf(
  ledger: Ledger,
  { id, retries }: Ordered,
  job: Pick<JobView, 'state' | 'attempt'> | undefined,
): string[] {
  const begun = ledger.begun.get(id) ?? []
  const ended = ledger.ended.get(id) ?? 0
  const isOrphan = ledger.orphans.has(id)
  const { state, attempt } = job ?? { state: 'not there', attempt: 0 }
  const good = isOrphan && retries === 0 ? ['succeeded', 'lost'] : ['succeeded']
  const wrongs: Readonly<Record<string, boolean>> = {
    'is as it may not be': !good.includes(state),
    'succeeded unseen': state === 'succeeded' && ended === 0 && !isOrphan,
    'ended more than once': ended > 1,
    'began an attempt twice': new Set(begun).size !== begun.length,
    'began again although nobody died': begun.length > 1 && !isOrphan,
    'began too often': begun.some((one) => one > retries + 1),
    'tells of another attempt': ended > 0 && attempt !== begun.at(-1),
  }
  const found = Object.keys(wrongs).filter((what) => wrongs[what])
  return found.map((what) => `${id} ${what}: ${state}, began ${begun.join()}, ended ${ended}`)
}
