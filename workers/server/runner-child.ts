import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

import type { Log } from '../../src/ports/log.ts'
import { commandOf } from './program.ts'

const PROGRAM = join(import.meta.dirname, '../runner/main.ts')
const PAUSE_FIRST_MS = 1_000
const PAUSE_LONGEST_MS = 60_000
/** Jobs have five seconds to end, and then the runner tidies up. */
const STOPPING_MAX_MS = 10_000

type Environment = Readonly<Record<string, string | undefined>>

export type RunnerChildParts = {
  /** The URL of the service. */
  readonly url: string
  readonly token: string
  readonly dataDir: string
  /** The environment of the service. */
  readonly environment: Environment
  readonly log: Log
}

/** Runs a runner beside the service, as a process that is started again when it ends, and that ends with this process.
 * @returns the function that ends the runner */
export function startRunnerChild(parts: RunnerChildParts): () => Promise<void> {
  let child: Child | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosing = false
  const start = (pauseMs: number) => {
    const startedAt = performance.now()
    child = startChild(parts)
    child.exited.then((code) => {
      if (isClosing) return
      const wasWell = performance.now() - startedAt > PAUSE_LONGEST_MS
      const nextMs = wasWell ? PAUSE_FIRST_MS : pauseMs
      parts.log.warn('runner: the runner process ended; restarting it', { code, pauseMs: nextMs })
      timer = setTimeout(() => start(Math.min(2 * nextMs, PAUSE_LONGEST_MS)), nextMs)
    }, fail)
  }
  const fail = (error: unknown) =>
    parts.log.error('runner: the runner process cannot be restarted; scripts do not run', error)
  start(PAUSE_FIRST_MS)
  return async () => {
    isClosing = true
    clearTimeout(timer)
    if (child) await endChild(child)
  }
}

type Child = { readonly process: ChildProcess; readonly exited: Promise<number | null> }

function startChild(parts: RunnerChildParts): Child {
  const [command, ...args] = commandOf(PROGRAM)
  const child = spawn(command, [...args, '--with-parent'], {
    env: environmentOf(parts),
    // Standard output is for people.
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const exited = new Promise<number | null>((done) => {
    child.once('exit', done)
    child.once('error', (error) => {
      parts.log.error('runner: the runner process cannot be started', error)
      done(null)
    })
  })
  return { process: child, exited }
}

async function endChild({ process: child, exited }: Child): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOPPING_MAX_MS)
  await exited
  clearTimeout(timer)
}

/** The environment of the runner, without the service's own secrets. */
function environmentOf({ url, token, dataDir, environment }: RunnerChildParts): Record<string, string> {
  const known = Object.entries(environment).filter(
    ([name]) => !/^(?:TIDEMARK|SVC)_/.test(name) || /^TIDEMARK_(?:RUNNER_|OUTBOUND_ALLOW$)/.test(name),
  )
  return {
    TIDEMARK_RUNNER_DIR: directoryFor(dataDir),
    ...Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    TIDEMARK_RUNNER_URL: url,
    TIDEMARK_RUNNER_TOKEN: token,
  }
}

/** The directory of the runner, outside the data directory: runs have other users, which must not enter the data directory. */
function directoryFor(dataDir: string): string {
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex')
  return join('/var/tmp', `tidemark-runner-${name.slice(0, 16)}`)
}
