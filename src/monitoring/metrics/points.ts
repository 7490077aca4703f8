import { Refusal } from '../../lib/errors.ts'

/** Data points of one request. */
export const POINTS_MAX = 10_000

/** Messages (in protobuf) or objects and lists (in JSON) of one request, 25 for each data point: empty ones have two
 * bytes, and a body full of them would cost time and memory beyond its size. */
export const PARTS_MAX = 250_000

export function tooManyParts(): Refusal {
  return new Refusal('too_large', `The body must have at most ${PARTS_MAX} parts. Send smaller requests.`)
}

/** A measurement as it was sent, before it is checked against jobs. */
export type Point = {
  /** The index of its series in the request, from 0. */
  readonly series: number
  readonly metric: string
  /** The values of `tidemark_job` and `tidemark_value`; null if absent or empty. */
  readonly job: string | null
  readonly value: string | null
  /** When it was measured, epoch ms; null for the service's clock. */
  readonly at: number | null
  /** The numbers by the suffix of the metric's name: a histogram has a `_count` and mostly a `_sum`. */
  readonly numbers: readonly { readonly suffix: '' | '_count' | '_sum'; readonly number: number }[]
  /** Why no job can accept the point; null if some job can. */
  readonly fault: string | null
}

/** The attributes or labels that name a job and its value. */
export type Naming = { job: string | null; value: string | null }

/** Stores the value of an attribute or label if it names a job or a value. Both spellings work in both protocols. */
export function note(naming: Naming, name: string, text: string): void {
  if (name === 'tidemark_job' || name === 'tidemark.job') naming.job = text === '' ? null : text
  if (name === 'tidemark_value' || name === 'tidemark.value') naming.value = text === '' ? null : text
}

/** Collects the points of one request. */
export class Points {
  readonly all: Point[] = []

  /** @throws {Refusal} too_large past POINTS_MAX */
  add(point: Point): void {
    if (this.all.length >= POINTS_MAX)
      throw new Refusal(
        'too_large',
        `The body must have at most ${POINTS_MAX} data points. Send smaller requests.`,
      )
    this.all.push(point)
  }
}

/** The fault of a data point that has no number although no flag says so. */
export const NO_NUMBER = 'the data point has no number'

/** The refusal of a body that is not a message of its protocol. */
export function malformed(detail: string): Refusal {
  return new Refusal('bad_request', `The body cannot be read: ${detail}.`)
}
