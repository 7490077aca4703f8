import { describe, expect, test } from 'bun:test'

import { Refusal } from './errors.ts'
import { TtlCache } from './ttl-cache.ts'

const KEEP_MS = 1_000
const AHEAD_MS = 500
const NEVER = new Promise<string>(() => undefined)

describe('what was found a moment ago', () => {
  test('is asked for half a second before it is too old, and not remembered where it was nothing or failed', async () => {
    const { recent, find, asked } = setUp()
    expect(await find(0, 'a')).toBe('a')
    expect(await find(499, 'b')).toBe('a')
    expect(await find(500, 'c')).toBe('c')
    expect(await find(2_000, null)).toBeNull()
    expect(await find(2_000, 'd')).toBe('d')
    expect(await find(3_000, new Error('broken')).catch(String)).toBe('Error: broken')
    expect(await find(3_000, 'e')).toBe('e')
    recent.clear()
    expect(await find(3_001, 'f')).toBe('f')
    expect(asked).toEqual(['a', 'c', null, 'd', new Error('broken'), 'e', 'f'])
  })

  test('is asked for again once the clock is set back by more than its life', async () => {
    const { find } = setUp()
    expect(await find(100_000, 'a')).toBe('a')
    expect(await find(99_001, 'b')).toBe('a')
    expect(await find(99_000, 'c')).toBe('c')
    const away = new Refusal('unavailable', 'away')
    expect(await find(1_000, away)).toBe('c')
    expect(await find(1_001, 'd')).toBe('c')
    expect(await find(6_000, 'd')).toBe('d')
  })

  test('is asked for by one, while the others go on with what is known until it is too old', async () => {
    const { leave, find, asked } = setUp()
    await find(0, 'a')
    leave(500)
    expect(await find(500, 'b')).toBe('a')
    expect(await find(999, 'b')).toBe('a')
    expect(asked).toEqual(['a'])
    expect(await find(1_000, 'c')).toBe('c')
    expect(asked).toEqual(['a', 'c'])
  })

  test('is answered at once while it is asked for in the background, until it is too old or was found to be nothing', async () => {
    const work: Promise<unknown>[] = []
    const recent = new TtlCache<string>(KEEP_MS, AHEAD_MS, (one) => void work.push(one))
    const find = (now: number, ask: () => Promise<string | null>) => recent.find('key', now, ask)
    await find(0, () => Promise.resolve('a'))
    const { promise, resolve } = Promise.withResolvers<string>()
    expect(await find(500, () => promise)).toBe('a')
    // One fetch is under way, and no caller waits for it.
    expect(await find(501, () => NEVER)).toBe('a')
    expect(work).toHaveLength(1)
    resolve('b')
    await Promise.all(work)
    expect(await find(502, () => NEVER)).toBe('b')
    expect(await find(1_200, () => Promise.resolve(null))).toBe('b')
    await Promise.all(work)
    expect(await find(1_201, () => Promise.resolve('c'))).toBe('c')
    expect(await find(1_800, () => Promise.reject(new Error('broken')))).toBe('c')
    await Promise.all(work)
    expect(await find(1_801, () => Promise.resolve(null))).toBeNull()
    expect(await find(9_000, () => Promise.resolve('d'))).toBe('d')
  })

  test('is answered without a promise while no fetch is needed', async () => {
    const { recent, find } = setUp()
    await find(0, 'a')
    const at = (now: number) => recent.find('key', now, () => Promise.resolve('b'))
    expect(at(KEEP_MS - AHEAD_MS - 1)).toBe('a')
    expect(at(KEEP_MS - AHEAD_MS)).toBeInstanceOf(Promise)
  })

  test('is waited for by those who know nothing yet', async () => {
    const { recent, find, asked } = setUp()
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = recent.find('key', 0, () => promise)
    const others = [find(0, 'b'), find(1, 'c')]
    setTimeout(() => resolve('a'), 20)
    expect(await Promise.all([first, ...others])).toEqual(['a', 'a', 'a'])
    expect(asked).toEqual([])
    const failing = recent.find('other', 0, async () => {
      await Bun.sleep(20)
      throw new Error('broken')
    })
    const also = recent.find('other', 0, () => NEVER)
    const outcomes = await Promise.allSettled([failing, also])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('is asked for by the next one where who asked has left', async () => {
    const { leave, find, asked } = setUp()
    leave(0)
    expect(await find(1, 'b')).toBe('b')
    leave(10_000)
    expect(await find(12_000, 'c')).toBe('c')
    expect(asked).toEqual(['b', 'c'])
  })

  test('is forgotten also where it was being asked for', async () => {
    const { recent, find } = setUp()
    const { promise, resolve } = Promise.withResolvers<string>()
    const before = recent.find('key', 0, () => promise)
    recent.clear()
    resolve('of before')
    expect(await before).toBe('of before')
    expect(await find(1, 'of now')).toBe('of now')
  })

  test('serves known values for an hour while the source is unavailable, and asks the source every five seconds', async () => {
    const { find, asked } = setUp()
    const away = new Refusal('unavailable', 'away')
    await find(0, 'a')
    expect(await find(1_000, away)).toBe('a')
    expect(await find(5_499, 'b')).toBe('a')
    expect(await find(6_000, away)).toBe('a')
    expect(await find(3_600_000, away)).toBe('a')
    expect(asked).toHaveLength(4)
    expect(await find(3_605_000, away).catch(String)).toContain('away')
    expect(await find(3_605_000, 'c')).toBe('c')
  })
})

function setUp() {
  const recent = new TtlCache<string>(KEEP_MS, AHEAD_MS)
  const asked: unknown[] = []
  const find = async (now: number, answer: string | null | Error) =>
    recent.find('key', now, () => {
      asked.push(answer)
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    })
  /** Somebody who asks and never hears an answer. */
  const leave = (now: number) => {
    Promise.resolve(recent.find('key', now, () => NEVER)).catch(() => undefined)
  }
  return { recent, find, leave, asked }
}
