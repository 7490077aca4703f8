/**
 * Samples of one series as two columns of equal length: `at` in epoch ms, ascending; equal instants are allowed and
 * keep their order.
 */
export type Samples<V> = { readonly at: readonly number[]; readonly values: readonly V[] }

/** Lists that follow each other, as one. */
export function joinSamples<V>(parts: readonly Samples<V>[]): Samples<V> {
  const [only] = parts
  if (only && parts.length === 1) return only
  // Whole lists at once: one by one, as `flatMap` does, takes four times as long.
  return {
    at: new Array<number>().concat(...parts.map(({ at }) => at)),
    values: new Array<V>().concat(...parts.map(({ values }) => values)),
  }
}

/** The samples from one index up to, but not including, another; without the other up to the last. */
export function sliceSamples<V>({ at, values }: Samples<V>, from: number, until?: number): Samples<V> {
  return { at: at.slice(from, until), values: values.slice(from, until) }
}

/** Merges two ascending lists into one ascending list; on equal instants the samples of `older` come first. */
export function mergeSamples<V>(older: Samples<V>, newer: Samples<V>): Samples<V> {
  if (newer.at.length === 0) return older
  if (older.at.length === 0) return newer
  if ((older.at.at(-1) ?? 0) <= (newer.at[0] ?? 0)) return joinSamples([older, newer])

  const at: number[] = []
  const values: V[] = []
  let olderTaken = 0
  let newerTaken = 0
  const take = (source: Samples<V>, from: number, until: number) => {
    for (const instant of source.at.slice(from, until)) at.push(instant)
    for (const value of source.values.slice(from, until)) values.push(value)
  }
  while (newerTaken < newer.at.length) {
    // Instants are whole milliseconds, so "later than" is "at or after the next".
    const olderUntil = firstAtOrAfter(older.at, (newer.at[newerTaken] ?? Infinity) + 1, olderTaken)
    take(older, olderTaken, olderUntil)
    olderTaken = olderUntil
    const newerUntil = firstAtOrAfter(newer.at, older.at[olderTaken] ?? Infinity, newerTaken)
    take(newer, newerTaken, newerUntil)
    newerTaken = newerUntil
  }
  take(older, olderTaken, older.at.length)

  return { at, values }
}

/** Returns the index of the first of the ascending `instants` that is not before `instant`, at least `from`. */
export function firstAtOrAfter(instants: readonly number[], instant: number, from = 0): number {
  let low = from
  let high = instants.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((instants[middle] ?? Infinity) >= instant) high = middle
    else low = middle + 1
  }

  return low
}
