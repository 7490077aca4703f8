import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { join } from 'node:path'

import type { Log } from '../../src/ports/log.ts'
import { commandOf } from '../server/program.ts'

const PROGRAM = join(import.meta.dirname, 'heartbeat.ts')
const UPDATE_MS = 1_000

type Attempt = { readonly id: string; readonly attemptToken: string }

/** A line of the input of the heartbeat process. */
export type BeatOrders = {
  readonly url: string
  readonly token: string
  readonly everyMs: number
  readonly jobs: readonly Attempt[]
}

/** A message of the heartbeat process: about an attempt at a job, or that the service does not know the token of this runner. */
export type BeatNews = Attempt & {
  readonly token: string
  readonly news: 'cancel' | 'fenced' | 'unknown'
}

export type HeartbeatParts = {
  readonly url: string
  readonly registration: () => Promise<{ readonly token: string; readonly heartbeatMs: number }>
  readonly onNews: (news: BeatNews) => void
  readonly log: Log
}

/** Renews the leases of jobs from a process of its own, which is started again when it ends. */
export class Heartbeats {
  readonly #parts: HeartbeatParts
  readonly #jobs = new Map<string, Attempt>()
  #child: ChildProcessWithoutNullStreams | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
  }

  add(attempt: Attempt): void {
    this.#jobs.set(attempt.id, attempt)
    this.#timer ??= setInterval(() => this.#update(), UPDATE_MS)
    this.#update()
  }

  remove(id: string): void {
    this.#jobs.delete(id)
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    // The process ends with its standard input.
    this.#child?.stdin.end()
    this.#child = null
  }

  #update(): void {
    this.#send().catch((error: unknown) =>
      this.#parts.log.error('runner: updating the heartbeat process failed', error),
    )
  }

  async #send(): Promise<void> {
    const { url } = this.#parts
    const { token, heartbeatMs } = await this.#parts.registration()
    if (!this.#timer) return
    const orders: BeatOrders = { url, token, everyMs: heartbeatMs, jobs: [...this.#jobs.values()] }
    this.#child ??= this.#start()
    this.#child.stdin.write(`${JSON.stringify(orders)}\n`)
  }

  #start(): ChildProcessWithoutNullStreams {
    const [command, ...args] = commandOf(PROGRAM)
    const child = spawn(command, args, { env: environment(), stdio: 'pipe' })
    const { log, onNews } = this.#parts
    createInterface({ input: child.stdout }).on('line', (line) => onNews(JSON.parse(line) as BeatNews))
    createInterface({ input: child.stderr }).on('line', (line) => log.warn('heartbeats', { line }))
    // The next update starts another process.
    const onEnd = () => {
      if (this.#child === child) this.#child = null
    }
    child.on('exit', onEnd).on('error', onEnd)
    child.stdin.on('error', onEnd)
    return child
  }
}

/** The environment that a program of Bun needs to reach the service, without secrets. */
function environment(): Record<string, string> {
  const names = [
    'PATH',
    'HOME',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'NO_PROXY',
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
  ]
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
