import { blockOf, CellBlock, decodeCells, HOURS, MINUTES, spanOf } from '../../../timeseries/rollup-block.ts'
import type { RollupLevel } from '../../../timeseries/rollup-block.ts'
import { ByteReader } from '../../../timeseries/bytes.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { Blocks } from '../blocks/blocks.ts'
import type { Job } from '../head/job.ts'
import { isText } from '../blocks/series.ts'
import { markBlobsOrphaned } from '../store/blobs.ts'
import { deleteBlocks, readBlocks, readOldBlocks, writeBlocks, writeExpired } from '../store/rollups.ts'
import type { BlockRow } from '../store/rollups.ts'
import { deleteSegments, readBodies } from '../store/segments.ts'
import type { SegmentRow } from '../store/segments.ts'
import { samplesOf } from '../blocks/segment-body.ts'
import type { StoredSegment } from '../blocks/segment-body.ts'
import { addToRollups } from '../flush/rollup-deltas.ts'
import type { RollupDelta } from '../flush/rollup-deltas.ts'
import { commitUnlessForgotten } from './context.ts'
import type { RetentionLimits, RetentionContext } from './context.ts'

const SEGMENTS_PER_COMMIT = 64
const BLOCKS_PER_COMMIT = 64

/** Deletes segments whose samples have expired. Numbers of no level are added to the hours first. */
export async function expireSegments(
  context: RetentionContext,
  job: Job,
  rows: readonly SegmentRow[],
): Promise<void> {
  const { values, lock, host } = context.blocks
  for (let from = 0; from < rows.length; from += SEGMENTS_PER_COMMIT) {
    const some = rows.slice(from, from + SEGMENTS_PER_COMMIT)
    const bodies = await lock.run(() => readBodies(values, some))
    const segments = some.flatMap((row, index) => {
      const body = bodies[index]
      return body ? [{ row, body }] : []
    })
    const gains = await deltasOf(context, segments)
    const expired = segments.flatMap(({ row, body }) =>
      row.head.isBlob ? [new ByteReader(body).unsigned()] : [],
    )
    const isDone = await commitUnlessForgotten(context, job, async () => [
      ...deleteSegments(some),
      ...(await addToRollups(values, gains)),
      ...some.slice(-1).map((row) => writeExpired(row, row.head.to + 1)),
      ...markBlobsOrphaned(expired),
    ])
    if (!isDone) return
    await host.turn()
  }
}

async function deltasOf(
  { blocks }: RetentionContext,
  segments: readonly StoredSegment[],
): Promise<readonly RollupDelta[]> {
  const gains: RollupDelta[] = []
  const touched = { rollups: 0, segments: 0, decoded: 0, blobs: 0 }
  for (const segment of segments) {
    const { jobId, series, level } = segment.row
    if (level !== 0 || isText(series)) continue
    const samples = (await samplesOf(segment, blocks.blobs, touched)) as Samples<number>
    gains.push({ jobId, series, level: HOURS, samples })
  }
  return gains
}

/** Adds expired cells of five minutes to the hours, and deletes expired hours. */
export async function expireCells(
  context: RetentionContext,
  jobs: readonly Job[],
  limits: ReadonlyMap<number, RetentionLimits>,
): Promise<void> {
  const { head, blocks } = context
  const before = (level: RollupLevel, limitOf: (limits: RetentionLimits) => number) =>
    jobs
      .filter((job) => head.has(job))
      .flatMap(({ id }) => {
        const limit = limits.get(id)
        return limit ? [{ jobId: id, before: blockOf(level, Math.max(0, limitOf(limit))) }] : []
      })
  await inSlices(blocks, async () => {
    const old = await readOldBlocks(
      blocks.values,
      MINUTES,
      before(MINUTES, ({ minutesAt }) => minutesAt),
      BLOCKS_PER_COMMIT,
    )
    if (old.length === 0) return 0
    await blocks.values.commit([
      ...deleteBlocks(old),
      ...writeBlocks(await hoursOf(blocks, old)),
      // An hour cannot be divided any more, even if some of its samples have not expired.
      ...old.map((row) => writeExpired(row, spanOf(MINUTES, row.block).end)),
    ])
    return old.length
  })
  await inSlices(blocks, async () => {
    const old = await readOldBlocks(
      blocks.values,
      HOURS,
      before(HOURS, ({ hoursAt }) => hoursAt),
      BLOCKS_PER_COMMIT,
    )
    if (old.length > 0) await blocks.values.commit(deleteBlocks(old))
    return old.length
  })
}

async function inSlices({ lock, host }: Blocks, slice: () => Promise<number>): Promise<void> {
  while ((await lock.run(slice)) === BLOCKS_PER_COMMIT) await host.turn()
}

async function hoursOf({ values }: Blocks, old: readonly BlockRow[]): Promise<readonly BlockRow[]> {
  const blocks = new Map<string, { key: Omit<BlockRow, 'body'>; hours: CellBlock }>()
  for (const { jobId, series, block, body } of old) {
    const cells = decodeCells(MINUTES, block, body)
    // A block of minutes lies within one of hours.
    const key = { jobId, series, level: HOURS, block: blockOf(HOURS, cells[0]?.from ?? 0) } as const
    const name = `${jobId}.${series}.${key.block}`
    const known = blocks.get(name)
    if (known) {
      known.hours.addCells(cells)
      continue
    }
    const [stored] = await readBlocks(values, [key])
    const hours = stored ? CellBlock.decode(HOURS, key.block, stored) : new CellBlock(HOURS, key.block)
    hours.addCells(cells)
    blocks.set(name, { key, hours })
  }
  return [...blocks.values()].map(({ key, hours }) => ({ ...key, body: hours.encode() }))
}
