import { Lru } from '../../../lib/lru.ts'
import { areSame, areSameBytes } from '../../../lib/same.ts'
import type { BucketsAnswer, BucketsOfAll } from '../../../domain/series.ts'
import type { RollupCell } from '../../../timeseries/rollup-block.ts'

/** Two dozen charts of a month by hour, or half a dozen of a year by day. */
const BYTES_MAX = 8 * 1024 * 1024
/** What one takes in memory, with all that is made of it. */
const BUCKET_BYTES = 350
const CELL_BYTES = 125

/** A question, before anything is known of what is stored. */
export type AnswerQuery = BucketsOfAll & {
  /** Not the id: another job may come to have the same one. */
  readonly jobSerial: number
  readonly series: number
  /** Another number whenever something may be stored that was not before. */
  readonly asOf: number
}

/** All that an answer follows from. Whatever a job receives changes its cells or what is not in them yet, and whatever goes
 * has expired. The cells of a block are the same object for as long as its bytes are the same. */
type Question = AnswerQuery & {
  readonly cells: readonly (readonly RollupCell[])[]
  /** What is not in cells yet. */
  readonly segments: readonly Segment[]
  /** How far samples have expired, epoch ms. */
  readonly expiredAt: number
}

type Segment = { readonly from: number; readonly body: Uint8Array }

type CachedAnswer = { readonly question: Question; readonly answer: BucketsAnswer; asOf: number }

/**
 * Answers that were given lately. Who asks again while nothing has changed gets the same object, so that what is made of
 * it further on need not be made again either.
 */
export class AnswerCache {
  readonly #told: Lru<CachedAnswer>

  constructor(bytesMax = BYTES_MAX) {
    this.#told = new Lru(bytesMax)
  }

  /** About what is held, in bytes of memory. */
  get sizeBytes(): number {
    return this.#told.weight
  }

  /** The answer, where nothing was stored since it was told or found. */
  recall(asked: AnswerQuery): BucketsAnswer | null {
    const told = this.#told.get(nameOf(asked))
    return told?.asOf === asked.asOf && areSame(told.question.edges, asked.edges) ? told.answer : null
  }

  /** The answer, where what it follows from is as it was. */
  find(question: Question): BucketsAnswer | null {
    const told = this.#told.get(nameOf(question))
    if (!told || !isSame(told.question, question)) return null
    told.asOf = question.asOf
    return told.answer
  }

  /** Nobody may change the answer from now on. */
  keep(question: Question, answer: BucketsAnswer): void {
    this.#told.set(nameOf(question), { question, answer, asOf: question.asOf }, bytesOf(question, answer))
  }
}

function bytesOf({ cells, segments }: Question, { buckets }: BucketsAnswer): number {
  const inCells = cells.reduce((sum, { length }) => sum + length * CELL_BYTES, 0)
  const inSegments = segments.reduce((sum, { body }) => sum + body.length, 0)
  return buckets.length * BUCKET_BYTES + inCells + inSegments
}

function nameOf({ jobSerial, series, mode, edges }: AnswerQuery): string {
  return `${jobSerial}.${series}.${mode}.${edges[0]}.${edges.at(-1)}.${edges.length}`
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
