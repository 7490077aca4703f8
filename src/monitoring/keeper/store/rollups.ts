import type { Cell, Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import type { Level } from '../../history/cells.ts'
import { bytes, integer } from './row.ts'
import type { SeriesKey } from './segments.ts'

export type BlockKey = SeriesKey & { readonly level: Level; readonly block: number }

export type BlockRow = BlockKey & { readonly body: Uint8Array }

/** Blocks from `first` to `last`, both inclusive. */
export type BlockRange = { readonly level: Level; readonly first: number; readonly last: number }

/** The blocks of one series in these ranges, in order of level and time, and how far its samples have expired. */
export async function readRollups(
  values: ValuesDatabase,
  { jobId, series }: SeriesKey,
  ranges: readonly BlockRange[],
): Promise<{ readonly blocks: readonly BlockRow[]; readonly expiredAt: number }> {
  const rows = await values.read({
    sql: `select level, block, body from json_each(?3) as range
          cross join rollups on job_id = ?1 and series = ?2 and level = range.value ->> 0
            and block between range.value ->> 1 and range.value ->> 2
          union all
          select 0, end_at, x'' from expired where job_id = ?1 and series = ?2
          order by 1, 2`,
    cells: [jobId, series, JSON.stringify(ranges.map(({ level, first, last }) => [level, first, last]))],
  })
  const blocks: BlockRow[] = []
  let expiredAt = 0
  for (const row of rows) {
    const level = levelOf(row['level'])
    const block = integer(row['block'])
    if (level === null) expiredAt = block
    else blocks.push({ jobId, series, level, block, body: bytes(row['body']) })
  }
  return { blocks, expiredAt }
}

/** The bodies of these blocks, in their order; null for one that is not there yet. */
export async function readBlocks(
  values: ValuesDatabase,
  keys: readonly BlockKey[],
): Promise<readonly (Uint8Array | null)[]> {
  if (keys.length === 0) return []
  const rows = await values.read({
    sql: `select wanted.key as wanted, body from json_each(?) as wanted
          cross join rollups on job_id = wanted.value ->> 0 and series = wanted.value ->> 1
            and level = wanted.value ->> 2 and block = wanted.value ->> 3`,
    cells: [JSON.stringify(keys.map(({ jobId, series, level, block }) => [jobId, series, level, block]))],
  })
  const bodies: (Uint8Array | null)[] = keys.map(() => null)
  for (const row of rows) bodies[integer(row['wanted'])] = bytes(row['body'])
  return bodies
}

/** Blocks of one level that lie before a block, for each of the jobs, oldest first; `limit` at most. */
export async function readOldBlocks(
  values: ValuesDatabase,
  level: Level,
  jobs: readonly { readonly jobId: number; readonly before: number }[],
  limit: number,
): Promise<readonly BlockRow[]> {
  if (jobs.length === 0) return []
  const rows = await values.read({
    sql: `select job_id, series, block, body from json_each(?1) as wanted
          cross join rollups on job_id = wanted.value ->> 0 and level = ?2 and block < wanted.value ->> 1
          order by job_id, series, block limit ?3`,
    cells: [JSON.stringify(jobs.map(({ jobId, before }) => [jobId, before])), level, limit],
  })
  return rows.map((row) => ({
    jobId: integer(row['job_id']),
    series: integer(row['series']),
    level,
    block: integer(row['block']),
    body: bytes(row['body']),
  }))
}

/** A Durable Object takes a hundred parameters a statement: twenty rows of five. */
const ROWS_AT_ONCE = 20

/** Writes blocks, in place of those that have their keys. */
export function writeBlocks(rows: readonly BlockRow[]): readonly Statement[] {
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE)
    statements.push({
      sql: `insert or replace into rollups values ${some.map(() => '(?, ?, ?, ?, ?)').join(', ')}`,
      cells: some.flatMap(({ jobId, series, level, block, body }): Cell[] => [
        jobId,
        series,
        level,
        block,
        body,
      ]),
    })
  }
  return statements
}

export function deleteBlocks(keys: readonly BlockKey[]): readonly Statement[] {
  if (keys.length === 0) return []
  return [
    {
      sql: `delete from rollups where (job_id, series, level, block) in (
              select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?))`,
      cells: [JSON.stringify(keys.map(({ jobId, series, level, block }) => [jobId, series, level, block]))],
    },
  ]
}

/** Notes that samples of a series before `endAt` are in rollups only; an earlier note stays when it says more. */
export function writeExpired({ jobId, series }: SeriesKey, endAt: number): Statement {
  return {
    sql: `insert into expired values (?, ?, ?)
          on conflict (job_id, series) do update set end_at = max(end_at, excluded.end_at)`,
    cells: [jobId, series, endAt],
  }
}

function levelOf(cell: Cell | undefined): Level | null {
  const level = integer(cell)
  return level === 1 || level === 2 ? level : null
}
