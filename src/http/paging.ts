import type { Context } from 'hono'
import * as z from 'zod'
import type { Page } from '../lib/paging.ts'

/** The parameter with the number of items of a page. */
export function pageLimit(max: number) {
  return z.coerce.number().int().min(1).max(max)
}

const cursorText = z.string().max(4096).optional()
/** The cursor of a list that gives the next one in the `Link` header. */
export const linkCursor = cursorText.describe('The cursor in the Link header of the previous page.')
/** The cursor of a list that gives the next one as `nextCursor`. */
export const nextCursor = cursorText.describe('The `nextCursor` of the previous page.')

/** The most items of an answer without `limit`, up to a page more; a Link header leads to the rest. */
const WHOLE_MAX = 100_000

type Slice<Item> = { readonly items: readonly Item[]; readonly next: string | null }

/** The page that the caller names, or the whole list where the caller names no limit: the specification has no pages. The
 * whole list is read in pages of `pageMax`, from `cursor` on, and ends with the page that reaches 100,000 items. */
export async function pageOrWhole<Item>(
  { limit, cursor }: { readonly [Name in keyof Page]?: Page[Name] | undefined },
  pageMax: number,
  readPage: (page: Page) => Promise<Slice<Item>>,
): Promise<Slice<Item>> {
  if (limit !== undefined) return readPage({ limit, cursor })
  const items: Item[] = []
  let page: Page = { limit: pageMax, cursor }
  for (;;) {
    const slice = await readPage(page)
    for (const item of slice.items) items.push(item)
    if (slice.next === null || items.length >= WHOLE_MAX) return { items, next: slice.next }
    page = { limit: pageMax, cursor: slice.next }
  }
}

/** The header that leads to the next page (RFC 8288), relative to this host; none after the last. */
export function nextLink(c: Context, cursor: string | null): Record<string, string> {
  if (cursor === null) return {}
  const url = new URL(c.req.url)
  // A session id does not belong in an answer.
  url.searchParams.delete('sessionId')
  url.searchParams.set('cursor', cursor)
  return { link: `<${url.pathname}${url.search}>; rel="next"` }
}
