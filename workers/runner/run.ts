import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

import type { Assignment } from '../../src/automation/runs/protocol.ts'
import type { Log } from '../../src/ports/log.ts'
import type { FileCache } from './cache.ts'
import type { AttemptClient, Client } from './client.ts'
import { databaseDefaults, databaseVariables } from './database.ts'
import { ENGINES } from './engines/engines.ts'
import { Unprepared } from './engines/engine.ts'
import type { Command, PreparingStep } from './engines/engine.ts'
import type { Environments } from './environments.ts'
import { filesFor } from './filesystem.ts'
import { Lines } from './log/lines.ts'
import type { TakeLine } from './log/lines.ts'
import { linkInto, makeFolders, writeInto } from './work-folder.ts'
import type { WorkFolderPaths } from './work-folder.ts'
import type { Bind, Exit, SandboxStart, Tunnel } from './sandbox/container.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { OpenedDirectory } from './settings.ts'
import { untilEnded } from './stop.ts'

/** The maximum duration of the preparation. */
const PREPARING_MS = 600_000

/** The parts of a runner that runs use. */
export type RunTools = {
  readonly client: Client
  readonly sandbox: Sandbox
  /** The directory of the work folders of runs. */
  readonly roomsDir: string
  readonly cache: FileCache
  readonly environments: Environments
  readonly opened: readonly OpenedDirectory[]
  readonly forecastFiles: ReadonlyMap<string, string>
  readonly log: Log
}

/** A run on this machine: its folder, its attempt at the service, and the signal of its end. */
export type Run = {
  readonly paths: WorkFolderPaths
  readonly attempt: AttemptClient
  /** Ends the run. Its reason is thrown before the start of the script; after the start the end of the script is awaited. */
  readonly signal: AbortSignal
  readonly lineLengthMax: number
  readonly onSystemLine: (text: string) => void
  readonly onOutputLine: TakeLine
  readonly onErrorLine: TakeLine
  /** Everything is prepared. */
  readonly onStart: () => Promise<void>
}

/** Prepares a run and waits until it has ended.
 * @throws {Unprepared} if the script cannot be prepared, with a message for its author */
export async function prepareAndRun(assignment: Assignment, tools: RunTools, run: Run): Promise<Exit> {
  const { paths, signal } = run
  await fetchFiles(assignment, tools, run)
  const opened = await linkFiles(assignment, tools, paths)
  const command = await prepare(assignment, tools, run)
  try {
    const env = await environmentOf(assignment, paths, command)
    signal.throwIfAborted()
    await run.onStart()
    return await runInSandbox(tools, run, {
      argv: command.argv,
      cwd: paths.tree,
      env,
      kind: assignment.script.runner,
      readOnly: [...command.readOnly, paths.uploads, paths.files, ...opened].map(samePlace),
      writable: [paths.tree, paths.outputs, paths.state, paths.temporary],
      network: assignment.network,
      tunnel: tunnelOf(assignment),
      onStdout: run.onOutputLine,
      onStderr: run.onErrorLine,
    })
  } finally {
    command.release()
  }
}

/** Writes the files of the script and the uploads of the call into the work folder. */
async function fetchFiles({ files, directories, uploads }: Assignment, { cache }: RunTools, run: Run) {
  const { paths, attempt, signal } = run
  for (const path of directories) await makeFolders(paths.tree, path)
  for (const file of files) {
    signal.throwIfAborted()
    await writeInto(paths.tree, file.path, await cache.read(file.sha256, () => attempt.file(file)))
  }
  for (const file of uploads) {
    signal.throwIfAborted()
    await writeInto(paths.uploads, file.path, await attempt.upload(file))
  }
}

/** Links the files of this machine that the job may read into its work folder. @returns their paths on this machine */
async function linkFiles({ filesystem }: Assignment, { opened }: RunTools, paths: WorkFolderPaths) {
  const files = await filesFor(filesystem, opened)
  for (const { from, path } of files) await linkInto(paths.files, path, from)
  return files.map(({ from }) => from)
}

async function prepare(assignment: Assignment, tools: RunTools, run: Run): Promise<Command> {
  const { paths, onSystemLine } = run
  const timeout = AbortSignal.timeout(PREPARING_MS)
  const signal = AbortSignal.any([run.signal, timeout])
  const step = async ({ argv, cwd, env, readOnly, writable }: PreparingStep) => {
    const exit = await runInSandbox(
      tools,
      { ...run, signal },
      {
        argv,
        cwd,
        env,
        kind: assignment.script.runner,
        readOnly: readOnly.map(samePlace),
        writable,
        network: 'open',
        onStdout: onSystemLine,
        onStderr: onSystemLine,
      },
    )
    if (timeout.aborted) throw new Unprepared('Installing the dependencies of the script took too long.')
    signal.throwIfAborted()
    if (exit.code === 0) return
    throw new Unprepared('Installing the dependencies of the script failed; see the log.')
  }
  return ENGINES[assignment.script.runner].prepare({
    script: assignment.script,
    files: assignment.files,
    arguments: assignment.arguments,
    forecast: assignment.forecast,
    forecastFiles: tools.forecastFiles,
    tree: paths.tree,
    scratch: paths.scratch,
    environments: tools.environments,
    step,
    note: onSystemLine,
    signal,
  })
}

type Start = Omit<SandboxStart, 'onStdout' | 'onStderr'> & {
  readonly onStdout: TakeLine
  readonly onStderr: TakeLine
}

async function runInSandbox(
  { sandbox }: RunTools,
  { signal, lineLengthMax, onSystemLine }: Run,
  { onStdout, onStderr, ...start }: Start,
): Promise<Exit> {
  signal.throwIfAborted()
  const stdout = new Lines(lineLengthMax, onStdout)
  const stderr = new Lines(lineLengthMax, onStderr)
  const contained = await sandbox.start({
    ...start,
    onForbidden: eachOnce(onSystemLine),
    onStdout: (bytes) => stdout.push(bytes),
    onStderr: (bytes) => stderr.push(bytes),
  })
  const exit = await untilEnded(contained, signal)
  stdout.end()
  stderr.end()
  return exit
}

/** The number of forbidden hosts that a log names. */
const FORBIDDEN_MAX = 20

/** Passes each text on once. */
function eachOnce(take: (text: string) => void): (text: string) => void {
  const taken = new Set<string>()
  return (text) => {
    if (taken.has(text) || taken.size >= FORBIDDEN_MAX) return
    taken.add(text)
    take(text)
  }
}

function tunnelOf({ database }: Assignment): Tunnel | null {
  return (
    database && {
      host: database.host,
      port: database.port,
      variables: (found) => databaseVariables(database, found),
    }
  )
}

/** The environment of a script: its `.env`, its configuration, then the variables of the service and the runner. */
async function environmentOf(
  { env, id, database }: Assignment,
  paths: WorkFolderPaths,
  command: Command,
): Promise<Record<string, string>> {
  const defaults = parseEnv(await readFile(join(paths.tree, '.env'), 'utf8').catch(() => ''))
  return {
    HOME: paths.temporary,
    TMPDIR: paths.temporary,
    ...(database && databaseDefaults(database)),
    ...definedOf(defaults),
    ...env,
    ...command.env,
    SVC_JOB_ID: id,
    SVC_PROGRESS_FILE: join(paths.state, 'progress'),
    SVC_OUTPUT_DIR: paths.outputs,
    SVC_UPLOAD_DIR: paths.uploads,
    SVC_FILES_DIR: paths.files,
  }
}

function definedOf(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

const samePlace = (path: string): Bind => ({ from: path, to: path })
