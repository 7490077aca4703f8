import { Lru } from '../../../lib/lru.ts'
import { areSame, areSameBytes } from '../../../lib/same.ts'
import type { BucketsAnswer, BucketsOfAll } from '../../../domain/series.ts'
import type { RollupCell } from '../../../timeseries/rollup-block.ts'

/** Two dozen charts of a month by hour, or half a dozen of a year by day. */
const BYTES_MAX = 8 * 1024 * 1024
/** The memory of one answer, including its serialised forms. */
const BUCKET_BYTES = 350
const CELL_BYTES = 125

/** A question, before anything is known of what is stored. */
export type AnswerQuery = BucketsOfAll & {
  /** The name that `answerNames` gives the query. */
  readonly name: string
  /** Another number whenever something may be stored that was not before. */
  readonly asOf: number
}

/** The inputs of an answer. Every received value changes the cells or the samples that are not in cells yet, and
 * `expiredAt` covers every removal. The cells of a block are the same object for as long as its bytes are the same. */
type Question = AnswerQuery & {
  readonly cells: readonly (readonly RollupCell[])[]
  /** The samples that are not in cells yet. */
  readonly segments: readonly Segment[]
  /** How far samples have expired, epoch ms. */
  readonly expiredAt: number
}

type Segment = { readonly from: number; readonly body: Uint8Array }

type CachedAnswer = { readonly question: Question; readonly answer: BucketsAnswer; asOf: number }

/**
 * A cache of recent answers. A repeated query over unchanged data gets the same object, so that its serialised form
 * is reused as well.
 */
export class AnswerCache {
  readonly #answers: Lru<CachedAnswer>

  constructor(bytesMax = BYTES_MAX) {
    this.#answers = new Lru(bytesMax)
  }

  /** About what is held, in bytes of memory. */
  get sizeBytes(): number {
    return this.#answers.weight
  }

  /** The answer, where nothing was stored since it was kept or found. */
  recall(asked: AnswerQuery): BucketsAnswer | null {
    const cached = this.#answers.get(asked.name)
    return cached?.asOf === asked.asOf && areSame(cached.question.edges, asked.edges) ? cached.answer : null
  }

  /** The answer, where what it follows from is as it was. */
  find(question: Question): BucketsAnswer | null {
    const cached = this.#answers.get(question.name)
    if (!cached || !isSame(cached.question, question)) return null
    cached.asOf = question.asOf
    return cached.answer
  }

  /** Nobody may change the answer from now on. */
  keep(question: Question, answer: BucketsAnswer): void {
    this.#answers.set(question.name, { question, answer, asOf: question.asOf }, bytesOf(question, answer))
  }
}

function bytesOf({ cells, segments }: Question, { buckets }: BucketsAnswer): number {
  const inCells = cells.reduce((sum, { length }) => sum + length * CELL_BYTES, 0)
  const inSegments = segments.reduce((sum, { body }) => sum + body.length, 0)
  return buckets.length * BUCKET_BYTES + inCells + inSegments
}

/** Names the answers to one query, by series and by the serial of the job: another job may have the same id later. */
export function answerNames({ mode, edges }: BucketsOfAll): (jobSerial: number, series: number) => string {
  const range = `${mode}.${edges[0]}.${edges.at(-1)}.${edges.length}`
  return (jobSerial, series) => `${jobSerial}.${series}.${range}`
}

function isSame(one: Question, other: Question): boolean {
  return (
    one.expiredAt === other.expiredAt &&
    areSame(one.edges, other.edges) &&
    areSame(one.cells, other.cells) &&
    one.segments.length === other.segments.length &&
    one.segments.every((segment, index) => isSameSegment(segment, other.segments[index]))
  )
}

function isSameSegment(one: Segment, other: Segment | undefined): boolean {
  return one.from === other?.from && areSameBytes(one.body, other.body)
}
