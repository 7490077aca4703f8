import type { Value } from '../../../domain/delivery.ts'
import type { Bucket } from '../../../domain/series.ts'
import { TIMEOUT_ERROR } from '../../states/thresholds.ts'
import type { Arrival } from './replay.ts'

type KeyedSamples = {
  readonly key: string
  readonly samples: readonly { readonly at: number; readonly value: Value }[]
}

/** The samples of all keys by instant, ascending. Leaves out error codes that a silence has caused. */
export function arrivalsOf(all: readonly KeyedSamples[]): Arrival[] {
  const found = new Map<number, { at: number; values: Record<string, Value>; errorCode: number | null }>()
  for (const { key, samples } of all) {
    for (const { at, value } of samples) {
      let arrival = found.get(at)
      if (!arrival) found.set(at, (arrival = { at, values: {}, errorCode: null }))
      if (key === 'errorCode') arrival.errorCode = Number(value)
      else arrival.values[key] = value
    }
  }
  return [...found.values()].filter((arrival) => !isSilence(arrival)).sort((a, b) => a.at - b.at)
}

/** The least, the greatest and the last value of each bucket as samples: a third of the bucket lies between them. */
export function samplesOfBuckets(key: string, buckets: readonly Bucket[], bucketMs: number): KeyedSamples {
  const samples = buckets.flatMap(({ at, min, max, value, count }) => {
    if (count === 0) return []
    return [min, max, value].flatMap((one, place) =>
      one === null ? [] : [{ at: at + Math.floor((place * bucketMs) / 3), value: one }],
    )
  })
  return { key, samples }
}

function isSilence({ values, errorCode }: Arrival): boolean {
  if (errorCode !== TIMEOUT_ERROR) return false
  for (const _ in values) return false
  return true
}
