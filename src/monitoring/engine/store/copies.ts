import type { Row, Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { bytes, integer } from './row.ts'

const PAGE_ROWS = 64

/** A row of what a job keeps: bodies are bytes as they stand. */
export type CopiedRow =
  | {
      readonly kind: 'segment'
      readonly key: SegmentCells
      readonly head: Uint8Array
      readonly body: Uint8Array
    }
  | { readonly kind: 'rollup'; readonly key: RollupCells; readonly body: Uint8Array }
  | { readonly kind: 'expired'; readonly series: number; readonly endAt: number }

export type SegmentCells = readonly [series: number, level: number, from: number, place: number]
export type RollupCells = readonly [series: number, level: number, block: number]

/** Everything that a job keeps beside its checkpoint, a page at a time. */
export async function* readJobRows(
  values: ValuesDatabase,
  jobId: number,
): AsyncGenerator<readonly CopiedRow[], void> {
  const first = [Number.MIN_SAFE_INTEGER, 0, 0, 0]
  yield* pages(values, first, (after) => ({
    sql: `select series, level, from_at, place, head, body from segments
          where job_id = ? and (series, level, from_at, place) > (?, ?, ?, ?)
          order by series, level, from_at, place limit ${PAGE_ROWS}`,
    cells: [jobId, ...after],
  }))
  yield* pages(values, first.slice(0, 3), (after) => ({
    sql: `select series, level, block, body from rollups
          where job_id = ? and (series, level, block) > (?, ?, ?) order by series, level, block limit ${PAGE_ROWS}`,
    cells: [jobId, ...after],
  }))
  const expired = await values.read({
    sql: 'select series, end_at from expired where job_id = ? order by series',
    cells: [jobId],
  })
  yield expired.map((row) => ({
    kind: 'expired',
    series: integer(row['series']),
    endAt: integer(row['end_at']),
  }))
}

async function* pages(
  values: ValuesDatabase,
  first: readonly number[],
  pageAfter: (key: readonly number[]) => Statement,
): AsyncGenerator<readonly CopiedRow[], void> {
  for (let after = first; ;) {
    const rows = (await values.read(pageAfter(after))).map(copiedOf)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (rows.length < PAGE_ROWS || !last) return
    after = last.key
  }
}

function copiedOf(row: Row): Exclude<CopiedRow, { kind: 'expired' }> {
  const [series, level] = [integer(row['series']), integer(row['level'])]
  const body = bytes(row['body'])
  if ('block' in row) return { kind: 'rollup', key: [series, level, integer(row['block'])], body }
  const key: SegmentCells = [series, level, integer(row['from_at']), integer(row['place'])]
  return { kind: 'segment', key, head: bytes(row['head']), body }
}
