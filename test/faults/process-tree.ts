import { readdir, readFile } from 'node:fs/promises'

import type { HostProcess } from '../hosts/process.ts'
import { childrenOf } from '../runner/processes.ts'
import { until } from '../until.ts'

/** Kills a host with everything it has started, its children first, with SIGKILL. None of them is left when it resolves:
 * the data directory is free again. */
export async function killAll(host: HostProcess): Promise<void> {
  const children = await childrenOf(host.pid)
  for (const pid of children) process.kill(pid, 'SIGKILL')
  host.signal('SIGKILL')
  await host.exited
  await until(async () => (await Promise.all(children.map(hasEnded))).every(Boolean))
}

/** Whether a process has closed its files: it is gone, or a zombie whose last thread has ended. Its program is gone before,
 * while its locks are still held. */
async function hasEnded(pid: number): Promise<boolean> {
  try {
    const [stat, threads] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readdir(`/proc/${pid}/task`),
    ])
    return threads.length === 1 && stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true
  }
}
