import { audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import type { Chunks } from '../../../lib/chunks.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { cleanUp } from '../../../ports/log.ts'
import { LONG_UPLOAD_MAX_MS, putBlobAt } from '../../blobs/service.ts'
import type { ArchiveKeys } from '../archive/keys.ts'
import { readArchive, rowOf } from '../archive/lines.ts'
import type { Line } from '../archive/lines.ts'
import type { RestoreHooks } from '../hooks.ts'
import { finishRestore, noteRestore } from '../store.ts'
import { addRecords, heardOf, listJobIds, refill, stageRows } from '../store/refill.ts'
import { dropRun } from '../store/snapshot.ts'
import { SEQUENCES, tableCalled } from '../store/tables.ts'
import type { Table } from '../store/tables.ts'
import { RestoredTables } from './data-tables.ts'
import type { ArchiveContents } from './inspect.ts'
import { forHere, reseal } from './secrets.ts'

/** A parameter takes less than 1 MB. */
const ROWS_AT_ONCE = 2_000
const LENGTH_AT_ONCE = 256 * 1024
const JOBS_AT_ONCE = 500

/** An inspected archive, and a function that opens it again. */
export type ArchiveSource = {
  readonly open: () => Promise<Chunks>
  readonly contents: ArchiveContents
  readonly keys: ArchiveKeys
}

/** Replaces all data by the data of an archive.
 *
 * 1. Rows are staged beside the tables, and the bytes of files as blobs without references.
 * 2. One commit empties the tables and fills them. A crash before it has changed nothing.
 * 3. Rows of tables that only grow are added, and each job gets its samples. After a crash here the restore is repeated.
 */
export async function restoreWhole(
  context: Context,
  source: ArchiveSource,
  hooks: RestoreHooks,
): Promise<void> {
  const { ports } = context
  const { database, clock, log } = ports
  const run = crypto.randomUUID()
  const jobsBefore = await collectJobIds(ports)
  const dataTables = new RestoredTables(ports, hooks)
  try {
    await gather(ports, source, { run, dataTables })
    const { tables, header, ended } = source.contents
    const sections = new Map([...tables].map(([name, { columns }]) => [name, columns]))
    const entry = audited(context, {
      action: 'restore',
      objectType: 'backup',
      objectId: ended.chain,
      after: { madeAt: header.createdAt, histories: header.hasHistories, files: header.hasFiles },
    })
    const at = clock.now()
    await commit(database, [
      ...refill(database, run, { sections, at }),
      noteRestore(database, { digest: ended.chain, madeAt: header.createdAt, beganAt: at }),
      hooks.pauseNotifications(database, at),
      entry,
    ])
  } finally {
    await cleanUp(log, 'backups: deleting staged rows failed; a later check deletes them', () =>
      commit(database, [dropRun(database, run)]),
    )
    await cleanUp(log, 'backups: giving up unused tables failed; a later sweep deletes them', () =>
      dataTables.abandon(),
    )
  }
  for (const jobId of jobsBefore) await ports.jobActors.forget(jobId)
  await addPast(ports, source)
  await hooks.applyJobConfigs(ports)
  await ports.flow.runDue()
  await commit(database, [finishRestore(database, clock.now())])
}

async function collectJobIds({ database }: Ports): Promise<readonly number[]> {
  const all: number[] = []
  for (;;) {
    const some = await listJobIds(database, all.at(-1) ?? 0, JOBS_AT_ONCE)
    all.push(...some)
    if (some.length < JOBS_AT_ONCE) return all
  }
}

async function gather(
  ports: Ports,
  source: ArchiveSource,
  { run, dataTables }: { readonly run: string; readonly dataTables: RestoredTables },
): Promise<void> {
  const { database, clock, secrets } = ports
  const anew = forHere(secrets, source.keys)
  const blobs = new Map<string, string>()
  for await (const section of sectionsOf(await source.open())) {
    if ('file' in section.heading) await putFile(ports, blobs.get(bytesCalled(section.heading)), section.rows)
    if ('rows' in section.heading) await dataTables.fill(section.heading.rows, section.rows)
    if (!('table' in section.heading)) continue
    const { table: name, columns } = section.heading
    const table = name === SEQUENCES ? { name } : tableCalled(name)
    if (!table || ('grows' in table && table.grows)) continue
    let from = 0
    for await (const rows of inParts(section.rows)) {
      const sealed = await Promise.all(rows.map((row) => reseal(table, columns, row, anew)))
      const placed: (readonly unknown[])[] = []
      for (const row of sealed)
        placed.push(
          name === 'data_tables'
            ? await dataTables.place(columns, row)
            : withNewBlob(table, columns, { row, blobs }),
        )
      await commit(database, [stageRows(database, run, { table, from, rows: placed }, clock.now())])
      from += rows.length
    }
  }
}

/** Blobs are never shared: the files of the archive get new keys. */
function withNewBlob(
  table: Pick<Table, 'name' | 'bytes'>,
  columns: readonly string[],
  { row, blobs }: { readonly row: readonly unknown[]; readonly blobs: Map<string, string> },
): readonly unknown[] {
  const place = columns.indexOf('blob')
  if (!table.bytes || row[place] === null) return row
  const { name, prefix } = table.bytes(rowOf(columns, row))
  const key = `${prefix}/${crypto.randomUUID()}`
  blobs.set(bytesCalled({ file: name, of: table.name }), key)
  return row.with(place, key)
}

function bytesCalled({ file, of = 'files' }: { readonly file: string; readonly of?: string }): string {
  return `${of} ${file}`
}

async function putFile(
  ports: Ports,
  key: string | undefined,
  rows: AsyncIterable<readonly unknown[], void>,
): Promise<void> {
  if (key === undefined) return
  const bytes = async function* () {
    for await (const [piece] of rows) yield Uint8Array.fromBase64(String(piece))
  }
  const signal = AbortSignal.timeout(LONG_UPLOAD_MAX_MS)
  await putBlobAt(ports, key, { chunks: bytes(), sizeMaxBytes: Infinity }, signal)
}

async function addPast(ports: Ports, source: ArchiveSource): Promise<void> {
  const { database, jobActors } = ports
  for await (const section of sectionsOf(await source.open())) {
    const { heading, rows } = section
    if ('job' in heading) {
      const copied = {
        lines: linesAgain(rows),
        madeAt: source.contents.header.createdAt,
        heardSeq: await heardOf(database, heading.job),
      }
      await jobActors.restore(heading.job, copied)
    } else if ('table' in heading) {
      const table = tableCalled(heading.table)
      if (table?.grows) await addGrown(ports, table, { columns: heading.columns, rows })
    }
  }
}

async function addGrown(
  { database }: Ports,
  table: Table,
  { columns, rows }: { columns: readonly string[]; rows: AsyncIterable<readonly unknown[], void> },
): Promise<void> {
  for await (const part of inParts(rows))
    await commit(database, [addRecords(database, { table, columns, rows: part })])
}

/** The rows of a job as the stream of lines that they were. */
export function linesAgain(rows: AsyncIterable<readonly unknown[], void>): ReadableStream<Uint8Array> {
  const source = rows[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const next = await source.next()
      if (next.done !== true) return controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`))
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
}

type Section = {
  readonly heading: Extract<Line, { heading: unknown }>['heading']
  /** Rows that are not read before the next section is read are skipped. */
  readonly rows: AsyncGenerator<readonly unknown[], void>
}

/** The sections of an inspected archive. */
export async function* sectionsOf(chunks: Chunks): AsyncGenerator<Section, void> {
  const lines = readArchive(chunks)
  let next = await lines.next()
  async function* rows() {
    for (next = await lines.next(); next.done !== true && 'row' in next.value; next = await lines.next())
      yield next.value.row
  }
  try {
    while (next.done !== true) {
      if (!('heading' in next.value)) {
        next = await lines.next()
        continue
      }
      const section = { heading: next.value.heading, rows: rows() }
      yield section
      for await (const _ of section.rows);
    }
  } finally {
    await lines.return()
  }
}

/** Rows in parts that one statement takes. */
export async function* inParts(
  rows: AsyncIterable<readonly unknown[], void>,
): AsyncGenerator<readonly (readonly unknown[])[], void> {
  let part: (readonly unknown[])[] = []
  let length = 0
  for await (const row of rows) {
    part.push(row)
    length += JSON.stringify(row).length
    if (part.length < ROWS_AT_ONCE && length < LENGTH_AT_ONCE) continue
    yield part
    part = []
    length = 0
  }
  if (part.length > 0) yield part
}
