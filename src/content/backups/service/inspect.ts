import type { Chunks } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { archiveKeys, isProof } from '../archive/keys.ts'
import type { ArchiveKeys } from '../archive/keys.ts'
import { readArchive } from '../archive/lines.ts'
import type { Ended, Header, Heading } from '../archive/lines.ts'
import { noArchive } from '../archive/members.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import { SEQUENCES, tableCalled } from '../store/tables.ts'
import { DataRowCounts } from './data-tables.ts'

/** The content of an archive, after a complete read. */
export type ArchiveContents = {
  readonly header: Header
  readonly ended: Ended
  /** The columns and the number of rows of each table. */
  readonly tables: ReadonlyMap<string, { readonly columns: readonly string[]; rows: number }>
  readonly jobs: number
  readonly files: number
}

/** Reads an archive from its first byte to its last.
 * @throws {Refusal} bad_request for another file, or one that was cut or altered; newer_backup for tables and columns that this
 * release does not know */
export async function inspectArchive(chunks: Chunks): Promise<ArchiveContents> {
  let header: Header | null = null
  let ended: Ended | null = null
  const tables = new Map<string, { columns: readonly string[]; rows: number }>()
  const counts = { jobs: 0, files: 0 }
  const dataRows = new DataRowCounts()
  for await (const part of readArchive(chunks)) {
    if ('header' in part) ({ header } = part)
    else if ('ended' in part) ({ ended } = part)
    else if ('heading' in part) note(part.heading, tables, { counts, dataRows })
    else if ('rows' in part.under) dataRows.count(part.under.rows, part.row)
    else if ('table' in part.under) {
      const table = tables.get(part.under.table)
      if (!table || part.row.length !== table.columns.length) throw noArchive()
      table.rows++
      if (part.under.table === 'data_tables') dataRows.announce(table.columns, part.row)
    }
  }
  dataRows.end()
  if (!header || !ended) throw noArchive()
  return { header, ended, tables, ...counts }
}

function note(
  heading: Heading,
  tables: Map<string, { columns: readonly string[]; rows: number }>,
  { counts, dataRows }: { counts: { jobs: number; files: number }; dataRows: DataRowCounts },
): void {
  if ('job' in heading) counts.jobs++
  else if ('rows' in heading) dataRows.begin(heading.rows)
  else if ('file' in heading) counts.files += heading.of === undefined ? 1 : 0
  else if ('table' in heading) {
    requireKnown(heading.table, heading.columns)
    if (tables.has(heading.table)) throw noArchive()
    tables.set(heading.table, { columns: heading.columns, rows: 0 })
  } else throw newer('a part')
}

function requireKnown(name: string, columns: readonly string[]): void {
  if (name === SEQUENCES) return
  const table = tableCalled(name)
  if (!table) throw newer(`a table ${name}`)
  const unknown = columns.find((column) => !table.columns.some((own) => own.name === column))
  if (unknown !== undefined) throw newer(`a column ${unknown} of ${name}`)
}

function newer(part: string): Refusal {
  return new Refusal(
    'newer_backup',
    `The backup has ${part}, which this release does not support. Upgrade first.`,
  )
}

/** The keys of an inspected archive.
 * @throws {Refusal} invalid for another passphrase, bad_request for an archive that was modified */
export async function keysFor(
  secrets: Secrets,
  { header, ended }: Pick<ArchiveContents, 'header' | 'ended'>,
  passphrase: string,
  pointer: string,
): Promise<ArchiveKeys> {
  const keys = await archiveKeys(secrets, passphrase, header.salt)
  if (!(await isProof(keys, header.check)))
    throw new Refusal('invalid', 'The backup was made with another passphrase.', [
      { pointer, message: 'must be the passphrase of this backup' },
    ])
  if (!(await isProof(keys, ended.proof, ended.chain))) throw noArchive()
  return keys
}
