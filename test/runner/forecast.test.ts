import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'bun:test'

import { ENGINE, pythonWith } from './forecast-environment.ts'

const MADE_IN_MS = 300_000
/** Four minutes of fits on an idle core. */
const ALL_IN_MS = 1_800_000

test('the lock files are those of pyproject.toml', async () => {
  const project = await readFile(join(ENGINE, 'pyproject.toml'))
  const digest = createHash('sha256').update(project).digest('hex').slice(0, 16)
  const locks = await readdir(join(ENGINE, 'locks'))
  expect(locks.sort()).toEqual(['bench.txt', 'core.txt', 'models.txt', 'test.txt'])
  for (const lock of locks) {
    const [first, ...rest] = (await readFile(join(ENGINE, 'locks', lock), 'utf8')).split('\n')
    expect(first).toBe(`# Made by npm run lock:forecast from pyproject.toml ${digest}`)
    expect(rest.filter((line) => line.includes('==')).every((line) => line.endsWith('\\'))).toBe(true)
  }
})

const isWhole = process.env['TIDEMARK_TEST_EVERY_MODEL'] === 'true'

test(
  isWhole
    ? 'the forecast engine passes all of its tests'
    : 'the forecast engine passes its tests without models',
  async () => {
    const python = await pythonWith(isWhole ? 'bench' : 'test')
    const chosen = isWhole ? [] : ['-m', 'not models']
    const child = Bun.spawn([python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...chosen], {
      cwd: ENGINE,
      env: {
        PATH: '/usr/bin:/bin',
        PYTHONDONTWRITEBYTECODE: '1',
        OMP_NUM_THREADS: '1',
        OPENBLAS_NUM_THREADS: '1',
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const said = await new Response(child.stdout).text()
    expect(`${await child.exited} ${said.slice(-3_000)}`).toMatch(/^0 /)
  },
  isWhole ? ALL_IN_MS : MADE_IN_MS,
)
