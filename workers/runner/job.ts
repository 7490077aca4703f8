import { join } from 'node:path'

import type { Assignment, Finished, Progress } from '../../src/automation/runs/protocol.ts'
import { cutText } from '../../src/lib/text.ts'
import type { AttemptClient } from './client.ts'
import { Unprepared } from './engines/engine.ts'
import type { JobDirectory } from './left-files.ts'
import { JobLog } from './log/job-log.ts'
import { readCommand, readProgressFile } from './log/commands.ts'
import { maskingOf } from '../../src/lib/masking.ts'
import type { Masking } from '../../src/lib/masking.ts'
import { Outputs } from './outputs.ts'
import { Reporting } from './reports.ts'
import { openWorkFolder } from './work-folder.ts'
import type { WorkFolder, WorkFolderPaths } from './work-folder.ts'
import { prepareAndRun } from './run.ts'
import type { RunTools } from './run.ts'
import type { Exit } from './sandbox/container.ts'
import { after, Stopped } from './stop.ts'
import type { StopReason } from './stop.ts'

/** The maximum bytes of a job on the disk, with all that it writes. */
const ROOM_MAX_BYTES = 512 * 1024 * 1024
const PROGRESS_FILE_BYTES = 16_384
const ERROR_MAX = 10_000

type Ending = Pick<Finished, 'outcome' | 'exitCode' | 'error'>

/** One attempt at a run: it is prepared, executed and reported. Afterwards nothing of it is left on this machine. */
export class Job {
  readonly #assignment: Assignment
  readonly #tools: RunTools
  readonly #attempt: AttemptClient
  readonly #masking: Masking
  readonly #log: JobLog
  readonly #outputs: Outputs
  /** Stops the run. */
  readonly #stop = new AbortController()
  /** Ends the calls to the service: another runner has the run, or this runner ends. */
  readonly #gone = new AbortController()

  constructor(assignment: Assignment, tools: RunTools) {
    this.#assignment = assignment
    this.#tools = tools
    this.#attempt = tools.client.attempt(assignment, {
      signal: this.#gone.signal,
      onCancel: () => this.stop('cancelled'),
      onFenced: () => this.stop('fenced'),
    })
    this.#masking = maskingOf(secretsOf(assignment))
    this.#log = new JobLog(this.#masking, Date.now)
    this.#outputs = new Outputs({ attempt: this.#attempt, note: (text) => this.#note(text) })
  }

  isAttempt(token: string): boolean {
    return this.#assignment.attemptToken === token
  }

  /** Stops the run. The first reason counts. */
  stop(reason: StopReason): void {
    const stopped = new Stopped(reason)
    if (reason === 'fenced' || reason === 'closing') this.#gone.abort(stopped)
    this.#stop.abort(stopped)
  }

  /** Resolves when the run has ended and its result is reported, if the service still wants it.
   * @throws {Error} if the result cannot be reported */
  async run(): Promise<void> {
    try {
      await this.#attempt.accept()
      await this.#attempt.finish(await this.#carryOut())
    } catch (error) {
      if (!this.#gone.signal.aborted) throw error
    }
  }

  async #carryOut(): Promise<Finished> {
    const { sandbox, roomsDir } = this.#tools
    const path = join(roomsDir, this.#assignment.id)
    await sandbox.makeRoom(path, ROOM_MAX_BYTES)
    try {
      return await this.#carryOutIn(await openWorkFolder(path))
    } finally {
      await sandbox.removeRoom(path)
    }
  }

  async #carryOutIn(room: WorkFolder): Promise<Finished> {
    const { tree, outputs, state } = room.directories
    const look = () => this.#look(state)
    const reporting = new Reporting({ attempt: this.#attempt, log: this.#log, look })
    try {
      const ending = await this.#ending(room.paths, reporting)
      await this.#outputs.publishNamed(tree)
      if (ending.outcome === 'succeeded') await this.#outputs.publishAll(outputs)
      this.#log.close()
      await reporting.close()
      return { ...ending, logLines: this.#log.lines }
    } finally {
      await reporting.abandon()
      await room.close()
    }
  }

  async #ending(paths: WorkFolderPaths, reporting: Reporting): Promise<Ending> {
    const { timeoutMs } = this.#assignment
    let callOff = () => undefined as void
    try {
      const exit = await prepareAndRun(this.#assignment, this.#tools, {
        paths,
        attempt: this.#attempt,
        signal: this.#stop.signal,
        lineLengthMax: this.#log.lengthMax,
        onSystemLine: (text) => this.#note(text),
        onOutputLine: (text, isCut) => this.#hear(text, isCut, reporting),
        onErrorLine: (text, isCut) => this.#log.add('stderr', text, isCut),
        onStart: async () => {
          await this.#attempt.start({ isolation: this.#tools.sandbox.isolation })
          if (timeoutMs > 0) callOff = after(timeoutMs, () => this.stop('timed_out'))
        },
      })
      return this.#endingOf(exit)
    } catch (error) {
      if (this.#gone.signal.aborted) throw error
      if (error instanceof Stopped) return this.#endingOf(null)
      if (!(error instanceof Unprepared)) this.#tools.log.error('runner: executing a run failed', error)
      return this.#failed(null, (error as Error).message)
    } finally {
      callOff()
    }
  }

  /** @param exit null for a run that was stopped before its start */
  #endingOf(exit: Exit | null): Ending {
    const exitCode = exit?.code ?? null
    const stopped = this.#stop.signal.aborted ? (this.#stop.signal.reason as Stopped).reason : null
    if (stopped === 'timed_out') {
      const limitS = this.#assignment.timeoutMs / 1_000
      return { outcome: 'timed_out', exitCode, error: `The script exceeded its time limit of ${limitS} s.` }
    }
    if (stopped !== null) return { outcome: 'cancelled', exitCode, error: null }
    if (exitCode === 0) return { outcome: 'succeeded', exitCode, error: null }
    return this.#failed(exitCode, exit?.reason ?? `The script ended with exit code ${exitCode}.`)
  }

  #failed(exitCode: number | null, error: string): Ending {
    return { outcome: 'failed', exitCode, error: cutText(this.#masking.mask(error), ERROR_MAX) }
  }

  #note(text: string): void {
    this.#log.add('system', text)
  }

  #hear(text: string, isCut: boolean, reporting: Reporting): void {
    const command = isCut ? null : readCommand(text)
    if (!command) this.#log.add('stdout', text, isCut)
    else if ('output' in command) this.#outputs.name(command.output)
    else reporting.progress(this.#masked(command.progress))
  }

  async #look(state: JobDirectory): Promise<Progress | null> {
    const bytes = await state.read('progress', PROGRESS_FILE_BYTES)
    const progress = bytes && readProgressFile(new TextDecoder().decode(bytes))
    return progress && this.#masked(progress)
  }

  #masked({ value, message }: Progress): Progress {
    return { value, message: message === null ? null : this.#masking.mask(message) }
  }
}

/** The secrets of a run. The id of its session always is one. */
function secretsOf({ secretNames, env, database }: Assignment): string[] {
  const named = [...secretNames, 'SVC_SESSION_ID'].flatMap((name) => env[name] ?? [])
  return typeof database?.password === 'string' ? [...named, database.password] : named
}
