import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { expectAnswer } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

async function page(client: Client, path: string) {
  return client.request('GET', path, { as: null, headers: { accept: 'text/html' } })
}

const scenarios: readonly Scenario[] = [
  {
    title: 'a browser that opens the address of the service goes to the console, a program does not',
    async run(client) {
      const browser = await page(client, '/')
      expect([browser.status, browser.headers.get('location')]).toEqual([303, '/ui/'])
      expect(browser.headers.get('vary')).toContain('accept')
      const program = await client.request('GET', '/', { as: null, headers: { accept: 'application/json' } })
      expect([program.status, program.body['name']]).toEqual([200, 'Tidemark'])
    },
  },
  {
    title: 'each screen is the same page, which loads only files of this host and is framed by no other',
    async run(client) {
      for (const path of ['/ui/', '/ui/alarms?status=open', '/ui/job/4']) {
        const { status, headers, text } = await page(client, path)
        expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
        expect(headers.get('content-security-policy')).toBe(POLICY)
        expect(headers.get('cache-control')).toBe('no-cache')
        expect(text).toContain('<base href="/ui/" />')
        expect(text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=/)
      }
    },
  },
  {
    title: 'the reference of the API is a page of its own with the same policy, whose files are here',
    async run(client) {
      const { status, headers, text } = await page(client, '/docs')
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
      expect(headers.get('content-security-policy')).toBe(POLICY)
      expect(text).toContain('<title>API of Tidemark</title>')
      expect(text).toContain('<base href="/ui/" />')
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=|https?:/)
      const files = [...text.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path)
      expect(files.length).toBe(3)
      for (const path of files)
        expectAnswer(await client.request('GET', `/ui/${path}`, { as: null }), { answers: 200 })
      const program = await client.request('GET', '/', { as: null, headers: { accept: 'application/json' } })
      expect(program.body['links']).toMatchObject({ docs: '/docs' })
    },
  },
  {
    title: 'the page is confirmed by its ETag, and its files never change',
    async run(client) {
      const { text, headers } = await page(client, '/ui/')
      const etag = headers.get('etag') ?? ''
      const again = await client.request('GET', '/ui/', { as: null, headers: { 'if-none-match': etag } })
      expect(again.status).toBe(304)
      const files = [...text.matchAll(/(?:href|src)="\.\/((?:assets)\/[^"]+)"/g)].map(([, path]) => path)
      expect(files.length).toBeGreaterThan(2)
      for (const path of files) {
        const file = await client.request('GET', `/ui/${path}`, { as: null })
        expect([path, file.status]).toEqual([path, 200])
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      }
    },
  },
  {
    title: 'files are sent in gzip to callers that take it',
    async run(client) {
      const { text } = await page(client, '/ui/')
      const [, path = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(text) ?? []
      const ask = async (coding: string) =>
        client.request('GET', `/ui/${path}`, { as: null, headers: { 'accept-encoding': coding } })
      const whole = await ask('identity')
      expect(whole.headers.get('content-encoding')).toBeNull()
      for (const coding of ['gzip', 'deflate, gzip;q=0.5, br;q=0']) {
        const packed = await ask(coding)
        expect([coding, packed.headers.get('content-encoding')]).toEqual([coding, 'gzip'])
        expect(packed.text).toBe(whole.text)
      }
      expect((await ask('gzip;q=0, identity')).headers.get('content-encoding')).toBeNull()
    },
  },
  {
    title: 'no path leads out of the files of the console',
    async run(client) {
      for (const path of [
        'assets/none.js',
        'assets/..%2f..%2fpackage.json',
        'assets/..%2findex.html',
        'assets/',
      ])
        expectAnswer(await client.request('GET', `/ui/${path}`, { as: null }), { answers: 'not_found' })
      expectAnswer(await client.request('POST', '/ui/', { as: null }), { answers: 'method_not_allowed' })
    },
  },
  {
    title:
      'a script of a page is challenged for a bearer token: a browser answers Basic with a dialog of its own',
    async run(client) {
      const ask = (headers: Readonly<Record<string, string>>) =>
        client.request('GET', '/jobs', { as: null, headers })
      const challenge = 'www-authenticate'
      for (const mode of ['cors', 'same-origin'])
        expect((await ask({ 'sec-fetch-mode': mode })).headers.get(challenge)).toBe('Bearer realm="Tidemark"')
      for (const headers of [{}, { 'sec-fetch-mode': 'navigate' }])
        expect((await ask(headers)).headers.get(challenge)).toStartWith('Basic')
    },
  },
]

export const consoleSuite: Suite = { name: 'console', scenarios }
