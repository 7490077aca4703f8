import { closeSync, openSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { familyOf } from '../measure.ts'
import type { Place, Signal } from './peer.ts'

const START_MAX_MS = 120_000
const STOP_MAX_MS = 60_000
const REST_MS = 2_000
const REST_MAX_MS = 60_000

type Launch = {
  readonly place: Place
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** True once it serves; it may throw until then. */
  readonly isReady: () => Promise<boolean>
}

export type Launched = { readonly pid: number; readonly stop: (signal?: Signal) => Promise<void> }

/** Starts a server's program and resolves when it serves. What it prints is in the file `log` of its directory.
 * @throws {Error} with the end of that file when it ends before or does not come up */
export async function launch({ place, command, environment = {}, isReady }: Launch): Promise<Launched> {
  await mkdir(place.directory, { recursive: true })
  const logPath = join(place.directory, 'log')
  const log = openSync(logPath, 'a')
  const pinned = place.core === null ? [] : ['taskset', '-c', place.core]
  const child = Bun.spawn([...pinned, ...command], {
    cwd: place.directory,
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  })
  closeSync(log)
  const until = performance.now() + START_MAX_MS
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode === null && performance.now() < until) {
      await Bun.sleep(20)
      continue
    }
    child.kill('SIGKILL')
    await child.exited
    const printed = await Bun.file(logPath).text()
    throw new Error(`${command[0]} does not serve:\n${printed.slice(-2_000)}`)
  }
  return { pid: child.pid, stop: (signal = 'SIGTERM') => stop(child, signal) }
}

/** With everything that the process has started. */
async function stop(child: Bun.Subprocess, signal: Signal): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const family = await familyOf(child.pid)
  child.kill(signal)
  const last = signal === 'SIGKILL' ? 0 : STOP_MAX_MS
  await Promise.race([child.exited, Bun.sleep(last)])
  for (const pid of family) kill(pid)
  await child.exited
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Below the ports that Linux gives to connections and to `port: 0`: another test would take one of those meanwhile. */
const [PORT_MIN, PORTS] = [15_000, 17_000]
/** Test processes that run beside each other begin far apart. */
let portsTried = process.pid * 97

/** A port of this machine that no program listens on. */
export function freePort(): number {
  for (let tried = 0; ; tried++) {
    const port = PORT_MIN + (portsTried++ % PORTS)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried >= PORTS) throw error
    }
  }
}

/** Runs a program to its end. @throws {Error} with what it printed when it fails */
export async function run(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, ...environment }
  const child = Bun.spawn([...command], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(' ')} failed:\n${out}${err}`.slice(0, 4_000))
  return out
}

/** What the files below a folder, or one file, take on the disk, in bytes: their blocks, as `du` counts them. */
export async function bytesOnDisk(path: string): Promise<number> {
  const { blocks, nlink, isDirectory } = await statOf(path)
  if (!isDirectory) return (blocks * 512) / nlink
  const inside = await readdir(path)
  const sizes = await Promise.all(inside.map((name) => bytesOnDisk(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, blocks * 512)
}

/** As `bytesOnDisk`, once that has not changed for a while. */
export async function bytesAtRest(path: string): Promise<number> {
  const until = performance.now() + REST_MAX_MS
  for (let before = await bytesOnDisk(path); ;) {
    await Bun.sleep(REST_MS)
    const after = await bytesOnDisk(path)
    if (after === before) return after
    if (performance.now() > until) throw new Error(`${path} does not come to rest`)
    before = after
  }
}

/** A file that vanishes during a merge takes nothing. */
async function statOf(path: string): Promise<{ blocks: number; nlink: number; isDirectory: boolean }> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return found
    ? { blocks: found.blocks, nlink: Math.max(1, found.nlink), isDirectory: found.isDirectory() }
    : { blocks: 0, nlink: 1, isDirectory: false }
}
