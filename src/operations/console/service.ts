import type { Context } from '../../context.ts'
import { contentTag } from '../../http/preconditions.ts'
import { Refusal } from '../../lib/errors.ts'
import type { ConsoleAsset } from '../../ports/console-assets.ts'

/** A page: the web console, or the reference of the API. */
export type Page = { readonly html: string; readonly etag: string }

/** The folder of files that never change, since their names have a hash of their content. */
const UNCHANGING = 'assets/'
/** A file of that folder: other names could lead out of it. */
const FILE = /^assets\/[\w-][\w.-]*$/
const PAGES = { console: 'index.html', reference: 'reference.html' } as const

/** Whether a path names a file that never changes; all other paths are screens of the page. */
export const isFile = (path: string): boolean => path.startsWith(UNCHANGING)

/** Finds a file of the console. @throws {Refusal} not_found */
export async function readAsset({ ports }: Context, path: string): Promise<ConsoleAsset> {
  const asset = FILE.test(path) ? await ports.consoleAssets.find(path) : null
  if (asset === null) throw new Refusal('not_found', 'The console has no such file. Load the page again.')
  return asset
}

/** A page, with the folder of its files. @throws {Refusal} unavailable when the console was not built */
export async function readPage({ ports }: Context, name: keyof typeof PAGES): Promise<Page> {
  const page = await ports.consoleAssets.find(PAGES[name])
  if (page === null) throw new Refusal('unavailable', 'The console is not built. The log has the reason.')
  const text = await new Response(page.body).text()
  const html = text.replace('<head>', `<head><base href="${ports.settings.basePath}/ui/" />`)
  return { html, etag: await contentTag(html) }
}
