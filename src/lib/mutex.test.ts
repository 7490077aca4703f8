import { expect, test } from 'bun:test'

import { KeyedMutex } from './mutex.ts'

test('tasks of one key run one after the other, and its lock goes with the last', async () => {
  const locks = new KeyedMutex<string>()
  const [first, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const order: string[] = []
  const run = (key: string, name: string, work: () => Promise<void>) =>
    locks.run(key, async () => {
      order.push(`${name} begins`)
      await work()
      order.push(`${name} ends`)
    })
  const tasks = [
    run('a', 'first', () => first.promise),
    run('b', 'other', () => other.promise),
    run('a', 'failing', () => Promise.reject(new Error('failed'))).catch(() => undefined),
    run('a', 'last', () => Promise.resolve()),
  ]
  await Bun.sleep(0)
  expect(order).toEqual(['first begins', 'other begins'])
  expect(locks.size).toBe(2)
  other.resolve()
  await tasks[1]
  expect(locks.size).toBe(1)
  first.resolve()
  await Promise.all(tasks)
  expect(order.slice(2)).toEqual(['other ends', 'first ends', 'failing begins', 'last begins', 'last ends'])
  expect(locks.size).toBe(0)
})
