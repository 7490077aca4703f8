import { expect, test } from 'bun:test'

import { rejection } from '../../test/contract/rejection.ts'
import { Slots } from './slots.ts'

test('two run, three wait, the sixth is refused, and each goes on when another has ended', async () => {
  const slots = new Slots(2, 3)
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
    ends[ended]?.()
    await Promise.resolve(tasks[ended])
    await Bun.sleep(0)
  }
  await Promise.all(tasks)
  expect({ most, running }).toEqual({ most: 2, running: 0 })
})

test('a task that fails gives its place back', async () => {
  const slots = new Slots(1, 0)
  expect(await rejection(slots.run(() => Promise.reject(new Error('no'))))).toMatchObject({ message: 'no' })
  expect(await slots.run(() => Promise.resolve('yes'))).toBe('yes')
})
