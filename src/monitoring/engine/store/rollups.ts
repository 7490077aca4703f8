import type { Row, Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { blockOf, HOURS, MINUTES, ROLLUP_LEVELS } from '../../../timeseries/rollup-block.ts'
import type { RollupLevel } from '../../../timeseries/rollup-block.ts'
import { decodeHeader } from '../../../timeseries/segment-header.ts'
import { bytes, integer, writeRows } from './row.ts'
import type { SegmentRow, SeriesKey } from './segments.ts'

export type BlockKey = SeriesKey & { readonly level: RollupLevel; readonly block: number }

export type BlockRow = BlockKey & { readonly body: Uint8Array }

export type Overview = {
  readonly blocks: readonly BlockRow[]
  /** Segments of no level that may hold samples of the range, with their bodies. */
  readonly segments: readonly (SegmentRow & { readonly body: Uint8Array })[]
  /** How far samples have expired, epoch ms. */
  readonly expiredAt: number
}

/** The rows of each series in a range besides segments of a level, in order of level and time: in one statement for
 * all, because most reads need nothing else. */
export async function readOverviews(
  values: ValuesDatabase,
  wanted: readonly SeriesKey[],
  { beginAt, endAt }: { readonly beginAt: number; readonly endAt: number },
): Promise<readonly Overview[]> {
  if (wanted.length === 0) return []
  const ranges = ROLLUP_LEVELS.map((level) => [level, blockOf(level, beginAt), blockOf(level, endAt - 1)])
  const rows = await values.read({
    sql: `with wanted (place, job_id, series) as materialized (
            select key, value ->> 0, value ->> 1 from json_each(?1))
          select wanted.place as wanted, level, block as at, 0 as place, null as head, body
          from wanted cross join json_each(?2) as range
          cross join rollups on rollups.job_id = wanted.job_id and rollups.series = wanted.series
            and level = range.value ->> 0 and block between range.value ->> 1 and range.value ->> 2
          union all
          select wanted.place, -1, end_at, 0, null, null
          from wanted cross join expired using (job_id, series)
          union all
          select wanted.place, 0, from_at, segments.place, head, body
          from wanted cross join segments on segments.job_id = wanted.job_id and segments.series = wanted.series
            and level = 0 and from_at < ?4
            and from_at >= coalesce((select max(earlier.from_at) from segments as earlier
                                     where earlier.job_id = wanted.job_id and earlier.series = wanted.series
                                       and earlier.level = 0 and earlier.from_at < ?3), 0)`,
    cells: [
      JSON.stringify(wanted.map(({ jobId, series }) => [jobId, series])),
      JSON.stringify(ranges),
      beginAt,
      endAt,
    ],
  })
  const gathering = wanted.map((key) => new OverviewRows(key))
  for (const row of rows) gathering[integer(row['wanted'])]?.add(row)
  return gathering.map((one) => one.inOrder())
}

class OverviewRows implements Overview {
  readonly blocks: BlockRow[] = []
  readonly segments: (SegmentRow & { readonly body: Uint8Array })[] = []
  expiredAt = 0
  readonly #key: SeriesKey

  constructor({ jobId, series }: SeriesKey) {
    this.#key = { jobId, series }
  }

  add(row: Row): void {
    const at = integer(row['at'])
    const level = integer(row['level'])
    if (level === -1) this.expiredAt = at
    else if (level === MINUTES || level === HOURS)
      this.blocks.push({ ...this.#key, level, block: at, body: bytes(row['body']) })
    else {
      const head = decodeHeader(at, bytes(row['head']))
      const place = integer(row['place'])
      this.segments.push({ ...this.#key, level, from: at, place, head, body: bytes(row['body']) })
    }
  }

  /** Sorting here spares the engine to carry all bodies through a sorter. */
  inOrder(): Overview {
    this.blocks.sort((one, other) => one.level - other.level || one.block - other.block)
    this.segments.sort((one, other) => one.from - other.from || one.place - other.place)
    return this
  }
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
  level: RollupLevel,
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

/** Writes blocks, in place of those that have their keys. */
export function writeBlocks(rows: readonly BlockRow[]): readonly Statement[] {
  return writeRows(
    'rollups',
    rows.map(({ jobId, series, level, block, body }) => [jobId, series, level, block, body]),
  )
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
