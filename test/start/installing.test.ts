import { afterEach, expect, test } from 'bun:test'
import { chmod, chown, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import packageJson from '../../package.json'
import { Directories, isRoot, nobody, startCommand } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const SERVE = ['sh', 'workers/run.sh', 'serve', '--version'] as const

const directories = new Directories()
afterEach(() => directories.remove())

/** A clone without packages, which everybody may read. */
async function cloned(): Promise<string> {
  const clone = await directories.make()
  await chmod(clone, 0o755)
  for (const name of ['package.json', 'package-lock.json', 'src', 'db', 'workers'])
    await cp(join(ROOT, name), join(clone, name), { recursive: true })
  return clone
}

/** Runs a command in a clone, beside an `npm` that installs nothing. @returns how npm was called; null when it was not */
async function npmCallOf(
  clone: string,
  command: readonly string[],
  environment: Record<string, string> = {},
) {
  const tools = await directories.make()
  const called = join(tools, 'called')
  await writeFile(join(tools, 'npm'), `#!/bin/sh\necho "$*" >${called}\n`, { mode: 0o755 })
  const PATH = `${tools}:${process.env['PATH']}`
  const ended = await startCommand(command, { ...environment, PATH }, clone).ended
  const call = await readFile(called, 'utf8').catch(() => null)
  return { ...ended, npm: call?.trim() ?? null }
}

/** Packages that are there by name alone, as npm would have installed them from a lock file. */
async function installed(clone: string, names: readonly string[], integrity: string): Promise<void> {
  for (const name of names) {
    await mkdir(join(clone, 'node_modules', name), { recursive: true })
    await writeFile(join(clone, 'node_modules', name, 'package.json'), '{}')
  }
  const lock = JSON.stringify({ packages: { 'node_modules/x': { integrity } } }, null, 2)
  await writeFile(join(clone, 'node_modules/.package-lock.json'), lock)
}

const { dependencies, devDependencies } = packageJson

async function anIntegrity(): Promise<string> {
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8')
  return /"integrity": "([^"]+)"/.exec(lock)?.[1] ?? ''
}

test('a start installs what is missing, in production without the tools of development', async () => {
  const clone = await cloned()
  expect((await npmCallOf(clone, SERVE, { NODE_ENV: 'production' })).npm).toStartWith('ci --omit=dev ')
  expect((await npmCallOf(clone, SERVE)).npm).toMatch(/^ci (?!.*(?:omit|include))/)
  expect((await npmCallOf(clone, ['sh', 'workers/run.sh', 'test'])).npm).toStartWith('ci --include=dev ')
}, 180_000)

test('a start installs nothing when its packages are there, and anew when they are of another lock file', async () => {
  const clone = await cloned()
  await installed(clone, Object.keys(dependencies), await anIntegrity())
  // As after a copy that does not keep times.
  await writeFile(join(clone, 'package-lock.json'), await readFile(join(clone, 'package-lock.json')))
  expect((await npmCallOf(clone, SERVE, { NODE_ENV: 'production' })).npm).toBeNull()
  expect((await npmCallOf(clone, ['sh', 'workers/run.sh', 'test', 'x'])).npm).toStartWith('ci --include=dev ')
  await installed(clone, Object.keys(devDependencies), await anIntegrity())
  expect((await npmCallOf(clone, ['sh', 'workers/run.sh', 'test', 'x'])).npm).toBeNull()
  await installed(clone, [], 'sha512-of another release')
  expect((await npmCallOf(clone, SERVE)).npm).toStartWith('ci ')
}, 180_000)

test.skipIf(!isRoot)(
  'a user who may not write into the clone is told what to do, and npm is not called',
  async () => {
    const { code, stderr, npm } = await npmCallOf(await cloned(), [...nobody, ...SERVE])
    expect(npm).toBeNull()
    expect(code).toBe(73)
    expect(stderr).toMatch(/^The packages in \S+ are missing .* npm ci --omit=dev\n$/)
  },
  180_000,
)

test.skipIf(!isRoot)(
  'npm start works for a user without rights and without a home, on a clone that is read-only',
  async () => {
    const clone = await cloned()
    await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
    const dataDir = await directories.make()
    await chown(dataDir, 65_534, 65_534)
    const service = startCommand(
      [...nobody, 'npm', 'start'],
      { HOME: '/nonexistent', NODE_ENV: 'production', TIDEMARK_DATA_DIR: dataDir, TIDEMARK_PORT: '0' },
      clone,
    )
    await service.until('Ctrl-C')
    service.kill('SIGTERM')
    const { stdout, stderr } = await service.ended
    expect(stdout).toContain(`listens at http://127.0.0.1:`)
    expect(stderr).toContain('"message":"stopped"')
  },
  180_000,
)
