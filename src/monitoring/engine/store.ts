import { VALUES_SCHEMA, VALUES_VERSION } from '../../../db/values.ts'
import type { Statement, ValuesDatabase } from '../../ports/values-database.ts'
import type { ActorState } from '../jobs/actor.ts'
import { integer, writeRows } from './store/row.ts'

const ACTORS_PAGE_ROWS = 20_000

/** Creates the missing tables.
 * @throws {Error} if the database has another version than this release */
export async function prepare(values: ValuesDatabase): Promise<void> {
  const [meta] = await values.read({ sql: `select 1 from sqlite_master where name = 'meta'`, cells: [] })
  const version = (meta && (await readMeta(values, 'version'))) ?? VALUES_VERSION
  if (version !== VALUES_VERSION) {
    throw new Error(
      `The values database has version ${version}; this release reads version ${VALUES_VERSION} only. Start the release that wrote it.`,
    )
  }
  await values.commit([
    ...VALUES_SCHEMA.map((sql) => ({ sql, cells: [] })),
    { sql: `insert or ignore into meta values ('version', ?)`, cells: [VALUES_VERSION] },
  ])
}

export async function readMeta(values: ValuesDatabase, key: string): Promise<number | null> {
  const [row] = await values.read({ sql: 'select value from meta where key = ?', cells: [key] })
  return row ? integer(row['value']) : null
}

export function writeMeta(key: string, value: number): Statement {
  return {
    sql: 'insert into meta values (?, ?) on conflict (key) do update set value = excluded.value',
    cells: [key, value],
  }
}

export type ActorRow = { readonly jobId: number; readonly walId: number; readonly state: ActorState }

/** All checkpoints, by job id, a page at a time. */
export async function* readActors(values: ValuesDatabase): AsyncGenerator<readonly ActorRow[]> {
  for (let after = 0; ;) {
    const rows = await values.read({
      sql: 'select job_id, journal_id, state from actors where job_id > ? order by job_id limit ?',
      cells: [after, ACTORS_PAGE_ROWS],
    })
    yield rows.map((row) => ({
      jobId: integer(row['job_id']),
      walId: integer(row['journal_id']),
      state: JSON.parse(String(row['state'])) as ActorState,
    }))
    if (rows.length < ACTORS_PAGE_ROWS) return
    after = integer(rows.at(-1)?.['job_id'])
  }
}

/** The checkpoint of one job; null before the first one. */
export async function readActor(values: ValuesDatabase, jobId: number): Promise<ActorState | null> {
  const [row] = await values.read({ sql: 'select state from actors where job_id = ?', cells: [jobId] })
  return row ? (JSON.parse(String(row['state'])) as ActorState) : null
}

/** Writes checkpoints, in place of those that their jobs have. */
export function writeActors(rows: readonly ActorRow[]): readonly Statement[] {
  return writeRows(
    'actors',
    rows.map(({ jobId, walId, state }) => [jobId, walId, JSON.stringify(state)]),
  )
}

export function forgetJob(jobId: number): readonly Statement[] {
  return [
    ...['actors', 'segments', 'rollups', 'expired'].map((table) => ({
      sql: `delete from ${table} where job_id = ?`,
      cells: [jobId],
    })),
    { sql: 'update blobs set orphaned = 1 where job_id = ?', cells: [jobId] },
  ]
}
