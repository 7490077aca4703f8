import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { killAll } from './process-tree.ts'

/** An edge host of this name (`edge-host.ts`) as a process, with data of its own, which go with it. */
export async function startEdgeProcess(name: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-edge-'))
  const start = (which: string) =>
    startProcess({ command: ['bun', 'test/faults/edge-host.ts', which], dataDir })
  let host = await start(name)
  return {
    get host() {
      return host
    },
    /** Kills it and starts another one on the same data. */
    async become(which: string): Promise<void> {
      await killAll(host)
      host = await start(which)
    },
    async end(): Promise<void> {
      await killAll(host)
      await rm(dataDir, { recursive: true })
    },
  }
}
