import { Refusal } from '../lib/errors.ts'

/** The values of `Sec-Fetch-Site` for requests of the console's pages and for typed addresses. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/** Scheme and host by which a request reached the service, also behind a proxy that ends TLS. Sent by the caller: good for
 * texts that go back to the caller, and for nothing else. */
export function originOf(request: Request): string {
  const { origin } = new URL(request.url)
  const isForwarded = request.headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https'
  return isForwarded ? origin.replace(/^http:/, 'https:') : origin
}

/** Refuses a request of a page of another origin. Browsers without `Sec-Fetch-Site` send `Origin` with every POST.
 * @throws {Refusal} forbidden */
export function refuseForeign({ headers, url }: Request): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwn = site === null ? origin === null || hasHostOf(origin, url) : OWN_SITES.has(site)
  if (!isOwn) throw new Refusal('forbidden', 'The request came from a page of another origin.')
}

/** Whether an origin has the host of a URL. A proxy may change the scheme. */
function hasHostOf(origin: string, url: string): boolean {
  return origin.replace(/^https?:\/\//, '') === new URL(url).host
}
