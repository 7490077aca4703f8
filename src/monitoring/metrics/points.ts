import { Refusal } from '../../lib/errors.ts'

/** How many data points a request may carry. */
export const POINTS_MAX = 10_000

/** How many messages (in protobuf) or objects and lists (in JSON) a request may hold, 25 for each data point: empty ones
 * take two bytes, and a body full of them would cost time and memory beyond its size. */
export const PARTS_MAX = 250_000

export function tooManyParts(): Refusal {
  return new Refusal('too_large', `The body must have at most ${PARTS_MAX} parts. Send smaller requests.`)
}

/** One measurement as its sender names it; nothing of it is checked against jobs yet. */
export type Point = {
  /** Which series of the request it is of, from 0. */
  readonly series: number
  readonly metric: string
  /** What `tidemark_job` and `tidemark_value` say; null where they are absent or empty. */
  readonly job: string | null
  readonly value: string | null
  /** When it was measured, epoch ms; null leaves it to the service's clock. */
  readonly at: number | null
  /** What it measured, by what stands behind the metric's name: a histogram has a `_count` and mostly a `_sum`. */
  readonly numbers: readonly { readonly suffix: '' | '_count' | '_sum'; readonly number: number }[]
  /** Why no job can take it, whatever it names. */
  readonly fault: string | null
}

/** The attributes or labels that name a job and its value. */
export type Naming = { job: string | null; value: string | null }

/** Notes what an attribute or label says, when it is one of ours. Both spellings are taken in both protocols. */
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

/** Why a number of a data point is missing although no flag says that it should. */
export const NO_NUMBER = 'the data point has no number'

/** A request that is no message of its protocol. */
export function malformed(detail: string): Refusal {
  return new Refusal('bad_request', `The body cannot be read: ${detail}.`)
}
