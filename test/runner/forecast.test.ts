import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'

import { ENGINE, installerOfWheels, pythonWith, run } from './forecast-environment.ts'

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

for (const version of isWhole ? ['3.11', '3.12', '3.13', '3.14'] : [])
  for (const architecture of ['x86_64', 'aarch64'])
    test(
      `the packages of all kinds have wheels with the locked hashes for Python ${version} on ${architecture}`,
      async () => {
        const uv = await installerOfWheels()
        const target = await mkdtemp(join(tmpdir(), 'tidemark-wheels-'))
        try {
          const place = ['--target', target, '--python-version', version]
          const platform = ['--python-platform', `${architecture}-manylinux_2_28`, '--only-binary', ':all:']
          const lock = ['--require-hashes', '-r', join(ENGINE, 'locks/models.txt')]
          await run(uv, 'pip', 'install', '--quiet', ...place, ...platform, ...lock)
          expect(await readdir(target)).toContain('prophet')
        } finally {
          await rm(target, { recursive: true })
        }
      },
      ALL_IN_MS,
    )

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
