import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { landText } from './land.ts'

const FILE = join(import.meta.dir, '../../src/console/screens/map/land.txt')
/** Hundredths of a degree. */
const WIDE = 9_000
const POLE = -9_000
const ATLAS = import.meta.resolve('world-atlas/land-50m.json')

/** The lines of a ring that cross the world; at a pole they are beyond the map. */
function acrossWorld(line: string): readonly string[] {
  const numbers = line.split(' ').map(Number)
  let lat = 0
  return numbers.flatMap((by, at) => {
    if (at % 2 === 1) return []
    lat += numbers[at + 1] ?? 0
    return at > 0 && Math.abs(by) > WIDE && lat > POLE ? [`${by} at ${lat}`] : []
  })
}

test('the land of the map is made of Natural Earth; UPDATE_SNAPSHOTS=1 makes it anew', async () => {
  const text = landText((await Bun.file(new URL(ATLAS)).json()) as Parameters<typeof landText>[0])
  if (process.env['UPDATE_SNAPSHOTS'] === '1') await Bun.write(FILE, text)
  expect(text.length).toBeGreaterThan(100_000)
  expect(text.split('\n').flatMap(acrossWorld)).toEqual([])
  expect((await Bun.file(FILE).text()) === text).toBe(true)
})
