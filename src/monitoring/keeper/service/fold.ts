import type { Value } from '../../../ports/job-actors.ts'
import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { firstAtOrAfter } from '../../history/samples.ts'
import type { Samples } from '../../history/samples.ts'
import { decodeBody, packSeries, SEGMENT_SAMPLES, seriesOf } from '../series.ts'
import { deleteSegments, insertSegments, readBodies, readSegmentsFrom, writeActors } from '../store.ts'
import type { SegmentRow } from '../store.ts'
import type { Job } from '../job.ts'

type Columns = { readonly at: number[]; readonly values: Value[] }
type Tail = { readonly jobId: number; readonly series: number; readonly samples: Columns }

/** The statements that turn the tails of jobs into segments and their states into checkpoints at their journal row.
 * As few as can be, whatever the number of jobs: a statement costs more than the samples of most tails. */
export async function foldJobs(values: ValuesDatabase, jobs: readonly Job[]): Promise<readonly Statement[]> {
  const tails = jobs.flatMap(tailsOf)
  const rows = await readSegmentsFrom(
    values,
    tails.map(({ jobId, series, samples }) => ({ jobId, series, at: samples.at[0] ?? 0 })),
  )
  const parts = tails.flatMap((tail, index) => partition(tail, rows[index] ?? []))
  const touched = parts.flatMap(({ rewritten }) => rewritten.map((row) => row.id))
  const bodies = await readBodies(values, touched)
  const segments = parts.flatMap(({ jobId, series, rewritten, samples }) => {
    const stored: Columns = { at: [], values: [] }
    for (const { id } of rewritten) append(stored, decodeBody(series, bodies.get(id) ?? NO_BODY))
    const packed = packSeries(series, stored, samples)
    return packed.map((segment) => ({ jobId, series, segment }))
  })
  const actors = jobs.flatMap(({ id, journalId, durable }) =>
    durable ? [{ jobId: id, journalId, state: durable }] : [],
  )
  return [...deleteSegments(touched), ...insertSegments(segments), ...writeActors(actors)]
}

function tailsOf({ id, tail }: Job): readonly Tail[] {
  if (!tail) return []
  return tail.keys().map((key) => ({ jobId: id, series: seriesOf(key), samples: tail.series(key) }))
}

/** No segment's body: decoding it fails, so that nothing is deleted that could not be read. */
const NO_BODY = new Uint8Array()

/** Samples of a tail, and the segments that are written anew together with them. */
type Part = Tail & { readonly rewritten: SegmentRow[] }

/** Gives each sample to the segment in whose span it falls, so that late values rewrite only the segments they hit. */
function partition(tail: Tail, rows: readonly SegmentRow[]): readonly Part[] {
  if (rows.length === 0) return [{ ...tail, rewritten: [] }]
  const parts: Part[] = []
  let from = 0
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1]
    const to = next ? firstAtOrAfter(tail.samples.at, next.from, from) : tail.samples.at.length
    const samples = { at: tail.samples.at.slice(from, to), values: tail.samples.values.slice(from, to) }
    from = to
    const before = parts.at(-1)
    if (before?.rewritten.at(-1)?.to === row.from) {
      // What a rewritten segment gives off at its end begins with this one: together they keep the order of arrival.
      before.rewritten.push(row)
      append(before.samples, samples)
    } else if (samples.at.length > 0) {
      parts.push({ ...tail, samples, rewritten: continues(row, samples) ? [] : [row] })
    }
  }
  return parts
}

/** True when the samples follow a full segment, which then stays as it is. */
function continues(row: SegmentRow, samples: Samples<Value>): boolean {
  return row.count >= SEGMENT_SAMPLES && row.to <= (samples.at[0] ?? 0)
}

function append(all: Columns, more: Samples<Value>): void {
  for (const at of more.at) all.at.push(at)
  for (const value of more.values) all.values.push(value)
}
