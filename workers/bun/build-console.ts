import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { CONSOLE_DIR } from './console-assets.ts'

const ROOT = join(import.meta.dir, '../..')

/** Builds the web console into `dist/console`: a page, and files with hashes in their names. A build replaces the folder
 * whole, so that a service never serves half of one.
 * @throws {AggregateError} when the sources do not build */
export async function buildConsole(folder = CONSOLE_DIR): Promise<void> {
  const own = `${folder}.${process.pid}`
  await mkdir(own, { recursive: true })
  await Bun.build({
    entrypoints: [join(ROOT, 'src/console/index.html')],
    outdir: own,
    target: 'browser',
    minify: true,
    splitting: true,
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    // A font inside the style sheet would delay the first text.
    external: ['*.woff2'],
  })
  await cp(join(ROOT, 'src/console/fonts'), join(own, 'fonts'), { recursive: true })
  await rm(folder, { recursive: true, force: true })
  await rename(own, folder)
}

if (import.meta.main) await buildConsole()
