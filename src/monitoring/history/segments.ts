import { SAMPLES_PER_BODY_MAX } from './bytes.ts'
import { encodeNumbers } from './numbers-codec.ts'
import type { Samples } from './samples.ts'
import { encodeTexts } from './texts-codec.ts'

/** Packed samples of one series; `from` and `to` are the instants of the first and last sample, both inclusive. */
export type Segment<V> = {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly first: V
  readonly last: V
  readonly body: Uint8Array
}

/** What a read needs of numeric samples when it does not tell them apart; also the row of a coarser rollup. */
export type NumberSummary = {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly min: number
  readonly max: number
  /** Null when it leaves the range of a double: databases and JSON take finite numbers only. */
  readonly sum: number | null
  readonly first: number
  readonly last: number
}

export type NumberSegment = Segment<number> & NumberSummary

/**
 * Packs numeric samples into segments of at most `countMax` samples, in order; no samples give no segments.
 * @throws RangeError for what encodeNumbers refuses, and for a `countMax` outside 1..SAMPLES_PER_BODY_MAX.
 */
export function segmentNumbers(samples: Samples<number>, countMax: number): NumberSegment[] {
  return parts(samples, countMax).map((part) => {
    let min = Infinity
    let max = -Infinity
    let sum = 0
    for (const value of part.values) {
      min = Math.min(min, value)
      max = Math.max(max, value)
      sum += value
    }

    return { ...rim(part), min, max, sum: Number.isFinite(sum) ? sum : null, body: encodeNumbers(part) }
  })
}

/**
 * Packs string samples into segments of at most `countMax` samples, in order; no samples give no segments.
 * @throws RangeError for what encodeTexts refuses, and for a `countMax` outside 1..SAMPLES_PER_BODY_MAX.
 */
export function segmentTexts(samples: Samples<string>, countMax: number): Segment<string>[] {
  return parts(samples, countMax).map((part) => ({ ...rim(part), body: encodeTexts(part) }))
}

function parts<V>(samples: Samples<V>, countMax: number): Samples<V>[] {
  const isCount = Number.isInteger(countMax) && countMax >= 1 && countMax <= SAMPLES_PER_BODY_MAX
  if (!isCount) throw new RangeError(`${countMax} is no count of samples for one segment`)

  const { at, values } = samples
  if (at.length !== values.length) throw new RangeError(`${at.length} instants for ${values.length} values`)

  const all: Samples<V>[] = []
  for (let begin = 0; begin < at.length; begin += countMax) {
    const end = begin + countMax
    all.push({ at: at.slice(begin, end), values: values.slice(begin, end) })
  }

  return all
}

function rim<V>(part: Samples<V>): Omit<Segment<V>, 'body'> {
  const from = part.at[0]
  const to = part.at.at(-1)
  const first = part.values[0]
  const last = part.values.at(-1)
  const isEmpty = from === undefined || to === undefined || first === undefined || last === undefined
  if (isEmpty) throw new RangeError('a segment needs at least one sample')

  return { from, to, count: part.at.length, first, last }
}
