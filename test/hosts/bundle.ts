import { statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

import type { BunPlugin } from 'bun'

const ROOT = join(import.meta.dirname, '../..')
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

const BUILT_IN = new Set(builtinModules.filter((name) => !name.startsWith('bun')))

/** Gives packages in CommonJS the modules of workerd, as wrangler does it.
 * @param required gets the names of the modules */
function builtInRequires(required: Set<string>): BunPlugin {
  return {
    name: 'built-in requires',
    setup(builder) {
      builder.onResolve({ filter: /^(?:node:)?[a-z_]+(?:\/[a-z_]+)*$/ }, ({ path, kind }) => {
        const name = path.replace(/^node:/, '')
        if (!BUILT_IN.has(name) || path === 'node:util') return undefined
        return kind === 'require-call'
          ? { path: name, namespace: 'built-in' }
          : { path: `node:${name}`, external: true }
      })
      builder.onLoad({ filter: /./, namespace: 'built-in' }, ({ path }) => {
        required.add(path)
        return { contents: `module.exports = ${variableOf(path)}`, loader: 'js' }
      })
    },
  }
}

function variableOf(builtIn: string): string {
  return `builtIn_${builtIn.replaceAll('/', '_')}`
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
  const path = join(CACHE, `${keyOf(entry, plugins)}.mjs`)
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
  const required = new Set<string>()
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [asWranglerDoes, builtInRequires(required), ...plugins],
  })
  const [output] = outputs
  if (!output) throw new Error('The Worker did not build.')
  const imports = [...required].map((name) => `import ${variableOf(name)} from 'node:${name}'\n`)
  return imports.join('') + (await output.text())
}

/** A hash of all that decides what a bundle contains; of a file, its size and when it was written. */
function keyOf(entry: string, plugins: readonly BunPlugin[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(JSON.stringify([Bun.version, relative(ROOT, entry), plugins.map(({ name }) => name)]))
  const found = SOURCES.flatMap((folder) =>
    [...new Bun.Glob(`${folder}/**/*.{ts,json,sql}`).scanSync(ROOT)].toSorted(),
  )
  for (const file of ['package-lock.json', ...found]) {
    const { mtimeMs, size } = statSync(join(ROOT, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
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
