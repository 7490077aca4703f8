import { readdir, readFile } from 'node:fs/promises'

import { CommandFailure, EXIT } from '../../server/failures.ts'

/** A text in UTF-8, with or without a byte order mark. @throws {CommandFailure} data, where it is in another encoding */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CommandFailure(EXIT.data, `${name} is not in UTF-8: convert it with iconv.`, { cause })
  }
}

/** @throws {CommandFailure} data, where the file cannot be read or is not in UTF-8 */
export async function readText(path: string): Promise<string> {
  return decodeText(await readFile(path).catch(unreadable(path)), path)
}

/** The names in a directory. @throws {CommandFailure} data, where it cannot be read */
export function readNames(path: string): Promise<string[]> {
  return readdir(path).catch(unreadable(path))
}

function unreadable(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new CommandFailure(EXIT.data, `${path} cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

/** @throws {CommandFailure} data, where the file cannot be read or is not JSON */
export async function readJson(path: string): Promise<unknown> {
  const text = await readText(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandFailure(EXIT.data, `${path} is not JSON: ${(cause as Error).message}.`, { cause })
  }
}
