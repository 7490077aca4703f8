import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import type { Database, Write } from '../../../ports/database.ts'
import { HELD_GENERATIONS } from '../../../../db/tables/backups.ts'
import { SEQUENCES, TABLES } from './tables.ts'
import type { Table } from './tables.ts'

const PAGE_ROWS = 2_000
const PAGE_LENGTH = 512 * 1024
/** The upper bound of a table that grows, in place of its rows. */
const WATERMARK = 'up to '

/** Tables that an archive of this kind holds. */
export function tablesFor(wanted: {
  readonly hasHistories: boolean
  readonly hasFiles: boolean
}): readonly Table[] {
  const isWanted = { always: true, histories: wanted.hasHistories, files: wanted.hasFiles }
  return TABLES.filter(({ kept }) => isWanted[kept])
}

/** Copies all rows into rows of a run, as of one instant: a batch is a transaction on every host, and reads over
 * several queries are not. For tables that grow it stores the upper bound. */
export function takeSnapshot(
  database: Database,
  run: string,
  { tables, at }: { readonly tables: readonly Table[]; readonly at: number },
): Write[] {
  const into = sql`insert into backup_rows (run, section, place, cells, at)`
  const now = sql`cast(${at} as integer)`
  return [
    database.run(sql`${into} select ${run}, ${SEQUENCES}, rowid, json_array(name, seq), ${now}
      from sqlite_sequence where name in ${elementsOf(tables.map(({ name }) => name))}`),
    database.run(sql`${into} select ${run}, ${HELD_GENERATIONS}, generation_id, '', ${now} from data_tables`),
    ...tables.map((table) =>
      database.run(
        table.grows
          ? sql`${into} select ${run}, ${WATERMARK + table.name}, 0, coalesce(max(rowid), 0), ${now} from ${sql.identifier(table.name)}`
          : sql`${into} select ${run}, ${table.name}, rowid, ${cellsOf(table)}, ${now} from ${sql.identifier(table.name)}`,
      ),
    ),
  ]
}

/** The cells of a row as a JSON array. Numbers that are not whole have the 17 digits that name them. */
function cellsOf({ columns }: Table): SQL {
  const cells = columns.map(({ name, isReal }) => {
    const cell = sql.identifier(name)
    return isReal ? sql`iif(${cell} is null, null, json(printf('%!.17g', ${cell})))` : sql`${cell}`
  })
  return sql`json_array(${sql.join(cells, sql`, `)})`
}

type Page = { readonly place: number; readonly cells: string }

/** The rows of a table as of a snapshot, a page at a time, each as a JSON array. */
export async function* readSnapshot(
  database: Database,
  run: string,
  table: Table,
): AsyncGenerator<readonly string[], void> {
  const upTo = table.grows ? await watermarkOf(database, run, table) : 0
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = await database.all<Page>(
      boundedRows(
        table.grows
          ? sql`select rowid as place, ${cellsOf(table)} as cells from ${sql.identifier(table.name)}
              where rowid > ${after} and rowid <= ${upTo} order by rowid limit ${PAGE_ROWS}`
          : sql`select place, cells from backup_rows
              where run = ${run} and section = ${table.name} and place > ${after} order by place limit ${PAGE_ROWS}`,
      ),
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ cells }) => cells)
    after = last.place
  }
}

/** The first of these rows whose cells have at most `PAGE_LENGTH` characters together, and at least one row. */
function boundedRows(rows: SQL): SQL {
  return sql`select place as place, cells as cells from (
    select place, cells, sum(length(cells)) over (order by place) - length(cells) as before from (${rows}))
    where before < ${PAGE_LENGTH} order by place`
}

/** The latest id that each table has used. */
export async function readSequences(database: Database, run: string): Promise<readonly string[]> {
  const rows = await database.all<Page>(
    sql`select place as place, cells as cells from backup_rows where run = ${run} and section = ${SEQUENCES} order by place`,
  )
  return rows.map(({ cells }) => cells)
}

/** Whether an object of a snapshot is gone by now, and with it rows of tables that grow. */
export async function hasLostObjects(database: Database, run: string): Promise<boolean> {
  const [row] = await database.all<{ lost: number }>(sql`
    select exists (select 1 from backup_rows where run = ${run} and section = 'objects'
      and not exists (select 1 from objects where id = place)) as lost`)
  return row?.lost === 1
}

/** The jobs of a snapshot, some after an id, in the order of their ids. */
export async function readJobIds(
  database: Database,
  run: string,
  afterId: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await database.all<{ id: number }>(
    sql`select place as id from backup_rows where run = ${run} and section = 'jobs' and place > ${afterId} order by place limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

/** Removes the rows of a run. */
export function dropRun(database: Database, run: string): Write {
  return database.run(sql`delete from backup_rows where run = ${run}`)
}

/** Removes what runs have left that began before an instant. */
export function dropRunsBefore(database: Database, at: number): Write {
  return database.run(sql`delete from backup_rows where at < ${at}`)
}

async function watermarkOf(database: Database, run: string, { name }: Table): Promise<number> {
  const [row] = await database.all<Page>(
    sql`select place as place, cells as cells from backup_rows where run = ${run} and section = ${WATERMARK + name}`,
  )
  return Number(row?.cells ?? 0)
}
