import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

import type { BunPlugin } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/tidemark-workers')
/** Folders that hold each file that a bundle may contain, packages aside: their versions are in the lock file. */
const SOURCES = ['src', 'db', 'workers', 'test']
const KEPT_MS = 86_400_000

/** The alias of `wrangler.toml`. */
const asWranglerDoes: BunPlugin = {
  name: 'node:util',
  setup(builder) {
    const path = join(ROOT, 'workers/edge/node-util.ts')
    builder.onResolve({ filter: /^node:util$/ }, () => ({ path }))
  },
}

/** A plugin that takes `path` for each import of `specifier` in files whose path matches `importers`. */
export function replaceImport(specifier: string, path: string, importers: RegExp): BunPlugin {
  return {
    name: [specifier, path, importers.source].join(' '),
    setup(builder) {
      const filter = new RegExp(`^${RegExp.escape(specifier)}$`)
      builder.onResolve({ filter }, ({ importer }) => (importers.test(importer) ? { path } : undefined))
    },
  }
}

/** One file with all that a Worker is made of, but for what workerd brings. Processes share it until a source changes.
 * Plugins of one name must do the same.
 * @throws {AggregateError} when it does not build */
export async function bundleWorker(entry: string, plugins: readonly BunPlugin[] = []): Promise<string> {
  const path = join(CACHE, `${await keyOf(entry, plugins)}.mjs`)
  const cached = Bun.file(path)
  if (await cached.exists()) return cached.text()
  const bundle = await build(entry, plugins)
  const own = `${path}.${process.pid}`
  await Bun.write(own, bundle)
  await rename(own, path)
  await removeOld()
  return bundle
}

async function build(entry: string, plugins: readonly BunPlugin[]): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [asWranglerDoes, ...plugins],
  })
  const [output] = outputs
  if (!output) throw new Error('The Worker did not build.')
  return output.text()
}

/** A hash of all that decides what a bundle contains. */
async function keyOf(entry: string, plugins: readonly BunPlugin[]): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(JSON.stringify([Bun.version, relative(ROOT, entry), plugins.map(({ name }) => name)]))
  const found = SOURCES.flatMap((folder) =>
    [...new Bun.Glob(`${folder}/**/*.{ts,json,sql}`).scanSync(ROOT)].toSorted(),
  )
  for (const file of ['package-lock.json', ...found])
    hash.update(file).update(await Bun.file(join(ROOT, file)).bytes())
  return hash.digest('hex')
}

/** Removes bundles that are older than a day. Another process may remove the same. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > KEPT_MS) await rm(path, { force: true })
  }
}
