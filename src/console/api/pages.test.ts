import { expect, test } from 'bun:test'

globalThis.document ??= { baseURI: 'http://localhost/ui/' } as unknown as Document
const { nextOf } = await import('./pages.ts')

test('the next page is in the Link header', () => {
  expect(nextOf('</audit?limit=2&cursor=NjU>; rel="next"')).toBe('/audit?limit=2&cursor=NjU')
  expect(nextOf('</audit?cursor=a>; rel="prev", </audit?cursor=b>; rel="next"')).toBe('/audit?cursor=b')
  expect(nextOf('</audit>; rel="first"')).toBeNull()
  expect(nextOf(null)).toBeNull()
})
