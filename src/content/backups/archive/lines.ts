import * as z from 'zod'
import type { Chunks } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { noArchive, packMember, unpackMembers } from './members.ts'

/** The format of `docs/architecture/formats/backup.md`. One with a greater number is refused. */
export const FORMAT = 1
/** The text of a member is at least so long, but for the last ones. */
const MEMBER_BYTES = 1024 * 1024

const header = z.object({
  tidemark: z.literal('backup'),
  format: z.int(),
  release: z.string(),
  createdAt: z.int(),
  hasHistories: z.boolean(),
  hasFiles: z.boolean(),
  salt: z.string(),
  check: z.string(),
})
const trailer = z.object({ end: z.literal(true), lines: z.int(), chain: z.string(), proof: z.string() })

/** The first line. */
export type Header = z.infer<typeof header>

/** The section of the lines that follow. */
export type Heading =
  | { readonly table: string; readonly columns: readonly string[] }
  | { readonly job: number }
  /** Rows of the imported table with this id, in the order of its columns. */
  | { readonly rows: number }
  /** Bytes of a row of `files`, or of the table that `of` is. */
  | { readonly file: string; readonly of?: string }

/** A line: a heading, or a row of the section of the latest heading. */
export type Line =
  | { readonly heading: Heading }
  | { readonly row: readonly unknown[]; readonly under: Heading }

/** The cells of a row by the names of their columns. */
export function rowOf(
  columns: readonly string[],
  cells: readonly unknown[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(columns.map((name, index) => [name, cells[index]]))
}

/** An archive of these lines of JSON, a member of about a mebibyte after the other, with the proof of all at its end. */
export async function* writeArchive(
  lines: AsyncIterable<string, void>,
  prove: (chain: string) => Promise<string>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder()
  let chain: Uint8Array<ArrayBuffer> = new Uint8Array(32)
  let count = 0
  let waiting: string[] = []
  let length = 0
  const member = async () => {
    const text = new Uint8Array(encoder.encode(waiting.join('')))
    waiting = []
    length = 0
    chain = await linked(chain, text)
    return packMember(text)
  }
  for await (const line of lines) {
    waiting.push(line, '\n')
    count++
    length += line.length
    if (length >= MEMBER_BYTES) yield await member()
  }
  if (waiting.length > 0) yield await member()
  const end = { end: true, lines: count, chain: chain.toHex(), proof: await prove(chain.toHex()) }
  yield await packMember(new Uint8Array(encoder.encode(`${JSON.stringify(end)}\n`)))
}

/** The summary of an archive after its end was read. */
export type Ended = { readonly chain: string; readonly proof: string }

/** Reads an archive: its header, then its sections. The content is only trusted after the end was reached without
 * a refusal, and its proof was checked. @throws {Refusal} bad_request for a file that this service did not write, or that was cut or altered,
 * newer_backup where a later release wrote it */
export async function* readArchive(
  chunks: Chunks,
): AsyncGenerator<{ readonly header: Header } | Line | { readonly ended: Ended }, void> {
  let chain: Uint8Array<ArrayBuffer> = new Uint8Array(32)
  let count = 0
  let ended: Ended | null = null
  let under: Heading | null = null
  for await (const text of unpackMembers(chunks)) {
    if (ended) throw noArchive()
    const lines = linesOf(text)
    const last = count === 0 ? null : endOf(lines)
    if (last) {
      if (last.chain !== chain.toHex() || last.lines !== count) throw noArchive()
      ended = { chain: last.chain, proof: last.proof }
      yield { ended }
      continue
    }
    chain = await linked(chain, text)
    for (const line of lines) {
      if (count++ === 0) yield { header: headerOf(line) }
      else if (Array.isArray(line)) {
        if (!under) throw noArchive()
        yield { row: line as readonly unknown[], under }
      } else {
        under = line as Heading
        yield { heading: under }
      }
    }
  }
  if (!ended) throw noArchive()
}

function linesOf(text: Uint8Array): unknown[] {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
      .decode(text)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  } catch {
    throw noArchive()
  }
}

function endOf(lines: readonly unknown[]): z.infer<typeof trailer> | null {
  const end = lines.length === 1 ? trailer.safeParse(lines[0]) : null
  return end?.success === true ? end.data : null
}

function headerOf(line: unknown): Header {
  const format = z.object({ tidemark: z.literal('backup'), format: z.int() }).safeParse(line)
  if (format.success && format.data.format > FORMAT)
    throw new Refusal(
      'newer_backup',
      `The backup has format ${format.data.format}; this release supports format ${FORMAT}. Upgrade first.`,
    )
  const read = header.safeParse(line)
  if (!read.success) throw noArchive()
  return read.data
}

/** SHA-256 of the previous link and of this text: each link covers all before it. */
async function linked(
  chain: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const both = new Uint8Array(chain.length + text.length)
  both.set(chain)
  both.set(text, chain.length)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', both))
}
