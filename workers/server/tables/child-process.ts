import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

import { importRefusal } from '../../../src/data/imports/failure.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import type { Log } from '../../../src/ports/log.ts'
import { commandOf } from '../program.ts'
import type { FileChange, FileTask, FromChild, QueryTask, TaskFailure, ToChild } from './messages.ts'
import { STATEMENT_TOO_SLOW } from '../../../src/ports/tables.ts'

/** Of a processor that both want, deliveries get three times as much (nice 5, sched(7)). With ten times as much an import waits
 * without end on a machine that other programs fill. */
const NICE = 5
const LOOK_MS = 50
/** The time after an interrupt at which a child is killed. */
const OBEY_MS = 100
const PAGE_BYTES = 4_096

/** The reason for which the parent ends a task. */
type Reason = 'timeout' | 'memory' | 'abort'

export type TaskBounds = {
  readonly timeoutMs: number
  readonly memoryMaxBytes: number
  readonly signal: AbortSignal
}

/** A process that runs one task at a time. */
export class TableChild {
  readonly #process: ChildProcess
  readonly #exited: Promise<void>
  readonly #ready = Promise.withResolvers<void>()
  #take: ((message: FromChild) => void) | null = null
  #isEnded = false

  constructor(program: string, log: Log) {
    const [command, ...args] = commandOf(program)
    this.#process = spawn(command, args, {
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    this.#process.on('message', (message: FromChild) => {
      if (message.kind === 'ready') this.#ready.resolve()
      else this.#take?.(message)
    })
    this.#exited = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => {
        if (!this.#isEnded) log.warn('tables: a table process ended by itself', { code, signal })
        resolve()
      })
      this.#process.on('error', (error) => {
        log.error('tables: a table process failed', error)
        resolve()
      })
    })
    this.#exited.then(this.#ready.resolve, this.#ready.reject)
    try {
      setPriority(this.#pid, NICE)
    } catch (error) {
      log.warn('tables: the priority of a table process cannot be lowered', { reason: String(error) })
    }
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  get #pid(): number {
    return this.#process.pid ?? 0
  }

  send(message: ToChild): void {
    // One that has just ended gets it no more, and `run` ends with it.
    if (this.isAlive && this.#process.connected) this.#process.send(message, () => undefined)
  }

  end(): void {
    this.#isEnded = true
    this.#process.kill('SIGKILL')
  }

  /** Runs a task, and passes on what the child answers until it is done. Past a bound the task is interrupted, and 100 ms
   * later the child is killed.
   * @throws {Refusal} query_timeout, query_too_large and what the child refuses; `unavailable` when the child died
   * @throws the signal's reason */
  async run(
    task: QueryTask | FileTask | FileChange,
    { timeoutMs, memoryMaxBytes, signal }: TaskBounds,
    take: (message: FromChild) => void,
  ): Promise<void> {
    // The time of a task does not include the start of its process.
    await this.#ready.promise
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let reason: Reason | null = null
    let killer: NodeJS.Timeout | undefined
    const stop = (why: Reason) => {
      if (reason !== null) return
      reason = why
      this.send({ kind: 'interrupt' })
      killer = setTimeout(() => this.end(), OBEY_MS)
    }
    const abort = () => stop('abort')
    const deadline = setTimeout(() => stop('timeout'), timeoutMs)
    const watch = setInterval(() => {
      // At once, because memory grows faster than an interrupt takes effect.
      if (residentBytes(this.#pid) <= memoryMaxBytes) return
      reason ??= 'memory'
      this.end()
    }, LOOK_MS)
    signal.addEventListener('abort', abort, { once: true })
    this.#take = (message) => {
      if (message.kind === 'failed') reject(reason === null ? refusalOf(message) : refusalFor(reason, signal))
      else {
        take(message)
        if (message.kind === 'done') resolve()
      }
    }
    this.#exited.then(() => reject(reason === null ? DIED() : refusalFor(reason, signal)), reject)
    try {
      this.send(task)
      await promise
    } finally {
      this.#take = null
      clearTimeout(deadline)
      clearTimeout(killer)
      clearInterval(watch)
      signal.removeEventListener('abort', abort)
    }
  }
}

/** The resident memory of a process in bytes; 0 after its end, and where the system does not report it. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}

const DIED = () => new Refusal('unavailable', 'The process that reads tables ended. Try again.')

function refusalFor(reason: Reason, signal: AbortSignal): unknown {
  if (reason === 'abort') return signal.reason
  return reason === 'timeout'
    ? new Refusal('query_timeout', STATEMENT_TOO_SLOW)
    : new Refusal('query_too_large', 'The statement needs more memory than it may have. Narrow it.')
}

function refusalOf({ code, message, faults, errors }: TaskFailure): Error {
  if (code === 'internal') return new Error(`A table process failed: ${message}`)
  return faults ? importRefusal(faults) : new Refusal(code, message, errors)
}
