import { expect } from 'bun:test'

import { deliver } from './matrix/world.ts'
import { createDevice, createGroup, createJob, nextOf } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Page = {
  readonly days: number
  readonly children: readonly { readonly id: number; readonly name: string }[]
  readonly page: string
  readonly badge: string
}

const NAME = `<b>Shop</b> & "Co" 'x'`

const stage = once(async (client) => {
  const group = await createGroup(client, 1, { name: NAME })
  const device = await createDevice(client, group, { name: 'secret device' })
  const job = await createJob(client, device, {
    name: 'checkout',
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
  })
  const beside = await createGroup(client, 1, { name: 'beside' })
  const hidden = await createGroup(client, group, { name: 'unselected' })
  const bare = await createGroup(client, group, { name: 'bare' })
  return { group, device, job, beside, hidden, bare, unknown: 'x'.repeat(43) }
})

const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1_000_000)

const refusals = table(stage, [
  {
    title: 'a request without credentials',
    call: 'PUT /group/{group}/status-page',
    as: null,
    json: {},
    answers: 'unauthenticated',
  },
  { title: 'a collector', call: 'GET /group/{group}/status-page', as: 'collector', answers: 'forbidden' },
  { title: 'none yet', call: 'GET /group/{bare}/status-page', answers: 'not_found' },
  { title: 'none to move', call: 'POST /group/{bare}/status-page/move', answers: 'not_found' },
  { title: 'none to take away', call: 'DELETE /group/{bare}/status-page', answers: 'not_found' },
  { title: 'the wrong type', call: 'PUT /device/{group}/status-page', json: {}, answers: 'not_found' },
  ...[0, 91, 1.5].map((days) => ({
    title: `${days} days`,
    call: 'PUT /group/{group}/status-page',
    json: { days },
    answers: 'invalid' as const,
    pointers: ['/days'],
  })),
  ...[1, 90].map((days) => ({
    title: `${days} days`,
    call: 'PUT /group/{group}/status-page',
    json: { days },
    answers: 200,
  })),
  {
    title: 'the maximum number of components, which are unknown',
    call: 'PUT /group/{group}/status-page',
    json: { children: ids(50) },
    answers: 'not_found',
    pointers: ['/children/0'],
  },
  {
    title: 'a component too many',
    call: 'PUT /group/{group}/status-page',
    json: { children: ids(51) },
    answers: 'invalid',
    pointers: ['/children'],
  },
  {
    title: 'a component twice',
    call: 'PUT /group/{group}/status-page',
    json: { children: [7, 8, 7] },
    answers: 'invalid',
    pointers: ['/children/2'],
  },
  {
    title: 'an object that is not below it',
    call: 'PUT /group/{bare}/status-page',
    json: { children: [1] },
    answers: 'invalid',
    pointers: ['/children/0'],
  },
  { title: 'a collector who lists', call: 'GET /status-pages', as: 'collector', answers: 'forbidden' },
  ...[1, 200].map((limit) => ({
    title: `a list of ${limit}`,
    call: `GET /status-pages?limit=${limit}`,
    answers: 200,
  })),
  ...[0, 201].map((limit) => ({
    title: `a list of ${limit}`,
    call: `GET /status-pages?limit=${limit}`,
    answers: 'invalid' as const,
    pointers: ['?limit'],
  })),
  {
    title: 'a cursor of another list',
    call: 'GET /status-pages?cursor=eA',
    answers: 'invalid',
    pointers: ['?cursor'],
  },
  { title: 'an unknown page', call: 'GET /status/{unknown}', as: null, answers: 'not_found' },
  { title: 'an unknown badge', call: 'GET /badges/{unknown}', as: null, answers: 'not_found' },
  { title: 'a long token', call: `GET /status/${'x'.repeat(65)}`, as: null, answers: 'not_found' },
  {
    title: 'an unknown badge',
    call: 'GET /badges/{unknown}?show=name',
    as: null,
    answers: 'invalid',
    pointers: ['?show'],
  },
])

type Listed = { readonly object: { readonly id: number } }

const show = (client: Parameters<Scenario['run']>[0], id: number, json: object = {}) =>
  good<Page>(client.request('PUT', `/group/${id}/status-page`, { json, as: 'editor' }))

const scenarios: Scenario[] = [
  {
    title: 'a page shows an object and the chosen components, escaped, in three languages, and nothing else',
    async run(client) {
      const { group, job } = await stage(client)
      await deliver(client, job, 99)
      const shown = await show(client, group, { days: 7, children: [job] })
      expect(shown.children).toMatchObject([{ id: job, name: 'checkout' }])
      const english = await client.request('GET', shown.page, { as: null })
      expect(english.status).toBe(200)
      expect(english.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(english.text).toContain('<html lang="en">')
      expect(english.text).toContain('&lt;b&gt;Shop&lt;/b&gt; &amp; &quot;Co&quot; &#39;x&#39;')
      expect(english.text).toContain('checkout: <strong class="bad">Major outage</strong>')
      expect(english.text.match(/<li class="\w+"><time/g)).toHaveLength(7)
      for (const other of ['secret device', 'unselected', '<b>', '<script', `/${job}`, `"${group}"`, 'load'])
        expect(english.text).not.toContain(other)
      const german = await client.request('GET', shown.page, {
        as: null,
        headers: { 'accept-language': 'it, de-CH;q=0.9, en;q=0.8' },
      })
      expect(german.text).toContain('Schwere Störung')
      expect([german.headers.get('content-language'), german.headers.get('vary')]).toEqual([
        'de',
        'Accept-Language',
      ])
      const french = await client.request('GET', shown.page, {
        as: null,
        headers: { 'accept-language': 'fr' },
      })
      expect(french.text).toContain('Panne majeure')
      const again = await show(client, group, { days: 7 })
      expect(again.page).toBe(shown.page)
      expect((await client.request('GET', again.page, { as: null })).text).not.toContain('checkout')
    },
  },
  {
    title: 'a list has all pages with their addresses, by object, in pages of the size asked for',
    async run(client) {
      const parent = await createGroup(client, 1, { name: 'listed' })
      const group = await createGroup(client, parent, { name: 'own' })
      const device = await createDevice(client, group, { name: 'below' })
      const { children: _, ...shown } = await show(client, group, { title: 'Ours', children: [device] })
      await good(client.request('PUT', `/device/${device}/status-page`, { json: {} }))
      const listed = async () => {
        const found: Listed[] = []
        for (let next: string | null = '/status-pages?limit=2'; next !== null;) {
          const answer = await client.request('GET', next, { as: 'editor' })
          const items = answer.body['items'] as Listed[]
          expect(items.length).toBeLessThanOrEqual(2)
          found.push(...items)
          next = nextOf(answer)
        }
        return found
      }
      const all = await listed()
      expect(await good(client.request('GET', '/status-pages', { as: 'editor' }))).toEqual({ items: all })
      const listedIds = all.map(({ object }) => object.id)
      expect(listedIds).toEqual([...new Set(listedIds)].toSorted((a, b) => a - b))
      expect(all.slice(-2)).toMatchObject([
        { object: { id: group, type: 'group', name: 'own', state: 'undefined' }, components: 1, ...shown },
        { object: { id: device, type: 'device', name: 'below' }, components: 0, title: null },
      ])
      await good(client.request('DELETE', `/groups/${parent}?recursive=true`))
      expect(await listed()).toEqual(all.slice(0, -2))
    },
  },
  {
    title: 'a page loads and runs nothing, and its only style is the one in its policy',
    async run(client) {
      const { group } = await stage(client)
      const { page } = await show(client, group)
      const { headers, text } = await client.request('GET', page, { as: null })
      const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? []
      const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
      expect(headers.get('content-security-policy')).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      expect(text).not.toMatch(
        /<(?:script|link|img|iframe|form|object)|\son\w+=|style="|javascript:|https?:/i,
      )
    },
  },
  {
    title: 'a badge shows the state or the availability, and can be embedded by other sites',
    async run(client) {
      const { group, job } = await stage(client)
      const { badge } = await show(client, group, { children: [job] })
      const state = await client.request('GET', badge, { as: null })
      expect(state.headers.get('content-type')).toBe('image/svg+xml')
      expect(state.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(state.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(state.text).toContain('Major outage')
      expect(state.text).toContain('&lt;b&gt;Shop')
      expect(state.text).not.toMatch(
        /<(?:script|style|image|a|use)|checkout|https?:(?!\/\/www\.w3\.org\/2000\/svg)/,
      )
      const share = await client.request('GET', `${badge}?show=availability`, { as: null })
      expect(share.text).toMatch(/\d+\.\d\d %/)
    },
  },
  {
    title: 'an unchanged page is not sent again',
    async run(client) {
      const { group } = await stage(client)
      const { page, badge } = await show(client, group)
      for (const path of [page, badge]) {
        const first = await client.request('GET', `${path}?utm_source=mail`, { as: null })
        expect(first.status).toBe(200)
        const tag = first.headers.get('etag') ?? ''
        expect(tag).toMatch(/^"[\w-]+"$/)
        const same = await client.request('GET', path, { as: null, headers: { 'if-none-match': tag } })
        expect([same.status, same.text]).toEqual([304, ''])
        for (const name of ['cache-control', 'content-security-policy', 'cross-origin-resource-policy'])
          expect([name, same.headers.get(name)]).toEqual([name, first.headers.get(name)])
      }
    },
  },
  {
    title:
      'the addresses have 256 bits each and are independent; after a move or a deletion they lead nowhere',
    async run(client) {
      const { group } = await stage(client)
      const first = await show(client, group)
      const tokenOf = (path: string) => path.split('/').at(-1) ?? ''
      expect([first.page, first.badge].map((path) => tokenOf(path).length)).toEqual([43, 43])
      expect(tokenOf(first.page)).not.toBe(tokenOf(first.badge))
      expect((await client.request('GET', `/status/${tokenOf(first.badge)}`, { as: null })).status).toBe(404)
      expect((await client.request('GET', `/badges/${tokenOf(first.page)}`, { as: null })).status).toBe(404)
      const moved = await good<Page>(client.request('POST', `/group/${group}/status-page/move`))
      expect(await good<Page>(client.request('GET', `/group/${group}/status-page`))).toEqual(moved)
      expect([moved.page, moved.badge]).not.toContain(first.page)
      expect((await client.request('GET', moved.page, { as: null })).status).toBe(200)
      const gone = await client.request('DELETE', `/group/${group}/status-page`)
      expect(gone.status).toBe(204)
      const answers = await Promise.all(
        [first.page, first.badge, moved.page, moved.badge, `/status/${'x'.repeat(43)}`].map((path) =>
          client.request('GET', path, { as: null }),
        ),
      )
      const seen = answers.map(({ status, body }) => ({ status, body: { ...body, requestId: '' } }))
      expect(seen[0]?.status).toBe(404)
      expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
    },
  },
  {
    title: 'a page and its badge have their own title, or the name of the object',
    async run(client) {
      const { bare } = await stage(client)
      const named = await show(client, bare, { title: 'Our <shop>' })
      expect(named).toMatchObject({ title: 'Our <shop>' })
      const texts = (page: Page) =>
        Promise.all(
          [page.page, page.badge].map(async (path) => (await client.request('GET', path, { as: null })).text),
        )
      for (const text of await texts(named)) {
        expect(text).toContain('Our &lt;shop&gt;')
        expect(text).not.toContain('bare')
      }
      const plain = await show(client, bare)
      expect(plain).toMatchObject({ title: null })
      for (const text of await texts(plain)) expect(text).toContain('bare')
      expect((await client.request('DELETE', `/group/${bare}/status-page`)).status).toBe(204)
    },
  },
  {
    title: 'a component that has left the object is not on its page, unless it is linked to it',
    async run(client) {
      const { group, device, beside } = await stage(client)
      const [leaves, linked] = [
        await createJob(client, device, { name: 'leaves' }),
        await createJob(client, device, { name: 'linked' }),
      ]
      const slo = await good<{ id: number }>(
        client.request('POST', `/slos?parentType=group&parentId=${group}`, { json: { name: 'service' } }),
      )
      await good(
        client.request('PUT', `/slo/${slo.id}/children`, { json: { items: [{ type: 'job', id: linked }] } }),
      )
      const ownPage = await show(client, group, { children: [leaves, linked] })
      const sloPage = await good<Page>(
        client.request('PUT', `/slo/${slo.id}/status-page`, { json: { children: [linked] } }),
      )
      const elsewhere = await createDevice(client, beside, { name: 'elsewhere' })
      for (const id of [leaves, linked]) {
        const job = await good<object>(client.request('GET', `/jobs/${id}`))
        await good(client.request('PUT', `/jobs/${id}`, { json: { ...job, deviceId: elsewhere } }))
      }
      expect(await good<Page>(client.request('GET', `/group/${group}/status-page`))).toMatchObject({
        children: [],
      })
      const page = await client.request('GET', ownPage.page, { as: null })
      expect([page.status, page.text.includes('leaves'), page.text.includes('linked')]).toEqual([
        200,
        false,
        false,
      ])
      expect((await client.request('GET', sloPage.page, { as: null })).text).toContain('linked')
    },
  },
  {
    title: 'a deleted object takes its page along, and a deleted component leaves the pages of others',
    async run(client) {
      const { group, hidden } = await stage(client)
      const own = await show(client, hidden)
      const above = await show(client, group, { children: [hidden] })
      expect(above.children).toHaveLength(1)
      expect((await client.request('DELETE', `/groups/${hidden}`)).status).toBe(204)
      expect((await client.request('GET', `/group/${hidden}/status-page`)).status).toBe(404)
      const after = await good<Page>(client.request('GET', `/group/${group}/status-page`))
      expect(after.children).toEqual([])
      expect(own.page).not.toBe(above.page)
    },
  },
]

export const statusPagesSuite: Suite = { name: 'status pages', scenarios: [...refusals, ...scenarios] }
