import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { Refusal } from '../../lib/errors.ts'
import type { ConsoleAsset } from '../../ports/console-assets.ts'

/** The page of the console, into which the browser loads one of its screens. */
export type Page = { readonly html: string; readonly etag: string }

/** The folders of files that never change: the name of an asset holds a hash of its content, the name of a font its version. */
const UNCHANGING = /^(?:assets|fonts)\//
const PAGE = 'index.html'

/** Whether a path names a file that never changes; all other paths are screens of the page. */
export const isFile = (path: string): boolean => UNCHANGING.test(path)

/** Finds a file of the console. @throws {Refusal} not_found */
export async function readAsset({ ports }: Context, path: string): Promise<ConsoleAsset> {
  const asset = await ports.consoleAssets.find(path)
  if (asset === null) throw new Refusal('not_found', `The console has no file ${path}.`)
  return asset
}

/** The page, with the folder in which it is mounted. @throws {Refusal} unavailable when the console was not built */
export async function readPage({ ports }: Context): Promise<Page> {
  const page = await ports.consoleAssets.find(PAGE)
  if (page === null)
    throw new Refusal(
      'unavailable',
      'The console is not built. Run `sh workers/run.sh build-console` and restart.',
    )
  const text = await new Response(page.body).text()
  const html = text.replace('<head>', `<head><base href="${ports.settings.basePath}/ui/" />`)
  return { html, etag: `"${(await sha256(html)).slice(0, 32)}"` }
}
