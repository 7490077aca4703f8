import { expect, test } from 'bun:test'

import { rejection } from '../../test/contract/rejection.ts'
import { Slots } from './slots.ts'

const LOST_MS = 60_000

test('two run, three wait, the sixth is refused, and each goes on when another has ended', async () => {
  const slots = new Slots(2, 3, LOST_MS)
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  const task = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => ends.push(resolve))
    running--
  }
  const tasks = Array.from({ length: 5 }, () => slots.run(task))
  expect(await rejection(slots.run(task))).toMatchObject({ code: 'overloaded' })
  for (let ended = 0; ended < 5; ended++) {
    while (!ends[ended]) await Bun.sleep(1)
    ends[ended]?.()
    await tasks[ended]
  }
  await Promise.all(tasks)
  expect({ most, running }).toEqual({ most: 2, running: 0 })
})

test('a task that fails gives its place back', async () => {
  const slots = new Slots(1, 0, LOST_MS)
  expect(await rejection(slots.run(() => Promise.reject(new Error('no'))))).toMatchObject({ message: 'no' })
  expect(await slots.run(() => Promise.resolve('yes'))).toBe('yes')
})

test('whoever waits goes on in the order in which it came', async () => {
  const slots = new Slots(1, 20, LOST_MS)
  const begun: number[] = []
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      slots.run(async () => {
        begun.push(index)
        await Bun.sleep(0)
      }),
    ),
  )
  expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('whoever never ends holds up the others until it counts as lost', async () => {
  const slots = new Slots(1, 1, 50)
  slots.run(() => new Promise<never>(() => {})).catch(String)
  const second = slots.run(() => Promise.resolve('went on'))
  expect(await rejection(slots.run(() => Promise.resolve()))).toMatchObject({ code: 'overloaded' })
  expect(await second).toBe('went on')
})
