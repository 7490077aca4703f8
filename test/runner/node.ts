import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import { join } from 'node:path'

import { hostCommand } from '../hosts/process.ts'
import { childrenOf } from './processes.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAIN = 'workers/runner/main.ts'

/** A runner that is a process of its own, so that it can be stopped, paused and killed. */
export type RunnerNode = {
  readonly pid: number
  readonly logs: readonly string[]
  readonly isUp: boolean
  readonly exited: Promise<number | null>
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Lets it end, also one that stands still. */
  end(): Promise<void>
  /** The same for it and the process of its heartbeats, as when the machine stands still. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
}

export function startNode(environment: Readonly<Record<string, string>>): RunnerNode {
  const [command = '', ...args] = hostCommand(['bun', MAIN])
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const logs: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => logs.push(line))
  const { pid = 0 } = child
  const signalAll = async (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const each of [pid, ...(await heartOf(pid))]) process.kill(each, name)
  }
  return {
    pid,
    logs,
    get isUp() {
      return child.exitCode === null && child.signalCode === null
    },
    exited: new Promise((resolve) => child.on('exit', resolve)),
    signal: (name) => process.kill(pid, name),
    signalAll,
    async end() {
      await signalAll('SIGCONT')
      process.kill(pid, 'SIGTERM')
    },
  }
}

/** The process of the heartbeats of a runner. */
export const heartOf = (runner: number) => childrenOf(runner, 'heartbeat.ts')
