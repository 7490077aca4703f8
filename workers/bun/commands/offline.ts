import { access } from 'node:fs/promises'
import { join } from 'node:path'

import type { Context } from '../../../src/context.ts'
import { cleanUp } from '../../../src/ports/log.ts'
import { jsonLog } from '../../json-log.ts'
import { refuseHalfRestored } from '../../server/data-directory.ts'
import { CommandFailure, EXIT } from '../../server/failures.ts'
import { startServer } from '../server.ts'
import { readServerSettings } from '../../server/settings.ts'
import type { Environment } from './action.ts'

/** The warnings and errors of a service that runs inside a command. */
export const offlineLog = jsonLog((line) => {
  if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`)
})

/** Opens the data of the service of this environment, without a login, while no other process uses them.
 * @throws {CommandFailure} when a service uses them, or when the directory is empty */
export async function withOfflineService<Result>(
  environment: Environment,
  use: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { dataDir } = readServerSettings(environment)
  await access(join(dataDir, 'config.db')).catch((cause: unknown) => {
    const message = `${dataDir} has no data of Tidemark. Set TIDEMARK_DATA_DIR to the data directory of the service.`
    throw new CommandFailure(EXIT.directory, message, { cause })
  })
  await refuseHalfRestored(dataDir)
  return withDataDirectory(dataDir, environment, use)
}

/** As `withOfflineService`, with a data directory that may be new. */
export async function withDataDirectory<Result>(
  dataDir: string,
  environment: Environment,
  use: (context: Context) => Promise<Result>,
): Promise<Result> {
  const settings = readServerSettings({
    ...environment,
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_ADMIN_PASSWORD: undefined,
    TIDEMARK_BACKUP_DIR: undefined,
    TIDEMARK_BACKUP_EVERY: undefined,
    TIDEMARK_HOST: '127.0.0.1',
    TIDEMARK_PORT: '0',
  })
  const server = await startServer(settings, { log: offlineLog })
  try {
    return await use({ ports: server.ports, caller: { kind: 'anonymous' }, requestId: 'command line' })
  } finally {
    await cleanUp(offlineLog, 'command: closing the data directory failed', () => server.close())
  }
}
