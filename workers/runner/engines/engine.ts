import type { Assignment } from '../../../src/automation/runs/protocol.ts'
import type { Environments } from '../environments.ts'
import { isInPath } from '../programs.ts'

/** The search path of programs, inside and outside of a job. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'

/** A program with its arguments. */
export type Argv = readonly [string, ...string[]]

/** A step that prepares a run: without secrets, and with the public internet, which the run may not have. */
export type PreparingStep = {
  readonly argv: Argv
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly readOnly: readonly string[]
  readonly writable: readonly string[]
}

/** The inputs of an engine's preparation of a run. */
export type Preparation = {
  readonly script: Assignment['script']
  readonly files: Assignment['files']
  readonly arguments: readonly string[]
  readonly forecast: Assignment['forecast']
  /** The files of the operator's kinds of forecasts, by their names. */
  readonly forecastFiles: ReadonlyMap<string, string>
  /** The directory that holds the script's files. */
  readonly tree: string
  /** An empty scratch directory until the run begins. */
  readonly scratch: string
  readonly environments: Environments
  /** Runs a step; its lines go to the job's log. @throws {Unprepared} when it fails */
  readonly step: (step: PreparingStep) => Promise<void>
  readonly note: (text: string) => void
  /** Ends preparing: the job is to end. */
  readonly signal: AbortSignal
}

/** How a run is started. */
export type Command = {
  readonly argv: Argv
  readonly env: Readonly<Record<string, string>>
  /** The paths that it reads beside its own files. */
  readonly readOnly: readonly string[]
  /** Called after the end of the run. */
  readonly release: () => void
}

/** A script cannot be prepared on this runner. */
export class Unprepared extends Error {
  override readonly name = 'Unprepared'
}

export type Engine = {
  /** Whether this machine has the programs of the engine. */
  readonly isHere: () => Promise<boolean>
  /** @throws {Unprepared} with a remedy for the author of the script */
  readonly prepare: (preparation: Preparation) => Promise<Command>
}

/** Whether a program is in the search path of jobs. */
export function hasProgram(name: string): boolean {
  return isInPath(name, SYSTEM_PATH)
}

/** A command without a prepared environment. */
export function readyMade(argv: Argv, env: Readonly<Record<string, string>> = {}): Command {
  return { argv, env, readOnly: [], release: () => undefined }
}
