import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { landText } from './land.ts'

const FILE = join(import.meta.dir, '../../src/console/screens/map/land.txt')
const ATLAS = import.meta.resolve('world-atlas/land-50m.json')

test('the land of the map is made of Natural Earth; UPDATE_SNAPSHOTS=1 makes it anew', async () => {
  const text = landText((await Bun.file(new URL(ATLAS)).json()) as Parameters<typeof landText>[0])
  if (process.env['UPDATE_SNAPSHOTS'] === '1') await Bun.write(FILE, text)
  expect(text.length).toBeGreaterThan(100_000)
  expect((await Bun.file(FILE).text()) === text).toBe(true)
})
