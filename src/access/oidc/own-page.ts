import { urlOf } from '../../lib/urls.ts'

/** The path of the login page of this service that opens `returnTo` after the login; null unless `returnTo` is a path below
 * `<basePath>/ui/`. */
export function loginPageFor(basePath: string, returnTo: string): string | null {
  const pages = `${basePath}/ui/`
  // The parser resolves dot segments and backslashes as a browser does.
  const url = returnTo.startsWith('/') ? urlOf(`http://here${returnTo}`) : null
  if (!url?.pathname.startsWith(pages)) return null
  return `${pages}login?returnTo=${encodeURIComponent(url.pathname + url.search + url.hash)}`
}

/** Whether a page to return to is one of this service. All configured pages are URLs. */
export function isOwnPage(returnUrl: string): boolean {
  return returnUrl.startsWith('/')
}
