import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Seams } from '../../workers/server/server.ts'
import { readKeyFile } from '../../workers/server/key-file.ts'
import { readUntil } from '../until.ts'
import { FAST_DIR } from './fast-dir.ts'
import type { Host } from './host.ts'
import { AS_DENO, startProcess } from './process.ts'

const LINK = 'set-up link: '

/** Starts the service on Deno, as a process on a free port, with data of its own that goes with it. It has the name of the
 * host on Bun: tests expect the same of both.
 * @throws {TypeError} for seams, which another process cannot have */
export async function startDeno(
  environment: Readonly<Record<string, string>>,
  seams: Seams = {},
): Promise<Host> {
  if (Object.keys(seams).length > 0) throw new TypeError('A host on Deno takes no part of a test.')
  const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-deno-'))
  const command = [...AS_DENO, 'test/hosts/deno-service.ts']
  const host = await startProcess({ command, dataDir, environment })
  // The line may come after the address.
  const linkLine = () =>
    readUntil(
      () => host.logs.find((line) => line.startsWith(LINK)),
      (line) => line !== undefined,
    )
  return {
    name: 'bun',
    url: host.url,
    // Standard output has the welcome.
    get logs() {
      return host.logs.filter((line) => line.startsWith('{'))
    },
    key: await readKeyFile(join(environment['TIDEMARK_DATA_DIR'] ?? dataDir, 'key'), false),
    async setupLink() {
      const link = (await linkLine())?.slice(LINK.length) ?? 'null'
      return link === 'null' ? null : link
    },
    async close() {
      host.signal('SIGTERM')
      await host.exited
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
