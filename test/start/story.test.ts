import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { ON_DENO } from '../hosts/process.ts'

const ROOT = join(import.meta.dirname, '../..')
const SERVE = ON_DENO ? 'serve-deno' : 'serve'

test('npm start -- --once plays the main job, prints what happened and ends with 0', async () => {
  const command = ['sh', 'workers/run.sh', SERVE, '--once']
  // Without `env` Bun passes the variables of its own start, with the settings for tests that `test/seed.ts` removes.
  const story = Bun.spawn(command, { cwd: ROOT, env: process.env, stderr: 'inherit' })
  const text = await new Response(story.stdout).text()

  expect(await story.exited).toBe(0)
  const lines = text.trim().split('\n')
  const told = lines.slice(1).map((line) => line.split(/ {2,}/).slice(0, 3))
  expect(told).toEqual([
    ['a device with a webhook job', 'ok', '0'],
    ['delivers 12 ms', 'ok', '0'],
    ['delivers 250 ms', 'minor', '0'],
    ['delivers 14 ms', 'ok', '0'],
    ['is silent for 1 s', 'warning', '5'],
    ['delivers 13 ms without errorCode', 'warning', '5'],
    ['delivers 13 ms with errorCode 0', 'ok', '0'],
    ['reads the history', 'ok', '0'],
  ])
  expect(lines.at(-1)).toContain('5 values, 12 to 250 ms, on average 60.4 ms')
}, 180_000)
