import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../workers/runner/main.ts')

/** A runner that is a process of its own, so that it can be stopped, paused and killed. */
export type RunnerNode = {
  readonly pid: number
  readonly logs: readonly string[]
  readonly isUp: boolean
  readonly exited: Promise<number | null>
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** The same for it and the process of its heartbeats, as when the machine stands still. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
}

export function startNode(environment: Readonly<Record<string, string>>): RunnerNode {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const logs: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => logs.push(line))
  const { pid = 0 } = child
  return {
    pid,
    logs,
    get isUp() {
      return child.exitCode === null && child.signalCode === null
    },
    exited: new Promise((resolve) => child.on('exit', resolve)),
    signal: (name) => process.kill(pid, name),
    async signalAll(name) {
      const heart = await heartOf(pid)
      for (const each of [pid, ...heart]) process.kill(each, name)
    },
  }
}

/** The process of the heartbeats of a runner. */
export async function heartOf(runner: number): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) =>
        Bun.file(`/proc/${name}/${file}`)
          .text()
          .catch(() => ''),
      ),
    )
    const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    if (parent === String(runner) && command?.includes('heartbeat.ts') === true) found.push(Number(name))
  }
  return found
}
