import type { Context } from 'hono'

/** The header that leads to the next page (RFC 8288), relative to this host; none after the last. */
export function nextLink(c: Context, cursor: string | null): Record<string, string> {
  if (cursor === null) return {}
  const url = new URL(c.req.url)
  // A session id does not belong into what is answered.
  url.searchParams.delete('sessionId')
  url.searchParams.set('cursor', cursor)
  return { link: `<${url.pathname}${url.search}>; rel="next"` }
}
