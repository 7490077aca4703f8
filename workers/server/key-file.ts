import { createHmac, randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

import { EXIT, CommandFailure } from './failures.ts'

const KEY_BYTES = 32

/** The key of the installation: 32 bytes in a file that only its owner can read.
 * @param mayMake whether a missing key is made: data that were sealed with a lost key cannot be read with a new one
 * @throws {CommandFailure} if it is damaged, or missing without `mayMake` */
export async function readKeyFile(path: string, mayMake: boolean): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const key = new Uint8Array(await readFile(path))
    if (key.length >= KEY_BYTES) return key
    throw new CommandFailure(
      EXIT.data,
      `${path} is damaged: it has ${key.length} bytes instead of ${KEY_BYTES}. ${REMEDY}`,
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  if (!mayMake)
    throw new CommandFailure(
      EXIT.data,
      `${path} is missing, but the data beside it were written with that key. ${REMEDY}`,
    )
  const key = new Uint8Array(randomBytes(KEY_BYTES))
  // By another name first, because the process may end while it writes.
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(key)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  return key
}

const REMEDY =
  'Restore the file from a copy of the data directory. If it is lost, start once with TIDEMARK_NEW_KEY=yes and without the file: second factors and the secrets of recipients are then lost.'

/** The default registration token of runners, so that the runner beside the service needs no set-up. */
export function runnerTokenOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('tidemark runner registration').digest('base64url')
}

/** The former keys: the files `key-…` in the folder of the key, in descending order of their names. */
export async function readFormerKeys(folder: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('key-')).sort()
  return Promise.all(names.reverse().map(async (name) => new Uint8Array(await readFile(join(folder, name)))))
}
