import type { Row, Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { decodeHeader } from '../../../timeseries/segment-header.ts'
import type { SegmentHeader } from '../../../timeseries/segment-header.ts'
import { bytes, integer, writeRows } from './row.ts'

export type SeriesKey = { readonly jobId: number; readonly series: number }

/** The key of a segment. `place`, any integer, orders segments that begin at one instant. */
export type SegmentKey = SeriesKey & {
  /** The level of rollups that its samples are in besides; 0 for none. */
  readonly level: number
  readonly from: number
  readonly place: number
}

export type SegmentRow = SegmentKey & { readonly head: SegmentHeader }

export type NewSegment = SegmentKey & { readonly head: Uint8Array; readonly body: Uint8Array }

/** Half-open in `endAt`; `level` is the level of the segments. */
export type LevelRange = { readonly level: number; readonly beginAt: number; readonly endAt: number }

/** Segments of one series that may hold samples of one of the ranges, in order of time. */
export async function readSegments(
  values: ValuesDatabase,
  { jobId, series }: SeriesKey,
  ranges: readonly LevelRange[],
): Promise<readonly SegmentRow[]> {
  if (ranges.length === 0) return []
  // Segments do not overlap: the one that begins last before a range is the only earlier one that can reach into it.
  const rows = await values.read({
    sql: `select distinct job_id, series, level, from_at, place, head
          from json_each(?3) as range
          cross join segments on job_id = ?1 and series = ?2 and level = range.value ->> 0
            and from_at < range.value ->> 2
            and from_at >= coalesce((select max(earlier.from_at) from segments as earlier
                                     where earlier.job_id = ?1 and earlier.series = ?2
                                       and earlier.level = range.value ->> 0
                                       and earlier.from_at < range.value ->> 1), 0)
          order by from_at, place`,
    cells: [
      jobId,
      series,
      JSON.stringify(ranges.map(({ level, beginAt, endAt }) => [level, beginAt, endAt])),
    ],
  })
  const least = Math.min(...ranges.map(({ beginAt }) => beginAt))
  return rows.map(segmentOf).filter(({ head }) => head.to >= least)
}

const EARLIER = `(select earlier.from_at from segments as earlier
  where earlier.job_id = wanted.value ->> 0 and earlier.series = wanted.value ->> 1
    and earlier.level = levels.level and earlier.from_at <= wanted.value ->> 2
  order by earlier.from_at desc limit 1`

/** For each of the series, in their order: the last segments of each level that begin at or before `at`, one of levels 1
 * and 2 and `earlierMax` of level 0, and all segments that follow them; in order of time. */
export async function readSegmentsFrom(
  values: ValuesDatabase,
  wanted: readonly (SeriesKey & { readonly at: number })[],
  earlierMax: number,
): Promise<readonly (readonly SizedRow[])[]> {
  if (wanted.length === 0) return []
  const rows = await values.read({
    sql: `select wanted.key as wanted, job_id, series, segments.level as level, from_at, place, head,
            length(body) as size
          from json_each(?1) as wanted
          cross join (select 0 as level union all select 1 union all select 2) as levels
          cross join segments on job_id = wanted.value ->> 0 and series = wanted.value ->> 1
            and segments.level = levels.level
            and from_at >= coalesce(case levels.level when 0 then ${EARLIER} offset ?2 - 1) else ${EARLIER}) end, 0)
          order by wanted.key, from_at, place`,
    cells: [JSON.stringify(wanted.map(({ jobId, series, at }) => [jobId, series, at])), earlierMax],
  })
  const found: SizedRow[][] = wanted.map(() => [])
  for (const row of rows) found[integer(row['wanted'])]?.push(sizedOf(row))
  return found
}

/** Which series of these jobs have a segment that begins before an instant. */
export async function readSeriesBefore(
  values: ValuesDatabase,
  jobs: readonly { readonly jobId: number; readonly before: number }[],
): Promise<readonly SeriesKey[]> {
  const rows = await values.read({
    sql: `select distinct job_id, series from json_each(?) as wanted
          cross join segments on job_id = wanted.value ->> 0 and from_at < wanted.value ->> 1`,
    cells: [JSON.stringify(jobs.map(({ jobId, before }) => [jobId, before]))],
  })
  return rows.map((row) => ({ jobId: integer(row['job_id']), series: integer(row['series']) }))
}

export type SizedRow = SegmentRow & { readonly sizeBytes: number }

/** The oldest segments of a series that follow one and begin before an instant, in order of time; `limit` at most. */
export async function readSegmentsBefore(
  values: ValuesDatabase,
  { jobId, series }: SeriesKey,
  { after, before }: { readonly after: Pick<SegmentKey, 'from' | 'place'>; readonly before: number },
  limit: number,
): Promise<readonly SizedRow[]> {
  const rows = await values.read({
    sql: `select job_id, series, level, from_at, place, head, length(body) as size from segments
          where job_id = ? and series = ? and level in (0, 1, 2) and from_at < ?
            and (from_at, place) > (?, ?)
          order by from_at, place limit ?`,
    cells: [jobId, series, before, after.from, after.place, limit],
  })
  return rows.map(sizedOf)
}

/** The bodies of these segments, in their order; null where one is gone. */
export async function readBodies(
  values: ValuesDatabase,
  keys: readonly SegmentKey[],
): Promise<readonly (Uint8Array | null)[]> {
  if (keys.length === 0) return []
  const rows = await values.read({
    sql: `select wanted.key as wanted, body ${FROM_KEYS}`,
    cells: [cellsOf(keys)],
  })
  const bodies: (Uint8Array | null)[] = keys.map(() => null)
  for (const row of rows) bodies[integer(row['wanted'])] = bytes(row['body'])
  return bodies
}

export function deleteSegments(keys: readonly SegmentKey[]): readonly Statement[] {
  if (keys.length === 0) return []
  return [
    {
      sql: `delete from segments where (job_id, series, level, from_at, place) in (
              select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?))`,
      cells: [cellsOf(keys)],
    },
  ]
}

/** Writes segments, in place of those that have their keys. */
export function writeSegments(rows: readonly NewSegment[]): readonly Statement[] {
  return writeRows(
    'segments',
    rows.map(({ jobId, series, level, from, place, head, body }) => [
      jobId,
      series,
      level,
      from,
      place,
      head,
      body,
    ]),
  )
}

const FROM_KEYS = `from json_each(?) as wanted
  cross join segments on job_id = wanted.value ->> 0 and series = wanted.value ->> 1 and level = wanted.value ->> 2
    and from_at = wanted.value ->> 3 and place = wanted.value ->> 4`

function cellsOf(keys: readonly SegmentKey[]): string {
  return JSON.stringify(
    keys.map(({ jobId, series, level, from, place }) => [jobId, series, level, from, place]),
  )
}

function sizedOf(row: Row): SizedRow {
  return { ...segmentOf(row), sizeBytes: integer(row['size']) }
}

function segmentOf(row: Row): SegmentRow {
  const from = integer(row['from_at'])
  return {
    jobId: integer(row['job_id']),
    series: integer(row['series']),
    level: integer(row['level']),
    from,
    place: integer(row['place']),
    head: decodeHeader(from, bytes(row['head'])),
  }
}
