import type { Page } from 'playwright-core'

const FIRST_COPY_ID = 1_000_000

type Row = { readonly id?: number }
type List = readonly Row[] | { readonly items: readonly Row[] }

/** Repeats the first row of the lists that the page reads from a URL until a list is as long as its request allows. */
export async function lengthen(page: Page, url: RegExp): Promise<void> {
  await page.route(url, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as List
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
    const [first] = 'items' in body ? body.items : body
    const copies = Array.from({ length: limit - 1 }, (_, at) => ({ ...first, id: FIRST_COPY_ID + at }))
    const rows = [first, ...copies]
    await route.fulfill({ response: answer, json: 'items' in body ? { ...body, items: rows } : rows })
  })
}
