import { expect, spyOn, test } from 'bun:test'

import { ResultCache } from './result-cache.ts'

const KEEP_MS = 1_000

/** A cache whose clock and computations belong to the test. */
function open(weightMax = 100) {
  const cache = new ResultCache<string>(weightMax, (text) => text.length)
  let now = 0
  let computed = 0
  const ask = (name: string, of: Partial<Parameters<typeof cache.find>[0]> = {}) =>
    cache.find({
      name,
      ageMaxMs: KEEP_MS,
      now: () => now,
      signal: new AbortController().signal,
      compute: () => Promise.resolve(`${name}${++computed}`),
      ...of,
    })
  return { cache, ask, pass: (ms: number) => void (now += ms), computed: () => computed }
}

/** Computations that end when the test says so. */
function gate(answers: readonly string[]) {
  const ends = answers.map(() => Promise.withResolvers<string>())
  let begun = 0
  return {
    compute: () => (ends[begun++] as (typeof ends)[number]).promise,
    end: (at: number) => ends[at]?.resolve(answers[at] ?? ''),
    fail: (at: number, error: unknown) => ends[at]?.reject(error),
    begun: () => begun,
  }
}

test('equal requests at one time have one computation, other ones their own', async () => {
  const { ask } = open()
  const { compute, end, begun } = gate(['x', 'y'])
  const equal = Array.from({ length: 50 }, () => ask('a', { compute }))
  const other = ask('b', { compute })
  await Bun.sleep(20)
  expect(begun()).toBe(2)
  end(0)
  end(1)
  const found = await Promise.all(equal)
  expect(new Set(found.map(({ value }) => value))).toEqual(new Set(['x']))
  expect(found.filter(({ isShared }) => !isShared).length).toBe(1)
  expect(await other).toEqual({ value: 'y', isShared: false })
})

test('a result is kept from the begin of its computation on, for as long as the request takes', async () => {
  const { ask, pass } = open()
  expect(await ask('a')).toEqual({ value: 'a1', isShared: false })
  pass(KEEP_MS - 1)
  expect(await ask('a')).toEqual({ value: 'a1', isShared: true })
  pass(1)
  expect(await ask('a')).toEqual({ value: 'a2', isShared: false })
  pass(1_000_000)
  expect(await ask('a', { ageMaxMs: null })).toEqual({ value: 'a2', isShared: true })
  const { compute, end } = gate(['slow', 'later'])
  const slow = ask('b', { compute })
  pass(KEEP_MS)
  // It may be older than the request takes: another one begins.
  const later = ask('b', { compute })
  end(1)
  expect((await later).value).toBe('later')
  end(0)
  expect((await slow).value).toBe('slow')
  expect(await ask('b')).toEqual({ value: 'later', isShared: true })
})

test('a request that takes no age computes, and later requests have its result', async () => {
  const { ask } = open()
  await ask('a')
  expect(await ask('a', { ageMaxMs: 0 })).toEqual({ value: 'a2', isShared: false })
  expect(await ask('a')).toEqual({ value: 'a2', isShared: true })
})

test('all who wait have a failure, and none who come later', async () => {
  const { ask } = open()
  const { compute, fail, begun } = gate([''])
  const waiting = [ask('a', { compute }), ask('a', { compute })]
  fail(0, new Error('no'))
  const results = await Promise.allSettled(waiting)
  expect(results.map((result) => String((result as PromiseRejectedResult).reason))).toEqual([
    'Error: no',
    'Error: no',
  ])
  expect(begun()).toBe(1)
  expect(await ask('a')).toEqual({ value: 'a1', isShared: false })
})

test('when the first leaves, the next one computes; who waits may leave alone', async () => {
  const { ask } = open()
  const { compute, end, fail, begun } = gate(['', 'x'])
  const [first, second] = [new AbortController(), new AbortController()]
  const leading = ask('a', { compute, signal: first.signal }).catch(String)
  const leaving = ask('a', { compute, signal: second.signal }).catch(String)
  const staying = [ask('a', { compute }), ask('a', { compute })]
  second.abort('second')
  expect(await leaving).toBe('second')
  expect(begun()).toBe(1)
  first.abort('first')
  fail(0, 'first')
  expect(await leading).toBe('first')
  await Bun.sleep(100)
  expect(begun()).toBe(2)
  end(1)
  expect((await Promise.all(staying)).map(({ value }) => value)).toEqual(['x', 'x'])
})

test('when the first stops without a sign, the next one computes', async () => {
  const { ask } = open()
  const { compute, end, begun } = gate(['', 'x'])
  const timers = spyOn(globalThis, 'setInterval').mockImplementationOnce((() => 0) as never)
  const silent = ask('a', { compute })
  timers.mockRestore()
  const waiting = ask('a', { compute })
  await Bun.sleep(2_500)
  expect(begun()).toBe(2)
  end(1)
  expect(await waiting).toEqual({ value: 'x', isShared: false })
  end(0)
  await silent
})

test('the first that gives signs is waited for', async () => {
  const { ask } = open()
  const { compute, end, begun } = gate(['x'])
  const waiting = [ask('a', { compute, ageMaxMs: null }), ask('a', { compute, ageMaxMs: null })]
  await Bun.sleep(3_000)
  expect(begun()).toBe(1)
  end(0)
  expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual(['x', 'x'])
})

test('all kept results weigh no more than the cache takes, and none a quarter of it', async () => {
  const { cache, ask } = open(100)
  for (let at = 0; at < 50; at++) {
    await ask(`n${at}`, { compute: () => Promise.resolve('x'.repeat(20)) })
    expect(cache.weight).toBeLessThanOrEqual(100)
  }
  expect(cache.weight).toBe(100)
  expect((await ask('n49')).isShared).toBe(true)
  expect((await ask('n0')).isShared).toBe(false)
  await ask('large', { compute: () => Promise.resolve('x'.repeat(26)) })
  expect((await ask('large')).isShared).toBe(false)
})
