import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { restoreHooks } from '../../../src/app.ts'
import { restoreUpload } from '../../../src/content/backups/service.ts'
import type { RestoreBody, RestoreView } from '../../../src/content/backups/service.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import { cleanUp } from '../../../src/ports/log.ts'
import { beginRestore, endRestore } from '../../server/data-directory.ts'
import { CommandFailure, EXIT } from '../../server/failures.ts'
import type { Environment } from './action.ts'
import { offlineLog, withDataDirectory } from './offline.ts'

/** Restores a backup into a data directory that no service uses, without a login. After a failure the directory is
 * empty again, unless another process uses it; after an interruption the next restore empties it.
 * @throws {RangeError} where the directory is not empty or the backup is refused */
export async function restoreInto(
  dataDir: string,
  file: string,
  { asked, environment }: { readonly asked: RestoreBody; readonly environment: Environment },
): Promise<RestoreView> {
  await beginRestore(dataDir)
  try {
    return await withDataDirectory(dataDir, environment, async (context) => {
      const view = await restoreUpload(context, Bun.file(file).stream(), asked, restoreHooks)
      await endRestore(dataDir)
      return view
    })
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === EXIT.held) throw error
    await cleanUp(
      offlineLog,
      'restore: emptying the directory failed; the next restore empties it',
      async () => {
        for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true })
      },
    )
    if (error instanceof Refusal) throw new RangeError(error.detail)
    throw error
  }
}
