import { createHmac, randomBytes } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The installation's key: 32 bytes in a file that only its owner reads, made at the first start. */
export async function readKeyFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const file = await open(path, 'wx', 0o600)
  try {
    const key = new Uint8Array(randomBytes(32))
    await file.writeFile(key)
    await file.sync()
    return key
  } finally {
    await file.close()
  }
}

/** With what runners register where nobody has said: so that the one that starts with the service needs no set-up. */
export function runnerTokenOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('tidemark runner registration').digest('base64url')
}

/** The keys of before: the files `key-…` beside the key, by name, the last first. */
export async function readFormerKeys(folder: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('key-')).sort()
  return Promise.all(names.reverse().map(async (name) => new Uint8Array(await readFile(join(folder, name)))))
}
