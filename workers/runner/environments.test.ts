import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Environments } from './environments.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidemark-environments-'))
})
afterEach(() => rm(dir, { recursive: true }))

const { signal } = new AbortController()
const build = (path: string) => writeFile(join(path, 'built'), '')

test('one that many want at once is built once', async () => {
  const environments = await Environments.open(dir)
  let built = 0
  const once = async (path: string) => {
    built++
    await build(path)
  }
  const used = await Promise.all(Array.from({ length: 5 }, () => environments.use('key', once, signal)))
  expect(new Set(used.map(({ path }) => path))).toEqual(new Set([join(dir, 'key')]))
  expect(built).toBe(1)
  await environments.use('key', once, signal)
  expect(built).toBe(1)
})

test('an environment that could not be built leaves nothing, and waiting jobs try again', async () => {
  const environments = await Environments.open(dir)
  const failing = async (path: string) => {
    await build(path)
    throw new Error('It cannot be built.')
  }
  const [first, second] = await Promise.allSettled([
    environments.use('key', failing, signal),
    environments.use('key', build, signal),
  ])
  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled'])
  await Promise.allSettled([environments.use('other', failing, signal)])
  expect((await readdir(dir)).toSorted()).toEqual(['key', 'key.ready'])
})

test('a cancelled job does not wait for another one, and builds nothing', async () => {
  const environments = await Environments.open(dir)
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const slowly = () => {
    begun.resolve()
    return goOn.promise
  }
  const slow = environments.use('key', slowly, signal)
  const stop = new AbortController()
  const never = () => Promise.reject(new Error('It was built.'))
  const waiting = environments.use('key', never, stop.signal)
  stop.abort(new Error('ended'))
  // oxlint-disable-next-line typescript/await-thenable -- Bun's type of `rejects` lacks the promise
  await expect(waiting).rejects.toThrow('ended')
  await begun.promise
  goOn.resolve()
  await slow
})

test('what was left unfinished goes at the start, and what was not used for longest when there are too many', async () => {
  await mkdir(join(dir, 'unfinished'))
  const environments = await Environments.open(dir, 2)
  expect(await readdir(dir)).toEqual([])
  // One that is in use stays, though it is the oldest.
  const kept = await environments.use('a', build, signal)
  await utimes(join(dir, 'a.ready'), 0, 0)
  for (const key of ['b', 'c']) (await environments.use(key, build, signal)).release()
  await utimes(join(dir, 'b.ready'), 1, 1)
  ;(await environments.use('d', build, signal)).release()
  const names = await readdir(dir)
  expect(names).toContain('a')
  expect(names).toContain('d')
  expect(names).not.toContain('b')
  kept.release()
  ;(await environments.use('e', build, signal)).release()
  expect(await readdir(dir)).not.toContain('a')
})
