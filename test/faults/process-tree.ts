import type { HostProcess } from '../hosts/process.ts'
import { childrenOf } from '../runner/processes.ts'

/** Kills a host with everything it has started, its children first, with SIGKILL. */
export async function killAll(host: HostProcess): Promise<void> {
  for (const pid of await childrenOf(host.pid)) process.kill(pid, 'SIGKILL')
  host.signal('SIGKILL')
  await host.exited
}
