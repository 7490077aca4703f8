import { JOURNAL_COLUMNS } from '../../../../db/values.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { writeMeta } from '../store.ts'
import { integer } from '../store/row.ts'
import { decodeEntries } from './entry.ts'
import type { Entry, RoundEntry } from './entry.ts'

const JOURNAL_PAGE_ROWS = 200

type JournalRow = {
  readonly id: number
  readonly entries: readonly (Entry | RoundEntry)[]
  readonly sizeBytes: number
}

/** Everything in the journal, oldest first. */
export async function* readJournal(values: ValuesDatabase): AsyncGenerator<JournalRow> {
  for (let after = 0; ;) {
    const rows = await values.read({
      sql: 'select id, entries from journal where id > ? order by id limit ?',
      cells: [after, JOURNAL_PAGE_ROWS],
    })
    for (const row of rows) {
      const text = String(row['entries'])
      yield { id: integer(row['id']), entries: decodeEntries(text), sizeBytes: text.length }
    }
    if (rows.length < JOURNAL_PAGE_ROWS) return
    after = integer(rows.at(-1)?.['id'])
  }
}

/** The next free journal id lies above every id ever used, also those that were trimmed. */
export async function readLastJournalId(values: ValuesDatabase): Promise<number> {
  const [row] = await values.read({
    sql: `select max(coalesce((select max(id) from journal), 0),
                     coalesce((select max(journal_id) from actors), 0),
                     coalesce((select value from meta where key = 'trimmed'), 0)) as id`,
    cells: [],
  })
  return integer(row?.['id'])
}

export function writeJournal(id: number, entries: string): Statement {
  return { sql: 'insert into journal values (?, ?)', cells: [id, entries] }
}

/** The first rows up to this one, so many at most. */
export function trimSome(upTo: number, rowsMax: number): Statement {
  return {
    sql: 'delete from journal where id in (select id from journal where id <= ? order by id limit ?)',
    cells: [upTo, rowsMax],
  }
}

export function trimJournal(upTo: number): readonly Statement[] {
  return [{ sql: 'delete from journal where id <= ?', cells: [upTo] }, writeMeta('trimmed', upTo)]
}

/** As `trimJournal`, with a new table in place of the old one: a platform that counts rows counts each that is deleted, and
 * none of a table that is dropped. */
export function replaceJournal(upTo: number): readonly Statement[] {
  return [
    { sql: `create table next_journal ${JOURNAL_COLUMNS}`, cells: [] },
    { sql: 'insert into next_journal select id, entries from journal where id > ?', cells: [upTo] },
    { sql: 'drop table journal', cells: [] },
    { sql: 'alter table next_journal rename to journal', cells: [] },
    writeMeta('trimmed', upTo),
  ]
}
