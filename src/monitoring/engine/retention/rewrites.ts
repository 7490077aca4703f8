import type { Job } from '../head/job.ts'
import { deleteSegments, writeSegments } from '../store/segments.ts'
import type { NewSegment, SegmentKey } from '../store/segments.ts'
import type { RetentionContext } from './context.ts'

const ROWS_PER_COMMIT = 128

type SegmentRewrite = {
  readonly job: Job
  readonly rows: readonly SegmentKey[]
  readonly by: readonly NewSegment[]
}

/** Segments that replace others, of neighbouring jobs in one commit: their pages are filled again in order. Rows that are
 * replaced one by one would leave each page half empty. */
export class SegmentRewrites {
  readonly #context: RetentionContext
  #waiting: SegmentRewrite[] = []
  #rows = 0

  constructor(context: RetentionContext) {
    this.#context = context
  }

  async add(job: Job, rows: readonly SegmentKey[], by: readonly NewSegment[]): Promise<void> {
    this.#waiting.push({ job, rows, by })
    this.#rows += rows.length
    if (this.#rows >= ROWS_PER_COMMIT) await this.commit()
  }

  /** Skips the segments of jobs that were forgotten meanwhile. */
  async commit(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#rows = 0
    const { head, blocks } = this.#context
    const { values, lock } = blocks
    await lock.run(async () => {
      const rewrites = waiting.filter(({ job }) => head.has(job))
      if (rewrites.length === 0) return
      const removed = deleteSegments(rewrites.flatMap(({ rows }) => rows))
      await values.commit([...removed, ...writeSegments(rewrites.flatMap(({ by }) => by))])
    })
  }
}
