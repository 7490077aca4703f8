import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { median } from '../measure.ts'
import type { Peer, Place, Running } from './peer.ts'
import { replayInPeace } from './replay.ts'
import type { Load, Replay } from './replay.ts'
import { send } from './requests.ts'
import { deliveries } from './samples.ts'

const SERVER_CORE = '0'
const INTRODUCED_AT_ONCE = 1_000

/** What a run is asked to do. */
export type Wishes = {
  readonly peers: readonly Peer[]
  readonly directory: string
  readonly rounds: number
  readonly seconds: number
  readonly jobs: number
  /** How often a load is done at most, while others disturb it. */
  readonly triesMax: number
}

/** A run: what it is asked to do, what it says meanwhile, and what went wrong. */
export class Bench {
  readonly wishes: Wishes
  /** What a reader of the table must know. */
  readonly remarks: string[] = []
  hasFailed = false
  /** The most that others took of the machine beside a load that counts, in cores. */
  othersCores = 0
  readonly #beganAt = performance.now()
  readonly #running = new Set<Running>()
  #places = 0

  constructor(wishes: Wishes) {
    this.wishes = wishes
  }

  say(text: string): void {
    const seconds = Math.round((performance.now() - this.#beganAt) / 1000)
    process.stderr.write(`${String(seconds).padStart(4)} s  ${text}\n`)
  }

  /** What the work answers; null when it fails, which the table then tells. */
  async attempt<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer | null> {
    try {
      return await work()
    } catch (error) {
      this.hasFailed = true
      this.remarks.push(`${what} failed: ${String(error).replaceAll(/\s+/g, ' ').slice(0, 200)}`)
      this.say(`${what} failed: ${String(error)}`)
      return null
    }
  }

  /** An empty directory for a server on the core of servers. */
  async place(jobs: number, core: string | null = SERVER_CORE): Promise<Place> {
    const directory = join(this.wishes.directory, String(++this.#places))
    await mkdir(directory)
    return { directory, jobs, core }
  }

  /** The server is stopped at the end of its section at the latest. */
  keep(running: Running): Running {
    this.#running.add(running)
    return running
  }

  /** Ends a server and leaves nothing of it. */
  async remove(running: Running, place: Place): Promise<void> {
    await this.stop(running)
    await rm(place.directory, { recursive: true })
  }

  async stop(running: Running): Promise<void> {
    this.#running.delete(running)
    await running.stop('SIGKILL')
  }

  async stopAll(): Promise<void> {
    for (const running of this.#running) await this.stop(running)
  }

  /** Loads a server once more in peace. All loads it took for that have reached the server. */
  async load(name: string, of: Replay, seconds = this.wishes.seconds): Promise<readonly Load[]> {
    const loads = await replayInPeace(of, seconds, this.wishes.triesMax)
    const [best] = loads
    this.othersCores = Math.max(this.othersCores, best?.othersCores ?? 0)
    const refused = loads.reduce((sum, load) => sum + load.refused, 0)
    if (refused > 0) this.remarks.push(`${name}: ${refused} requests were refused.`)
    this.say(
      `${name}: ${best?.perSecond.toFixed(0)}/s, ${best?.cpuUs.toFixed(1)} µs, p99 ${best?.p99Ms.toFixed(2)} ms` +
        ` (others ${best?.othersCores.toFixed(2)} cores)`,
    )
    return loads
  }
}

/** The first value of every job, for those whom nobody has told of their jobs otherwise. */
export async function introduce(peer: Peer, running: Running, jobs: number): Promise<number> {
  const [form] = running.bulk
  if (peer.debian === null || form === undefined) return 0
  let introduced = 0
  for (const samples of deliveries(jobs, Math.min(jobs, INTRODUCED_AT_ONCE))) {
    if (introduced >= jobs) break
    await send(running, form.request(samples))
    introduced += samples.length
  }
  return introduced
}

/** `acknowledged` are values for all jobs in turn.
 * @throws {Error} when the server shows less than it has acknowledged */
export async function checkStored(
  { keeps }: Peer,
  running: Running,
  { acknowledged, jobs }: { readonly acknowledged: number; readonly jobs: number },
): Promise<void> {
  const expected = keeps === 'every' ? acknowledged : Math.min(jobs, acknowledged)
  const stored = await running.stored()
  if (stored < expected) throw new Error(`it acknowledged ${expected} values and shows ${stored}`)
}

export function meanOf(loads: readonly Load[], pick: (load: Load) => number): number {
  return loads.reduce((sum, load) => sum + pick(load), 0) / loads.length
}

export function medianOf(loads: readonly Load[], pick: (load: Load) => number): number {
  return median(loads.map(pick))
}
