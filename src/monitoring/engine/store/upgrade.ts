import type { Row, ValuesDatabase } from '../../../ports/values-database.ts'
import { encodeHead } from '../../../timeseries/segment-header.ts'
import { bytes, integer } from './row.ts'
import { writeSegments } from './segments.ts'
import type { NewSegment } from './segments.ts'

const PAGE_ROWS = 2_000

/** Takes the segments of version 1 over, a page in each commit, so that it may be cut off anywhere and called again. */
export async function upgrade(values: ValuesDatabase): Promise<void> {
  for (;;) {
    const rows = await values.read({
      sql: 'select * from segments_1 order by id limit ?',
      cells: [PAGE_ROWS],
    })
    if (rows.length === 0) break
    await values.commit([
      ...writeSegments(rows.map(segmentOf)),
      {
        sql: 'delete from segments_1 where id in (select value from json_each(?))',
        cells: [JSON.stringify(rows.map((row) => integer(row['id'])))],
      },
    ])
  }
  await values.commit([
    { sql: 'drop table segments_1', cells: [] },
    { sql: `update meta set value = 2 where key = 'version'`, cells: [] },
  ])
}

function segmentOf(row: Row): NewSegment {
  const from = integer(row['from_at'])
  const rim = { from, to: integer(row['to_at']), count: integer(row['count']) }
  const [min, max, sum, first, last] = ['min', 'max', 'sum', 'first', 'last'].map((name) => row[name] ?? null)
  const isText = min === null
  const number = (cell: unknown) => Number(cell)
  const numbers = { min: number(min), max: number(max), first: number(first), last: number(last) }
  const summary = isText ? rim : { ...rim, ...numbers, sum: sum === null ? null : number(sum) }
  return {
    jobId: integer(row['job_id']),
    series: integer(row['series']),
    level: 0,
    from,
    // What began at one instant was ordered by this.
    place: integer(row['id']),
    head: encodeHead(summary, { isDeflated: false, isBlob: false }),
    body: bytes(row['body']),
  }
}
