import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Context } from '../../../src/context.ts'
import { restoreHooks } from '../../../src/app.ts'
import { restoreUpload } from '../../../src/content/backups/service.ts'
import type { RestoreBody, RestoreView } from '../../../src/content/backups/service.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import { jsonLog } from '../../json-log.ts'
import { startServer } from '../server.ts'
import { readBunSettings } from '../settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Restores a backup into a data directory that no service uses, without a login. After a failure the directory is
 * empty again.
 * @throws {RangeError} where the directory is not empty or the backup is refused */
export async function restoreInto(
  dataDir: string,
  file: string,
  { asked, environment }: { readonly asked: RestoreBody; readonly environment: Environment },
): Promise<RestoreView> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if ((await readdir(dataDir)).length > 0)
    throw new RangeError(`${dataDir} is not empty. Name a new or empty directory.`)
  try {
    return await restoreOffline(dataDir, file, { asked, environment })
  } catch (error) {
    for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true })
    if (error instanceof Refusal) throw new RangeError(error.detail)
    throw error
  }
}

async function restoreOffline(
  dataDir: string,
  file: string,
  { asked, environment }: { readonly asked: RestoreBody; readonly environment: Environment },
): Promise<RestoreView> {
  const settings = readBunSettings({
    ...environment,
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_ADMIN_PASSWORD: undefined,
    TIDEMARK_BACKUP_DIR: undefined,
    TIDEMARK_BACKUP_EVERY: undefined,
    TIDEMARK_HOST: '127.0.0.1',
    TIDEMARK_PORT: '0',
  })
  const log = jsonLog((line) => {
    if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`)
  })
  const server = await startServer(settings, { log })
  try {
    const context: Context = { ports: server.ports, caller: { kind: 'nobody' }, requestId: 'restore' }
    return await restoreUpload(context, Bun.file(file).stream(), asked, restoreHooks)
  } finally {
    await server.close()
  }
}
