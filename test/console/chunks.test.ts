import { expect, test } from 'bun:test'

import { builtConsole } from '../../workers/bun/build-console.ts'

/** Bytes in gzip that a file may have that is loaded later than the first screen. */
const CHUNK_MAX = 130 * 1024

test('no script of the console has more than 130 KB in gzip', async () => {
  const scripts = [...(await builtConsole())].filter(([path]) => path.endsWith('.js'))
  const sizes = scripts.map(([path, bytes]) => [path, Bun.gzipSync(bytes).length] as const)
  expect(sizes.length).toBeGreaterThan(10)
  expect(sizes.filter(([, size]) => size > CHUNK_MAX)).toEqual([])
}, 180_000)
