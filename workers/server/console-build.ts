import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of the build, which `wrangler.toml` names as the static assets of the Worker. */
export const CONSOLE_DIR = join(import.meta.dirname, '../../dist/console')

/** The page of the console, and the reference of the API. */
export const PAGES = ['index.html', 'reference.html']

/** The files of a build by their paths. */
export type ConsoleBuild = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

/** The build on disk; null where a page is missing. */
export async function storedConsole(): Promise<ConsoleBuild | null> {
  const paths = await storedPaths()
  if (!PAGES.every((page) => paths.includes(page))) return null
  const files = await Promise.all(
    paths.map(async (path) => [path, new Uint8Array(await readFile(join(CONSOLE_DIR, path)))] as const),
  )
  return new Map(files)
}

/** The paths of the files on disk. */
export async function storedPaths(): Promise<readonly string[]> {
  const entries = await readdir(CONSOLE_DIR, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(CONSOLE_DIR.length + 1))
}
