import { expect, test } from 'bun:test'

import { latestRun } from './latest-run.ts'

const EARLY = '2026-11-26T12:00:00+01:00'
const LATE = '2026-11-26T11:00:01Z'
const read = (id: string, queuedAt: string) => ({ id, state: 'succeeded', queuedAt, finishedAt: queuedAt })
const ordered = (id: string, queuedAt: string) => ({ id, state: 'queued' as const, queuedAt })
const waits = { ...ordered('b', LATE), finishedAt: null }

test('a run that was ordered is the latest until the data have it or a later one', () => {
  expect(latestRun(null, null)).toBeNull()
  expect(latestRun(read('a', EARLY), null)).toEqual(read('a', EARLY))
  expect(latestRun(null, ordered('b', LATE))).toEqual(waits)
  expect(latestRun(read('a', EARLY), ordered('b', LATE))).toEqual(waits)
  expect(latestRun(read('b', LATE), ordered('b', LATE))).toEqual(read('b', LATE))
  expect(latestRun(read('c', LATE), ordered('b', EARLY))).toEqual(read('c', LATE))
})
