import { afterEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'

import * as z from 'zod'

import { Directories, isRoot, nobody, startCommand } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const BUILD = ['bun', 'workers/bun/build-console.ts'] as const
const TEST_MAX_MS = 180_000

const directories = new Directories()
afterEach(() => directories.remove())

/** A clone with the packages of `npm ci --omit=dev`, without a build of the console. */
async function cloned(): Promise<string> {
  const clone = await directories.make()
  await chmod(clone, 0o755)
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'src', 'db', 'workers'])
    await cp(join(ROOT, name), join(clone, name), { recursive: true })
  for (const path of ['node_modules/.bin/bun', ...(await productionPackages())]) {
    await mkdir(dirname(join(clone, path)), { recursive: true })
    await symlink(join(ROOT, path), join(clone, path))
  }
  return clone
}

/** The folders of the packages that are installed here and are not for development alone. */
async function productionPackages(): Promise<string[]> {
  const lock: unknown = await Bun.file(join(ROOT, 'package-lock.json')).json()
  const { packages } = z
    .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
    .parse(lock)
  return Object.entries(packages)
    .filter(([path, { dev = false }]) => !dev && /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)))
}

/** Starts the service of a clone, asks it, and stops it. */
async function whileServing(clone: string, ask: (url: string) => Promise<void>, as: readonly string[] = []) {
  const dataDir = await directories.make()
  if (as.length > 0) await chown(dataDir, 65_534, 65_534)
  const variables = { TIDEMARK_DATA_DIR: dataDir, TIDEMARK_PORT: '0', TIDEMARK_RUNNER: 'off' }
  const environment = { ...variables, NODE_ENV: 'production', HOME: '/nonexistent' }
  const service = startCommand([...as, 'npm', 'start'], environment, clone)
  try {
    await service.until('Ctrl-C')
    await ask(/listens at (\S+)/.exec(service.stdout)?.[1] ?? '')
  } finally {
    service.kill('SIGTERM')
  }
  return (await service.ended).stderr
}

/** The paths of the files that a page loads at once. */
function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => String(path))
}

async function readConsole(url: string): Promise<void> {
  const page = await fetch(`${url}/ui/`)
  expect(page.status).toBe(200)
  const files = filesOf(await page.text())
  expect(files.length).toBeGreaterThan(2)
  for (const path of files) expect([path, (await fetch(`${url}/ui/${path}`)).status]).toEqual([path, 200])
}

test(
  'the first start builds the console, the next one does not, and a changed source is built again',
  async () => {
    const clone = await cloned()
    expect(await readdir(join(clone, 'node_modules'))).not.toContain('playwright-core')
    const builtAt = async () => (await stat(join(clone, 'dist/console/index.html'))).mtimeMs
    await whileServing(clone, readConsole)
    const first = await builtAt()
    await whileServing(clone, readConsole)
    expect(await builtAt()).toBe(first)
    await appendFile(join(clone, 'src/console/main.tsx'), '\ndocument.body.dataset.changed = "yes"\n')
    await whileServing(clone, readConsole)
    expect(await builtAt()).toBeGreaterThan(first)
  },
  TEST_MAX_MS,
)

test(
  'builds beside each other leave one whole build, without the files of the former one',
  async () => {
    const clone = await cloned()
    const buildThrice = async () => {
      const ended = await Promise.all([1, 2, 3].map(() => startCommand(BUILD, {}, clone).ended))
      expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([0, 1, 2].map(() => [0, '']))
      const assets = (await readdir(join(clone, 'dist/console/assets'))).map((name) => `assets/${name}`)
      const page = await readFile(join(clone, 'dist/console/index.html'), 'utf8')
      expect(filesOf(page).filter((path) => !assets.includes(path))).toEqual([])
      return assets.toSorted()
    }
    const first = await buildThrice()
    await appendFile(join(clone, 'src/console/main.tsx'), '\ndocument.body.dataset.changed = "yes"\n')
    const second = await buildThrice()
    expect(second).toHaveLength(first.length)
    expect(second).not.toEqual(first)
    expect((await readdir(join(clone, 'dist'))).toSorted()).toEqual(['console', 'console.stamp'])
  },
  TEST_MAX_MS,
)

test(
  'a console that does not build leaves the service running, and the log says why',
  async () => {
    const clone = await cloned()
    await writeFile(join(clone, 'src/console/main.tsx'), `import { gone } from './gone.ts'\ngone()\n`)
    const log = await whileServing(clone, async (url) => {
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      expect((await fetch(`${url}/ui/`)).status).toBe(503)
    })
    expect(log).toContain('console: the build failed')
    expect(log).toContain('./gone.ts')
  },
  TEST_MAX_MS,
)

test.skipIf(!isRoot)(
  'a user who may not write into the clone gets the console too',
  async () => {
    const clone = await cloned()
    await whileServing(clone, readConsole, nobody)
    expect(await readdir(clone)).not.toContain('dist')
  },
  TEST_MAX_MS,
)
