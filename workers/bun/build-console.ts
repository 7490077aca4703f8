import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import type { BunPlugin } from 'bun'

import { CONSOLE_DIR, PAGES, storedConsole, storedPaths } from '../server/console-build.ts'
import type { ConsoleBuild } from '../server/console-build.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The hash of the sources of the build. It lies outside of the folder, whose files are all served. */
const STAMP = `${CONSOLE_DIR}.stamp`
const NO_PLACE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC'])

/** The web console, built anew when its sources have changed.
 * @throws {AggregateError} when the sources do not build */
export async function builtConsole(): Promise<ConsoleBuild> {
  const key = await keyOfSources()
  const stamp = await Bun.file(STAMP)
    .text()
    .catch(() => '')
  if (stamp === key) {
    const stored = await storedConsole()
    if (stored) return stored
  }
  const files = await build()
  await store(files, key)
  return files
}

/** Each page is built alone: a part that two pages share would be one more file of the first screen. */
async function build(): Promise<ConsoleBuild> {
  const builds = await Promise.all(PAGES.map(buildPage))
  return new Map(builds.flatMap((files) => [...files]))
}

async function buildPage(page: string): Promise<ConsoleBuild> {
  const fonts = new Map<string, Uint8Array<ArrayBuffer>>()
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, 'src/console', page)],
    target: 'browser',
    minify: true,
    splitting: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    plugins: [besideStyles(fonts)],
  })
  const built = await Promise.all(
    outputs.map(
      async (output) => [output.path.slice('./'.length), new Uint8Array(await output.arrayBuffer())] as const,
    ),
  )
  return new Map([...fonts, ...built])
}

/** Makes a file of each font. Bun would write fonts into the style sheet, which delays the first text. */
function besideStyles(fonts: Map<string, Uint8Array<ArrayBuffer>>): BunPlugin {
  return {
    name: 'fonts',
    setup(builder) {
      builder.onResolve({ filter: /\.woff2$/ }, async ({ path, importer }) => {
        const bytes = await Bun.file(join(dirname(importer), path)).bytes()
        const name = `${basename(path, '.woff2')}-${Bun.hash(bytes).toString(36).slice(0, 8)}.woff2`
        fonts.set(`assets/${name}`, bytes)
        return { path: `./${name}`, external: true }
      })
    },
  }
}

/** Writes the build so that a reader never finds a page without its files: other processes may build the same. */
async function store(files: ConsoleBuild, key: string): Promise<void> {
  try {
    await mkdir(join(CONSOLE_DIR, 'assets'), { recursive: true })
    const former = await storedPaths()
    const isPage = ([path]: readonly [string, unknown]) => PAGES.includes(path)
    for (const [path, bytes] of [...files].toSorted((a, b) => Number(isPage(a)) - Number(isPage(b))))
      await replaceFile(join(CONSOLE_DIR, path), bytes)
    for (const path of former) if (!files.has(path)) await rm(join(CONSOLE_DIR, path), { force: true })
    // At the end: another process that finds the stamp reads all files that it lists.
    await replaceFile(STAMP, new TextEncoder().encode(key))
  } catch (error) {
    // A service whose user may not write here serves from memory, and builds at each start.
    if (!NO_PLACE.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  // Not in the folder of the build, whose files are all served.
  const own = join(dirname(STAMP), `.${basename(path)}.${process.pid}`)
  await writeFile(own, bytes, { mode: 0o644 })
  await rename(own, path)
}

/** A hash of all that decides what a build contains. */
async function keyOfSources(): Promise<string> {
  const sources = [...new Bun.Glob('src/console/**/*').scanSync(ROOT)].filter(
    (path) => !/\.(?:d|test)\.ts$/.test(path),
  )
  const paths = ['package-lock.json', 'tsconfig.json', ...sources.toSorted()].map((path) => join(ROOT, path))
  const contents = await Promise.all([import.meta.path, ...paths].map((path) => Bun.file(path).bytes()))
  const hash = new Bun.CryptoHasher('sha256').update(Bun.version)
  for (const bytes of contents) hash.update(bytes).update('\0')
  return hash.update(sources.toSorted().join('\n')).digest('hex')
}

if (import.meta.main) await builtConsole()
