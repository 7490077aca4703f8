import { createHmac, randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

import { EXIT, CommandFailure } from './failures.ts'

const KEY_BYTES = 32

/** The installation's key: 32 bytes in a file that only its owner reads, made where it is missing.
 * @param mayMake whether one may be made: what was sealed with a lost key cannot be read with a new one
 * @throws {CommandFailure} when it is damaged, or missing and must not be made */
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
  // Whole or not at all: a process may die while it writes.
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

/** The keys of before: the files `key-…` beside the key, by name, the last first. */
export async function readFormerKeys(folder: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('key-')).sort()
  return Promise.all(names.reverse().map(async (name) => new Uint8Array(await readFile(join(folder, name)))))
}
