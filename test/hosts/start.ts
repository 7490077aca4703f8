import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { startBun } from './bun.ts'
import { startEdge } from './edge.ts'
import type { Host } from './host.ts'
import { startHrana } from './hrana.ts'
import { FAST_DIR } from './fast-dir.ts'

export const HOST_NAMES = ['bun', 'edge'] as const

/** Starts the host of that name with data of its own; `variables` are set besides its usual ones.
 * @param port 0 for a free one */
export function startHost(
  name: Host['name'],
  variables: Readonly<Record<string, string>> = {},
  port = 0,
): Promise<Host> {
  return name === 'bun'
    ? startBun({ ...variables, TIDEMARK_PORT: String(port) })
    : startEdge({ variables, port })
}

/** The Bun host whose system database is on a libSQL server. */
export async function startRemote(variables: Readonly<Record<string, string>> = {}): Promise<Host> {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-hrana-'))
  const hrana = startHrana(join(folder, 'system.db'))
  const host = await startBun({ ...variables, TIDEMARK_DATABASE_URL: hrana.url })
  return {
    ...host,
    async close() {
      await host.close()
      await hrana.close()
      await rm(folder, { recursive: true })
    },
  }
}
