import { readdir } from 'node:fs/promises'

import type { HostProcess } from '../hosts/process.ts'

/** Kills a host with everything it has started, its children first, with SIGKILL. */
export async function killAll(host: HostProcess): Promise<void> {
  for (const pid of await childrenOf(host.pid)) process.kill(pid, 'SIGKILL')
  host.signal('SIGKILL')
  await host.exited
}

/** The processes that a process has started and that still run (proc(5): field 4 of `stat`). */
async function childrenOf(parent: number): Promise<readonly number[]> {
  const children: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // It may have ended since its name was read.
    const text = await Bun.file(`/proc/${name}/stat`)
      .text()
      .catch(() => '')
    const parentOf = text.slice(text.lastIndexOf(')') + 2).split(' ')[1]
    if (parentOf === String(parent)) children.push(Number(name))
  }
  return children
}
