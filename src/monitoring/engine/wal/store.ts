import { JOURNAL_COLUMNS } from '../../../../db/values.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { writeMeta } from '../store.ts'
import { integer } from '../store/row.ts'
import { decodeEntries } from './entry.ts'
import type { Entry, RoundEntry } from './entry.ts'

const PAGE_ROWS = 200

type WalRow = {
  readonly id: number
  readonly entries: readonly (Entry | RoundEntry)[]
  readonly sizeBytes: number
}

/** All rows of the WAL, oldest first. */
export async function* readWal(values: ValuesDatabase): AsyncGenerator<WalRow> {
  for (let after = 0; ;) {
    const rows = await values.read({
      sql: 'select id, entries from journal where id > ? order by id limit ?',
      cells: [after, PAGE_ROWS],
    })
    for (const row of rows) {
      const text = String(row['entries'])
      yield { id: integer(row['id']), entries: decodeEntries(text), sizeBytes: text.length }
    }
    if (rows.length < PAGE_ROWS) return
    after = integer(rows.at(-1)?.['id'])
  }
}

/** The number of the last WAL row that there ever was, also where it was trimmed. */
export async function readLastWalId(values: ValuesDatabase): Promise<number> {
  const [row] = await values.read({
    sql: `select max(coalesce((select max(id) from journal), 0),
                     coalesce((select max(journal_id) from actors), 0),
                     coalesce((select value from meta where key = 'trimmed'), 0)) as id`,
    cells: [],
  })
  return integer(row?.['id'])
}

export function writeWal(id: number, entries: string): Statement {
  return { sql: 'insert into journal values (?, ?)', cells: [id, entries] }
}

/** Deletes the first rows up to this one, `rowsMax` at most. */
export function trimSome(upTo: number, rowsMax: number): Statement {
  return {
    sql: 'delete from journal where id in (select id from journal where id <= ? order by id limit ?)',
    cells: [upTo, rowsMax],
  }
}

export function trimWal(upTo: number): readonly Statement[] {
  return [{ sql: 'delete from journal where id <= ?', cells: [upTo] }, writeMeta('trimmed', upTo)]
}

/** As `trimWal`, with a new table in place of the old one: Durable Objects bill each deleted row, and no row of a dropped
 * table. */
export function replaceWal(upTo: number): readonly Statement[] {
  return [
    { sql: `create table next_journal ${JOURNAL_COLUMNS}`, cells: [] },
    { sql: 'insert into next_journal select id, entries from journal where id > ?', cells: [upTo] },
    { sql: 'drop table journal', cells: [] },
    { sql: 'alter table next_journal rename to journal', cells: [] },
    writeMeta('trimmed', upTo),
  ]
}
