import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Item } from '../../api/client.ts'
import { onEvents, onGap, watchJobs } from '../../api/events.ts'
import { background } from '../../kit/background.ts'

export type Current = Item<'/values'>['values'][number]
type Known = ReadonlyMap<number, readonly Current[]>
type Samples = readonly Pick<Current, 'key' | 'timestamp' | 'value'>[]

/** The jobs of one call, as the API bounds them. */
const AT_ONCE = 100
/** Rows that pass by while the user scrolls are not read. */
const SETTLE_MS = 200

/** How many rows show each job. */
const users = new Map<number, number>()
/** The jobs whose values were read since a row began to show them. */
const read = new Set<number>()
const known = signal<Known>(new Map())
let timer: ReturnType<typeof setTimeout> | null = null
let watched = ''
let stopWatching: (() => void) | null = null

/** The latest value of a job for as long as a row shows it: its first number, or its first text. All rows that appear
 * together are read by one call, and live events keep them up to date. */
export function useCurrent(id: number): Current | undefined {
  useEffect(() => {
    users.set(id, (users.get(id) ?? 0) + 1)
    settle()
    return () => {
      const left = (users.get(id) ?? 1) - 1
      if (left > 0) users.set(id, left)
      else {
        users.delete(id)
        read.delete(id)
      }
      settle()
    }
  }, [id])
  return known.value.get(id)?.[0]
}

function settle(): void {
  timer ??= setTimeout(() => {
    timer = null
    watch()
    const missing = [...users.keys()].filter((id) => !read.has(id))
    for (let from = 0; from < missing.length; from += AT_ONCE)
      background(readValues(missing.slice(from, from + AT_ONCE)))
  }, SETTLE_MS)
}

function watch(): void {
  const ids = [...users.keys()].toSorted((a, b) => a - b).slice(0, AT_ONCE)
  if (ids.join() === watched) return
  watched = ids.join()
  const stop = stopWatching
  stopWatching = ids.length > 0 ? watchJobs(ids) : null
  stop?.()
}

async function readValues(ids: readonly number[]): Promise<void> {
  for (const id of ids) read.add(id)
  try {
    const { items } = await call('get', '/values', { query: { jobId: [...ids] } })
    const next = new Map([...known.value].filter(([id]) => users.has(id)))
    for (const { jobId, values } of items) next.set(jobId, values)
    known.value = next
  } catch (error) {
    for (const id of ids) read.delete(id)
    throw error
  }
}

onEvents(['value'], ({ data }) => {
  const id = Number(data['jobId'])
  const before = known.value.get(id)
  if (before === undefined || !users.has(id)) return
  const samples = data['samples'] as Samples
  // The first sample of a value has no name and no unit.
  if (samples.some(({ key }) => before.every((one) => one.key !== key))) {
    read.delete(id)
    settle()
    return
  }
  known.value = new Map(known.value).set(
    id,
    before.map((one) => withLatest(one, samples)),
  )
})

onGap((jobId) => {
  if (jobId === null) read.clear()
  else read.delete(jobId)
  settle()
})

/** A value with the latest of the samples. */
function withLatest(one: Current, samples: Samples): Current {
  const later = samples.findLast(({ key }) => key === one.key)
  if (later === undefined || Date.parse(later.timestamp) < Date.parse(one.timestamp)) return one
  return { ...one, value: later.value, timestamp: later.timestamp }
}
