import type { HostProcess } from '../hosts/process.ts'
import { ADMIN } from '../hosts/host.ts'
import { readUntil } from '../until.ts'

/** One answer: how long it took, and what it was; status 0 when the connection broke. */
export type Answer = { readonly ms: number; readonly status: number; readonly retryAfter: string | null }

/** Sends one request on a connection of its own, and waits for the whole answer. */
export async function timed(url: string, init: RequestInit = {}): Promise<Answer> {
  const sentAt = performance.now()
  try {
    const answer = await fetch(url, { ...init, keepalive: false })
    await answer.arrayBuffer()
    const retryAfter = answer.headers.get('retry-after')
    return { ms: performance.now() - sentAt, status: answer.status, retryAfter }
  } catch {
    return { ms: performance.now() - sentAt, status: 0, retryAfter: null }
  }
}

/** Signs in: a password is hashed and a session stored. */
export function logIn(url: string): Promise<Answer> {
  return timed(`${url}/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
}

/** Asks again and again, with a pause, until it is stopped. */
export class Probe {
  readonly answers: Answer[] = []
  readonly #running: Promise<void>
  #isStopped = false

  constructor(ask: () => Promise<Answer>, pauseMs: number) {
    this.#running = this.#askOn(ask, pauseMs)
  }

  async stop(): Promise<readonly Answer[]> {
    this.#isStopped = true
    await this.#running
    return this.answers
  }

  async #askOn(ask: () => Promise<Answer>, pauseMs: number): Promise<void> {
    while (!this.#isStopped) {
      this.answers.push(await ask())
      await Bun.sleep(pauseMs)
    }
  }
}

/** How long the host's event loop stood still at most since this was asked last, ms. For the hosts of `host.ts`. */
export async function stalledMsOf(host: HostProcess): Promise<number> {
  const lines = host.logs.length
  host.signal('SIGUSR2')
  const find = () => host.logs.slice(lines).find((text) => text.startsWith('stalled '))
  const line = await readUntil(find, (found) => found !== undefined)
  return Number(line?.slice('stalled '.length))
}

export function statusesOf(answers: readonly Answer[]): readonly number[] {
  return [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b)
}

export function slowestMs(answers: readonly Answer[]): number {
  return Math.max(0, ...answers.map(({ ms }) => ms))
}
