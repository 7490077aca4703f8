import { existsSync } from 'node:fs'

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
  // Of one that has ended and was not waited for, the program is gone.
  await until(() => children.every((pid) => !existsSync(`/proc/${pid}/exe`)))
}
