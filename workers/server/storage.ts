import { join } from 'node:path'

import { BACKUPS_PREFIX } from '../../src/content/backups/service.ts'
import type { Log } from '../../src/ports/log.ts'
import { blobsApart } from './blobs-apart.ts'
import { openBlobsDirectory } from './blobs-directory.ts'
import type { BlobFiles } from './blobs-directory.ts'
import { takeDataDirectory } from './data-directory.ts'
import { EXIT, CommandFailure } from './failures.ts'
import { readFormerKeys, readKeyFile } from './key-file.ts'
import { openLibsql } from './libsql.ts'
import type { Libsql } from './libsql.ts'
import { requireReadableData, migrateRelease } from './release.ts'
import type { Migrated } from './release.ts'
import { watchDiskSpace } from './disk-space.ts'
import type { DiskSpace } from './disk-space.ts'
import type { ServerSettings } from './settings.ts'
import { freeBytesInside } from './values.ts'

export type Keys = {
  readonly key: Uint8Array<ArrayBuffer>
  readonly formerKeys: readonly Uint8Array<ArrayBuffer>[]
}

/** The databases and blobs of the service, open and migrated. */
export type Storage = Keys & {
  readonly room: DiskSpace
  readonly system: Libsql
  readonly values: Libsql
  readonly blobs: BlobFiles
  readonly migrated: Migrated
  /** Closes the databases. Called after the last write. */
  close(): Promise<void>
}

/** Takes the data directory and opens its databases and blobs. Nothing is changed before all of them have been found usable.
 * @throws {CommandFailure} and errors of the system and of SQLite with `code` and `path` */
export async function openStorage(settings: ServerSettings, log: Log): Promise<Storage> {
  const { dataDir } = settings
  const directory = await takeDataDirectory(dataDir, log)
  let freeInside = () => Promise.resolve(0)
  // Before the databases, which on a full disk need the space of the ballast.
  const room = await watchDiskSpace(dataDir, log, () => freeInside())
  const values = await openLibsql(`file:${join(dataDir, 'values.db')}`)
  freeInside = () => freeBytesInside(values.client)
  const system = await openSystem(settings)
  const appliedBefore = await requireReadableData(values.client, system.client)
  const formerKeys = await readFormerKeys(dataDir)
  const mayMakeKey = settings.newKey || appliedBefore === 0 || formerKeys.length > 0
  const key = await readKeyFile(join(dataDir, 'key'), mayMakeKey)
  const migrated = await migrateRelease(values.client, system, appliedBefore)
  const blobs = await openBlobs(settings, log)
  return {
    room,
    system,
    values,
    blobs,
    key,
    formerKeys,
    migrated,
    async close() {
      await room.close()
      await values.close()
      await system.close()
      await directory.release()
    },
  }
}

async function openBlobs({ dataDir, backupDir }: ServerSettings, log: Log): Promise<BlobFiles> {
  const inside = await openBlobsDirectory(join(dataDir, 'blobs'), log)
  if (backupDir === null) return inside
  const apart = await openBlobsDirectory(backupDir, log).catch((cause: unknown) => {
    throw new CommandFailure(
      EXIT.directory,
      `The backup directory ${backupDir} cannot be used (${(cause as NodeJS.ErrnoException).code}). Make it writable, or correct TIDEMARK_BACKUP_DIR.`,
      { cause },
    )
  })
  return blobsApart(inside, BACKUPS_PREFIX, apart)
}

async function openSystem(settings: ServerSettings): Promise<Libsql> {
  const url = settings.databaseUrl ?? `file:${join(settings.dataDir, 'config.db')}`
  try {
    return await openLibsql(url, { authToken: settings.databaseAuthToken ?? undefined })
  } catch (error) {
    if (url.startsWith('file:')) throw error
    const { message } = ((error as Error).cause ?? error) as Error
    const [reason] = message.split(' Is the computer')
    throw new CommandFailure(
      EXIT.unavailable,
      `${new URL(url).host} does not answer as a libSQL server (${reason}). Start the server, or correct TIDEMARK_DATABASE_URL and TIDEMARK_DATABASE_AUTH_TOKEN.`,
      { cause: error },
    )
  }
}
