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

/** Segments that others take the place of, of neighbouring jobs in one commit: their pages are filled anew in order, where
 * rows that shrink one by one leave each page half empty. */
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

  /** Those of jobs that were forgotten meanwhile come to nothing. */
  async commit(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#rows = 0
    const { values, lock, isKnown } = this.#context
    await lock.run(async () => {
      const here = waiting.filter(({ job }) => isKnown(job))
      if (here.length === 0) return
      const removed = deleteSegments(here.flatMap(({ rows }) => rows))
      await values.commit([...removed, ...writeSegments(here.flatMap(({ by }) => by))])
    })
  }
}
