import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { startServer } from '../../workers/bun/server.ts'
import type { Seams } from '../../workers/server/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { lightHash } from './light-hash.ts'
import { ADMIN, TIME_ZONE } from './host.ts'
import { startDeno } from './deno.ts'
import { FAST_DIR } from './fast-dir.ts'
import { ON_DENO } from './process.ts'
import type { Host } from './host.ts'

/** Starts the Bun host in this process on a free port, with data of its own that goes with it; with `npm run test:deno` the
 * host on Deno. */
export async function startBun(
  environment: Readonly<Record<string, string>> = {},
  seams: Seams = {},
): Promise<Host> {
  if (ON_DENO) return startDeno(environment, seams)
  const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-'))
  const logs: string[] = []
  const settings = readServerSettings({
    TIDEMARK_PORT: '0',
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_TIME_ZONE: TIME_ZONE,
    TIDEMARK_ADMIN_PASSWORD: ADMIN.password,
    TIDEMARK_FIRST_OBJECTS: 'off',
    ...environment,
  })
  const log = jsonLog((line) => logs.push(line))
  // The threads of the service hash in idle time only, and a machine that runs tests has little.
  const server = await startServer(settings, { log, scrypt: lightHash, ...seams })
  return {
    name: 'bun',
    url: server.url,
    logs,
    key: server.ports.secrets.key.slice(),
    setupLink: () => Promise.resolve(server.setupLink),
    async close() {
      await server.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
