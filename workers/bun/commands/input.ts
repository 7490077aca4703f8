import { readdir, readFile, stat } from 'node:fs/promises'

import type * as z from 'zod'

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

/** The size of a file in bytes. @throws {CommandFailure} data, where the path leads to no file */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(unreadable(path))
  if (found.isFile()) return found.size
  throw new CommandFailure(EXIT.data, `${path} is not a file.`)
}

/** The first bytes of a file. @throws {CommandFailure} data, where the file cannot be read or has become shorter */
export async function* bytesOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array, void> {
  let readBytes = 0
  try {
    for await (const chunk of Bun.file(path).slice(0, sizeBytes).stream()) {
      readBytes += chunk.length
      yield chunk
    }
  } catch (cause) {
    unreadable(path)(cause)
  }
  if (readBytes < sizeBytes)
    throw new CommandFailure(
      EXIT.data,
      `${path} became shorter while it was sent. Repeat the command with a complete file.`,
    )
}

/** The names in a directory. @throws {CommandFailure} data, where it cannot be read */
export function readNames(path: string): Promise<string[]> {
  return readdir(path).catch(unreadable(path))
}

/** Ends the command with the cause of a failed read. @throws {CommandFailure} data */
export function unreadable(path: string): (cause: unknown) => never {
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

/** The value as its schema outputs it. @throws {CommandFailure} data, with the refusal and a line for each fault */
export function valid<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  refusal: string,
): z.output<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const faults = read.error.issues.map((issue) => `\n  ${faultOf(issue)}`)
  throw new CommandFailure(EXIT.data, `${refusal}${faults.join('')}`)
}

function faultOf(issue: z.core.$ZodIssue): string {
  const message =
    issue.code === 'unrecognized_keys' ? `has unknown fields: ${issue.keys.join(', ')}` : issue.message
  return `/${issue.path.join('/')} ${message}`
}
