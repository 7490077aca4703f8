import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { ConsoleAssets } from '../../src/ports/console-assets.ts'

/** Where `workers/bun/build-console.ts` puts the build. */
export const CONSOLE_DIR = join(import.meta.dir, '../../dist/console')

/** The console as it was built. Only files that were there at the start are served: a path cannot leave the folder. */
export function openConsoleAssets(folder = CONSOLE_DIR): ConsoleAssets {
  const known = new Set<string>(
    existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [],
  )
  return {
    async find(path) {
      if (!known.has(path)) return null
      const file = Bun.file(join(folder, path))
      return { body: await file.bytes(), type: file.type }
    },
  }
}
