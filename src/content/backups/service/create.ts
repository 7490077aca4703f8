import { textLines } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { VERSION } from '../../../http/version.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { generationOf } from '../../../ports/tables.ts'
import { proofOf } from '../archive/keys.ts'
import type { ArchiveKeys } from '../archive/keys.ts'
import { FORMAT, rowOf, writeArchive } from '../archive/lines.ts'
import type { Header } from '../archive/lines.ts'
import {
  dropRun,
  hasLostObjects,
  readJobIds,
  readSequences,
  readSnapshot,
  tablesFor,
  takeSnapshot,
} from '../store/snapshot.ts'
import { SEQUENCES, tableCalled } from '../store/tables.ts'
import type { Table } from '../store/tables.ts'
import { dataTableOf } from './data-tables.ts'
import { forArchive, reseal } from './secrets.ts'

const JOBS_AT_ONCE = 500
/** Bytes of a file in one line. */
const PIECE_BYTES = 48 * 1024
/** The largest line of the data of a job; 64 KiB of a blob are smaller. */
const LINE_MAX_LENGTH = 4 * 1024 * 1024

export type Content = Pick<Header, 'hasHistories' | 'hasFiles'>

/** An archive as of one instant: the time of the request. */
export type Making = {
  readonly madeAt: number
  readonly bytes: AsyncGenerator<Uint8Array<ArrayBuffer>, void>
  /** The last link of the archive's chain, once it was read to its end. */
  digest(): string
  /** False when objects were deleted meanwhile: what belonged to them is missing, and the archive is good for nothing. */
  isWhole(): Promise<boolean>
  end(): Promise<void>
}

/** Begins an archive: all tables except those that only grow are copied at once; these are read while the archive is read. */
export async function beginArchive(ports: Ports, keys: ArchiveKeys, content: Content): Promise<Making> {
  const { database, clock, secrets } = ports
  const run = crypto.randomUUID()
  const madeAt = clock.now()
  await commit(database, takeSnapshot(database, run, { tables: tablesFor(content), at: madeAt }))
  let digest = ''
  const header: Header = {
    tidemark: 'backup',
    format: FORMAT,
    release: VERSION,
    createdAt: madeAt,
    ...content,
    salt: keys.salt,
    check: await proofOf(keys),
  }
  const lines = linesOf({ ports, run, content, madeAt, anew: forArchive(secrets, keys) }, header)
  return {
    madeAt,
    bytes: writeArchive(lines, (chain) => proofOf(keys, (digest = chain))),
    digest: () => digest,
    isWhole: async () => !content.hasHistories || !(await hasLostObjects(database, run)),
    end: () => commit(database, [dropRun(database, run)]),
  }
}

type ArchiveInput = {
  readonly ports: Ports
  readonly run: string
  readonly content: Content
  readonly madeAt: number
  readonly anew: ReturnType<typeof forArchive>
}

async function* linesOf(gathering: ArchiveInput, header: Header): AsyncGenerator<string, void> {
  const { ports, run, content } = gathering
  yield JSON.stringify(header)
  yield JSON.stringify({ table: SEQUENCES, columns: ['name', 'seq'] })
  yield* await readSequences(ports.database, run)
  yield* tableLines(gathering)
  if (content.hasFiles) yield* dataLines(gathering)
  if (content.hasHistories) yield* jobLines(gathering)
  for (const table of tablesFor(content)) yield* fileLines(gathering, table)
}

async function* tableLines({ ports, run, content, anew }: ArchiveInput): AsyncGenerator<string, void> {
  for (const table of tablesFor(content)) {
    const columns = namesOf(table)
    yield JSON.stringify({ table: table.name, columns })
    const past = content.hasHistories ? [] : (table.past ?? [])
    for await (const page of readSnapshot(ports.database, run, table)) {
      if (!table.sealed && past.length === 0) yield* page
      else {
        for (const text of page) {
          const cells = await reseal(table, columns, JSON.parse(text) as unknown[], anew)
          yield JSON.stringify(
            cells.map((cell, index) => (past.includes(columns[index] ?? '') ? null : cell)),
          )
        }
      }
    }
  }
}

/** The rows of imported tables. Their generations never change, and are not deleted while the snapshot is there. */
async function* dataLines({ ports, run }: ArchiveInput): AsyncGenerator<string, void> {
  const table = tableCalled('data_tables')
  if (!table) return
  for await (const page of readSnapshot(ports.database, run, table)) {
    for (const text of page) {
      const { id, dataSourceId, generationId, columns } = dataTableOf(
        rowOf(namesOf(table), JSON.parse(text) as unknown[]),
      )
      yield JSON.stringify({ rows: id })
      const rows = await ports.tables.read(
        generationOf(dataSourceId, generationId),
        columns,
        new AbortController().signal,
      )
      for await (const batch of rows) for (const row of batch) yield JSON.stringify(row)
    }
  }
}

async function* jobLines({ ports, run, madeAt }: ArchiveInput): AsyncGenerator<string, void> {
  const { database, jobActors } = ports
  for (let after = 0; ;) {
    const ids = await readJobIds(database, run, after, JOBS_AT_ONCE)
    for (const id of ids) {
      const copied = await jobActors.archive(id, madeAt).catch(unlessGone)
      // A job without an actor has no values yet, or was deleted, which `isWhole` finds at the end.
      if (!copied) continue
      yield JSON.stringify({ job: id })
      try {
        yield* textLines(copied, LINE_MAX_LENGTH)
      } catch (error) {
        // The job was deleted while its values were read: `isWhole` is false, and another archive begins.
        if (!(await hasLostObjects(database, run))) throw error
      }
    }
    after = ids.at(-1) ?? 0
    if (ids.length < JOBS_AT_ONCE) return
  }
}

function unlessGone(error: unknown): null {
  if (error instanceof Refusal && error.code === 'not_found') return null
  throw error
}

async function* fileLines({ ports, run }: ArchiveInput, table: Table): AsyncGenerator<string, void> {
  if (!table.bytes) return
  for await (const page of readSnapshot(ports.database, run, table)) {
    for (const text of page) {
      const row = rowOf(namesOf(table), JSON.parse(text) as unknown[])
      const { blob } = row
      if (typeof blob !== 'string') continue
      const stored = await ports.blobs.get(blob)
      if (!stored) throw new Error('The bytes of a file are missing.')
      yield JSON.stringify({
        file: table.bytes(row).name,
        ...(table.name === 'files' ? {} : { of: table.name }),
      })
      for await (const chunk of stored.body) {
        for (let at = 0; at < chunk.length; at += PIECE_BYTES)
          yield JSON.stringify([chunk.subarray(at, at + PIECE_BYTES).toBase64()])
      }
    }
  }
}

function namesOf({ columns }: Table): readonly string[] {
  return columns.map(({ name }) => name)
}
