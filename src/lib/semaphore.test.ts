import { expect, test } from 'bun:test'

import { rejection } from '../../test/contract/rejection.ts'
import { Semaphore } from './semaphore.ts'

const LOST_MS = 60_000
const clock = { now: () => Date.now() }

test('two run, three wait, the sixth is refused, and each goes on when another has ended', async () => {
  const slots = new Semaphore(2, 3, LOST_MS)
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  const task = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => ends.push(resolve))
    running--
  }
  const tasks = Array.from({ length: 5 }, () => slots.run(clock, task))
  expect(await rejection(slots.run(clock, task))).toMatchObject({ code: 'overloaded' })
  for (let ended = 0; ended < 5; ended++) {
    while (!ends[ended]) await Bun.sleep(1)
    ends[ended]?.()
    await tasks[ended]
  }
  await Promise.all(tasks)
  expect({ most, running }).toEqual({ most: 2, running: 0 })
})

test('a task that fails gives its place back', async () => {
  const slots = new Semaphore(1, 0, LOST_MS)
  expect(await rejection(slots.run(clock, () => Promise.reject(new Error('no'))))).toMatchObject({
    message: 'no',
  })
  expect(await slots.run(clock, () => Promise.resolve('yes'))).toBe('yes')
})

test('waiting tasks go on in the order in which they came', async () => {
  const slots = new Semaphore(1, 20, LOST_MS)
  const begun: number[] = []
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      slots.run(clock, async () => {
        begun.push(index)
        await Bun.sleep(0)
      }),
    ),
  )
  expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('the further behind, the less often one looks', async () => {
  const slots = new Semaphore(2, 250, LOST_MS)
  const end = Promise.withResolvers<void>()
  const running = [1, 2].map(() => slots.run(clock, () => end.promise))
  const { setTimeout } = globalThis
  const asked: number[] = []
  const noted = (look: () => void, ms = 0) => setTimeout(look, asked.push(ms))
  globalThis.setTimeout = Object.assign(noted, setTimeout)
  const waiting = Array.from({ length: 250 }, () => slots.run(clock, () => Promise.resolve()))
  globalThis.setTimeout = setTimeout
  expect(asked.slice(0, 6)).toEqual([5, 5, 10, 10, 15, 15])
  expect(asked.slice(196)).toEqual([495, 495, ...Array.from({ length: 52 }, () => 500)])
  end.resolve()
  await Promise.all([...running, ...waiting])
})

test.each([
  [0, 1],
  [3_000, 9],
  [60_000, 30],
])('where a task took %i ms, a refused task gets a Retry-After of %i s', async (tookMs, retryAfterS) => {
  const moved = { at: 0, now: () => moved.at }
  const slots = new Semaphore(2, 4, LOST_MS)
  await slots.run(moved, () => Promise.resolve((moved.at += tookMs)))
  const turns = Array.from({ length: 6 }, () => slots.enter(moved))
  expect(await rejection(slots.run(moved, () => Promise.resolve()))).toMatchObject({ retryAfterS })
  for (const { leave } of turns) leave()
  await slots.run(moved, () => Promise.resolve())
})

test('a task that never ends holds up the others until it counts as lost', async () => {
  const moved = { at: 0, now: () => moved.at }
  const slots = new Semaphore(1, 1, LOST_MS)
  slots.run(moved, () => new Promise<never>(() => {})).catch(String)
  moved.at = LOST_MS
  const second = slots.run(moved, () => Promise.resolve('went on'))
  expect(await rejection(slots.run(moved, () => Promise.resolve()))).toMatchObject({ code: 'overloaded' })
  moved.at++
  expect(await second).toBe('went on')
})

test('a task that has waited for 15 seconds is refused, and makes room', async () => {
  const moved = { at: 0, now: () => moved.at }
  const slots = new Semaphore(1, 1, LOST_MS)
  const end = Promise.withResolvers<void>()
  const first = slots.run(moved, () => end.promise)
  const second = slots.run(moved, () => Promise.resolve())
  moved.at = 15_000
  await Bun.sleep(20)
  expect(Bun.peek.status(second)).toBe('pending')
  moved.at++
  expect(await rejection(second)).toMatchObject({ code: 'overloaded' })
  slots.enter(moved).leave()
  end.resolve()
  await first
})

test('a long wait ends after its own maximum, or with its signal', async () => {
  const moved = { at: 0, now: () => moved.at }
  const slots = new Semaphore(1, 2, Number.POSITIVE_INFINITY)
  const end = Promise.withResolvers<void>()
  const first = slots.run(moved, () => end.promise)
  const cancelled = new AbortController()
  const wait = (signal: AbortSignal) =>
    slots.run(moved, () => Promise.resolve('ran'), { maxMs: 60_000, signal })
  const long = wait(AbortSignal.timeout(60_000))
  const stopped = wait(cancelled.signal)
  moved.at = 60_000
  await Bun.sleep(20)
  expect([Bun.peek.status(long), Bun.peek.status(stopped)]).toEqual(['pending', 'pending'])
  cancelled.abort(new Error('cancelled'))
  expect(await rejection(stopped)).toMatchObject({ message: 'cancelled' })
  moved.at++
  expect(await rejection(long)).toMatchObject({ code: 'overloaded' })
  end.resolve()
  await first
})

test('tasks that left while they waited make room again, even without other waiting tasks', async () => {
  const moved = { at: 0, now: () => moved.at }
  const slots = new Semaphore(1, 2, LOST_MS)
  const end = Promise.withResolvers<void>()
  const first = slots.run(moved, () => end.promise)
  // The platform runs nothing more of them: their timers stop.
  const { setTimeout } = globalThis
  globalThis.setTimeout = Object.assign(() => 0, setTimeout)
  for (let at = 0; at < 2; at++) slots.run(moved, () => Promise.resolve()).catch(String)
  globalThis.setTimeout = setTimeout
  expect(() => slots.enter(moved)).toThrow('Too many concurrent requests')
  moved.at = 2_001
  slots.enter(moved).leave()
  end.resolve()
  await first
  expect(await slots.run(moved, () => Promise.resolve('went on'))).toBe('went on')
})

test('a clock that is set back keeps no task waiting', async () => {
  const moved = { at: 10 * LOST_MS, now: () => moved.at }
  const slots = new Semaphore(1, 0, LOST_MS)
  slots.run(moved, () => new Promise<never>(() => {})).catch(String)
  expect(() => slots.enter(moved)).toThrow('Too many concurrent requests')
  moved.at = 0
  slots.enter(moved).leave()
})
