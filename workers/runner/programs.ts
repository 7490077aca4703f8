import { spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { constants as system } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { keepDescriptors } from './descriptors.ts'

/** A program that has ended. */
export type Result = {
  /** 128 and the number of the signal that ended it. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A program that was started. */
export type Started = {
  readonly child: ChildProcess
  readonly pid: number
  /** Its exit code; 128 and the number of the signal that ended it. */
  readonly exited: Promise<number>
}

/** Starts a program. @throws {Error} if it cannot be started */
export async function startProgram(command: readonly string[], options: SpawnOptions): Promise<Started> {
  const [file = '', ...args] = command
  keepDescriptors()
  const child = spawn(file, args, options)
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + system.signals[signal ?? 'SIGKILL']))
  })
  const { promise, reject } = Promise.withResolvers<never>()
  child.once('error', reject)
  const { pid } = child
  return pid === undefined ? promise : { child, pid, exited }
}

/** Runs a program of this machine to its end. Of the environment it gets PATH alone.
 * @throws {Error} if it cannot be started */
export async function runProgram(command: readonly string[]): Promise<Result> {
  const env = { PATH: process.env['PATH'] ?? '' }
  const { child, exited } = await startProgram(command, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new TypeError('A program without its pipes')
  const [said, complained, code] = await Promise.all([text(stdout), text(stderr), exited])
  return { code, stdout: said, stderr: complained }
}

/** Whether one of the directories of a path has this program. */
export function isInPath(name: string, path = process.env['PATH'] ?? ''): boolean {
  return path.split(':').some((directory) => isProgram(join(directory, name)))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
