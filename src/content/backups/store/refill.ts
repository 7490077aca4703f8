import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf } from '../../../../db/lists.ts'
import * as queues from '../../../../db/tables/work-queues.ts'
import { enqueue } from '../../../../db/work-queue.ts'
import type { Database, Write } from '../../../ports/database.ts'
import { SEQUENCES, TABLES } from './tables.ts'
import type { Table } from './tables.ts'

/** Rows of one table out of an archive: the columns that it names, and cells in their order. */
export type Rows = {
  readonly table: Table
  readonly columns: readonly string[]
  readonly from: number
  readonly rows: readonly (readonly unknown[])[]
}

/** How long statements that read a table may continue after it was replaced. */
const READ_MAX_MS = 60_000

/** Stages rows of an archive beside the tables. */
export function stageRows(
  database: Database,
  run: string,
  { table, from, rows }: Omit<Rows, 'table' | 'columns'> & { readonly table: { readonly name: string } },
  at: number,
): Write {
  const texts = rows.map((row) => JSON.stringify(row))
  return database.run(sql`insert into backup_rows (run, section, place, cells, at)
    select ${run}, ${table.name}, ${from} + key, value, cast(${at} as integer) from ${eachOf(texts)}`)
}

/** Empties the tables that an archive fills, and fills them from the staged rows. Other tables stay
 * unchanged, except for rows that belong to deleted ones. */
export function refill(
  database: Database,
  run: string,
  { sections, at }: { readonly sections: ReadonlyMap<string, readonly string[]>; readonly at: number },
): Write[] {
  const filled = TABLES.filter(({ name, grows }) => sections.has(name) && !grows)
  // Data that the archive may lack although its owners are in it: without histories no object has a past.
  const emptied = TABLES.filter(
    ({ name, kept, isEmptied = false }) =>
      name !== 'audit' && (kept !== 'files' || sections.has(name) || isEmptied),
  )
  return [
    ...markBytesOrphaned(database, sections, at),
    setDrop(database, at + READ_MAX_MS),
    // The actors of jobs that are not in the archive are notified as well, also after a crash.
    enqueueAllJobConfigs(database),
    ...emptied.toReversed().map(({ name }) => database.run(sql`delete from ${sql.identifier(name)}`)),
    ...filled.map((table) => insertStaged(database, run, table, sections.get(table.name) ?? [])),
    setDrop(database, null),
    database.run(
      sql`delete from orphaned_blobs where key in (select blob from files union all select blob from script_files)`,
    ),
    enqueueAllJobConfigs(database),
    ...(sections.has('states') ? [] : firstStates(database, at)),
    ...sequences(database, run),
  ]
}

/** Puts the rows that were staged for a table into it. */
export function insertStaged(
  database: Database,
  run: string,
  table: Table,
  columns: readonly string[],
): Write {
  return database.run(
    sql`${insertInto(table, columns)}
      from backup_rows where run = ${run} and section = ${table.name} order by place`,
  )
}

/** Adds missing rows to tables that grow; rows of missing objects are left out. */
export function addRecords(database: Database, { table, columns, rows }: Omit<Rows, 'from'>): Write {
  const cells = sql`(select value as cells from ${eachOf(rows)})`
  if (table.name === 'audit') return addAudit(database, columns, cells)
  const parents = table.references.map(
    ({ column, table: other, to }) =>
      sql`exists (select 1 from ${sql.identifier(other)} where ${sql.identifier(to)} = cells ->> ${place(columns, column)})`,
  )
  const where = parents.length === 0 ? sql`true` : sql.join(parents, sql` and `)
  return database.run(sql`${insertInto(table, columns, sql`insert or ignore`)} from ${cells} where ${where}`)
}

/** Adds the entries of the audit log of an archive after the present ones, without equal entries: the present log stays, and the
 * ids of entries have no references. */
function addAudit(database: Database, columns: readonly string[], cells: SQL): Write {
  const others = columns.filter((name) => name !== 'id')
  const cell = (name: string) => sql`cells ->> ${place(columns, name)}`
  const isSame = others.map((name) => sql`a.${sql.identifier(name)} = ${cell(name)}`)
  return database.run(sql`
    insert into audit (${identifiers(others)}) select ${sql.join(others.map(cell), sql`, `)} from ${cells}
    where not exists (select 1 from audit a where ${sql.join(isSame, sql` and `)})`)
}

/** The number of rows of each table. */
export async function countRows(database: Database): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { name } of TABLES) {
    const [row] = await database.all<{ total: number }>(
      sql`select count(*) as total from ${sql.identifier(name)}`,
    )
    counts.set(name, row?.total ?? 0)
  }
  return counts
}

/** The number of rows of each table in a new installation; 0 for other tables. */
const FIRST_ROWS: Readonly<Record<string, number>> = {
  users: 1,
  grants: 1,
  alarm_links: 1,
  objects: 3,
  devices: 1,
  jobs: 1,
  job_values: 1,
}
/** The tables of what belongs to users: a new installation has one user. */
const OF_USERS = new Set(['passwords', 'personal_tokens', 'mfa', 'recovery_codes', 'preferences'])

/** Whether a restore would delete nothing but the first administrator and the unchanged objects of a first start.
 * @param counts the rows of each table
 * @param names the names of the objects of a first start */
export async function isEmpty(
  database: Database,
  counts: ReadonlyMap<string, number>,
  names: { readonly device: string; readonly job: string },
): Promise<boolean> {
  const hasFirstRows = TABLES.every(
    ({ name, kept }) =>
      kept === 'histories' || OF_USERS.has(name) || (counts.get(name) ?? 0) <= (FIRST_ROWS[name] ?? 0),
  )
  if (!hasFirstRows) return false
  const [row] = await database.all<{ isEmpty: number }>(sql`
    select not exists (select 1 from objects where parent_id is not null
      and (version > 1 or name not in (${names.device}, ${names.job}))) as "isEmpty"`)
  return row?.isEmpty === 1
}

/** The ids of some jobs after an id, ascending. */
export async function listJobIds(database: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await database.all<{ id: number }>(
    sql`select id as id from jobs where id > ${afterId} order by id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** The number of the latest transition of a job that its actor has published. */
export async function heardOf(database: Database, jobId: number): Promise<number> {
  const [row] = await database.all<{ heard: number }>(
    sql`select coalesce(heard, seq) as heard from states where object_id = ${jobId}`,
  )
  return row?.heard ?? 0
}

function enqueueAllJobConfigs(database: Database): Write {
  return database.run(enqueue(queues.staleJobConfigs, sql`select id from jobs`))
}

/** Objects without a known state begin like new ones, and every derived state is computed anew. */
function firstStates(database: Database, at: number): Write[] {
  const now = sql`cast(${at} as integer)`
  return [
    database.run(sql`insert into states (object_id, seq, state, since_at)
      select o.id, 0, case when j.stopped then 'undefined' else coalesce(j.forced_state, 'ok') end, ${now}
      from objects o left join jobs j on j.id = o.id
      where o.type in ('job', 'slc') on conflict (object_id) do nothing`),
    database.run(enqueue(queues.staleTallies, sql`select id from objects where type <> 'job'`)),
    database.run(
      enqueue(
        queues.staleMemberships,
        sql`select o.id, s.children_filter is not null from objects o left join slos s on s.id = o.id`,
      ),
    ),
    database.run(
      enqueue(
        queues.staleMaintenance,
        sql`select distinct object_id, ${now} from revaluations where in_past = 0`,
      ),
    ),
  ]
}

/** Keeps the sequences of ids at least where the archive had them: no id is used twice. */
function sequences(database: Database, run: string): Write[] {
  const kept = sql`(select cells ->> 0 as name, cells ->> 1 as seq from backup_rows where run = ${run} and section = ${SEQUENCES})`
  return [
    database.run(sql`insert into sqlite_sequence (name, seq) select kept.name, kept.seq from ${kept} kept
      where not exists (select 1 from sqlite_sequence s where s.name = kept.name)`),
    database.run(sql`update sqlite_sequence set seq = max(seq, coalesce(
      (select kept.seq from ${kept} kept where kept.name = sqlite_sequence.name), 0))`),
  ]
}

/** Marks the blobs of emptied tables as orphaned: of uploaded files where the archive has files, of scripts and of runs. */
function markBytesOrphaned(database: Database, sections: ReadonlyMap<string, unknown>, at: number): Write[] {
  const emptied = [
    ...(sections.has('files') ? [sql`select blob from files`] : []),
    sql`select blob from script_files where blob is not null`,
    sql`select blob from run_files where kind <> 'tree'`,
    sql`select blob from data_uploads`,
  ]
  return emptied.map((blobs) =>
    database.run(
      sql`insert into orphaned_blobs (key, at) select blob, cast(${at} as integer) from (${blobs}) where true on conflict (key) do nothing`,
    ),
  )
}

/** Sets when the generations of all imported tables and stored results are deleted. */
function setDrop(database: Database, at: number | null): Write {
  const dropAt = at === null ? sql`null` : sql`cast(${at} as integer)`
  return database.run(
    sql`update data_generations set drop_at = ${dropAt} where id in (
      select generation_id from data_tables union select generation_id from data_query_results)`,
  )
}

function insertInto(table: Table, columns: readonly string[], verb = sql`insert`): SQL {
  const cells = columns.map((_, index) => sql`cells ->> ${sql.raw(String(index))}`)
  return sql`${verb} into ${sql.identifier(table.name)} (${identifiers(columns)}) select ${sql.join(cells, sql`, `)}`
}

function identifiers(names: readonly string[]): SQL {
  return sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  )
}

function place(columns: readonly string[], name: string): SQL {
  return sql.raw(String(columns.indexOf(name)))
}
