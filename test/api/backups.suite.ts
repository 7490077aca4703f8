import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { createGroup } from './objects.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const PASSPHRASE = 'kept by ä operator'
const HEADERS = {
  'x-backup-passphrase': encodeURIComponent(PASSPHRASE),
  'content-type': 'application/gzip',
}

/** Small, however many jobs other suites have made. */
const CONFIGURATION = { passphrase: PASSPHRASE, histories: false, files: false }

const stage = once(async (client: Client) => {
  const { id: backup } = await good<{ id: number }>(
    client.request('POST', '/backups', { json: CONFIGURATION }),
  )
  return { backup }
})

const CALLS = [
  'GET /backups',
  'POST /backups',
  'GET /backups/{backup}',
  'DELETE /backups/{backup}',
  'POST /backups/{backup}/restore',
  'POST /backups/restore',
]
const RESTORE = 'POST /backups/{backup}/restore'
const body = { passphrase: PASSPHRASE }

const refusals: readonly Row[] = [
  ...CALLS.map((call): Row => ({
    title: 'a request without credentials',
    call,
    as: null,
    answers: 'unauthenticated',
  })),
  ...(['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).flatMap((as) =>
    CALLS.map((call): Row => ({ title: as, call, as, answers: 'forbidden' })),
  ),
  { title: 'no page', call: 'GET /backups?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'GET /backups?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /backups?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  { title: 'a foreign cursor', call: 'GET /backups?cursor=x', answers: 'invalid', pointers: ['?cursor'] },
  { title: 'none', call: 'GET /backups/999999', answers: 'not_found' },
  { title: 'none', call: 'DELETE /backups/999999', answers: 'not_found' },
  { title: 'none', call: 'POST /backups/999999/restore', json: body, answers: 'not_found' },
  ...['x'.repeat(11), 'x'.repeat(257), 1].map((passphrase): Row => ({
    title: 'no passphrase',
    call: 'POST /backups',
    json: { passphrase },
    answers: 'invalid',
    pointers: ['/passphrase'],
  })),
  { title: 'no passphrase', call: 'POST /backups', json: {}, answers: 'invalid', pointers: ['/passphrase'] },
  {
    title: 'unknown fields',
    call: 'POST /backups',
    json: { ...body, history: true },
    answers: 'invalid',
    pointers: ['/history'],
  },
  {
    title: 'another passphrase',
    call: RESTORE,
    json: { passphrase: `${PASSPHRASE}!`, dryRun: true },
    answers: 'invalid',
    pointers: ['/passphrase'],
  },
  {
    title: 'no objects',
    call: RESTORE,
    json: { ...body, objects: [] },
    answers: 'invalid',
    pointers: ['/objects'],
  },
  {
    title: 'the most objects, of which the backup has none',
    call: RESTORE,
    json: { ...body, objects: Array.from({ length: 1_000 }, (_, index) => 900_000 + index) },
    answers: 'invalid',
    pointers: Array.from({ length: 1_000 }, (_, index) => `/objects/${index}`),
  },
  {
    title: 'more objects',
    call: RESTORE,
    json: { ...body, objects: Array.from({ length: 1_001 }, (_, index) => 900_000 + index) },
    answers: 'invalid',
    pointers: ['/objects'],
  },
  { title: 'what is there', call: RESTORE, json: body, answers: 'not_empty' },
  {
    title: 'objects that exist',
    call: RESTORE,
    json: { ...body, objects: [1] },
    answers: 'conflict',
  },
  { title: 'nothing', call: 'POST /backups/restore', headers: HEADERS, answers: 'bad_request' },
  { title: 'no archive', call: 'POST /backups/restore', text: 'x', headers: HEADERS, answers: 'bad_request' },
  {
    title: 'no passphrase',
    call: 'POST /backups/restore',
    text: 'x',
    answers: 'invalid',
    pointers: ['x-backup-passphrase'],
  },
  {
    title: 'a passphrase that is not encoded',
    call: 'POST /backups/restore',
    text: 'x',
    headers: { 'x-backup-passphrase': '%%%%%%%%%%%%%' },
    answers: 'invalid',
    pointers: ['x-backup-passphrase'],
  },
  { title: 'no flag', call: 'POST /backups/restore?dryRun=1', answers: 'invalid', pointers: ['?dryRun'] },
]

const scenarios: Scenario[] = [
  {
    title: 'a backup is listed, read whole and in parts, looked into, and deleted',
    async run(client) {
      const made = await client.request('POST', '/backups', { json: { ...CONFIGURATION, files: true } })
      expectAnswer(made, { answers: 201 })
      const { url, size, digest } = made.body as { url: string; size: number; digest: string }
      expect(made.headers.get('location')).toBe(url)
      const listed = (await good(client.request('GET', '/backups?limit=1'))) as unknown as unknown[]
      expect(listed).toEqual([made.body])
      const whole = await client.request('GET', url)
      expect([whole.status, whole.bytes.byteLength]).toEqual([200, size])
      const part = await client.request('GET', url, { headers: { range: 'bytes=0-9' } })
      expect([part.status, part.bytes]).toEqual([206, whole.bytes.slice(0, 10)])
      const headers = { 'if-none-match': `"${digest}"` }
      expect((await client.request('GET', url, { headers })).status).toBe(304)
      const json = { ...body, dryRun: true }
      const kept = await good(client.request('POST', `${url}/restore`, { json }))
      const bytes = new Uint8Array(whole.bytes)
      const sent = await good(
        client.request('POST', '/backups/restore?dryRun=true', { bytes, headers: HEADERS }),
      )
      expect(sent).toEqual(kept)
      expect(kept).toMatchObject({ restored: false, histories: false, files: true, jobs: 0 })
      await good(client.request('DELETE', url))
      expectAnswer(await client.request('GET', url), { answers: 'not_found' })
    },
  },
  {
    title: 'pages of backups lead on to the next, each once',
    async run(client) {
      await good(client.request('POST', '/backups', { json: CONFIGURATION }))
      const all = (await good(client.request('GET', '/backups'))) as unknown as { id: number }[]
      const first = await client.request('GET', '/backups?limit=1')
      const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
      const second = (await good(client.request('GET', next))) as unknown as { id: number }[]
      expect([...(first.body as unknown as { id: number }[]), ...second].map(({ id }) => id)).toEqual(
        all.slice(0, 2).map(({ id }) => id),
      )
    },
  },
  {
    title: 'a group that was deleted comes back under its number, and with its name in the record',
    async run(client) {
      const id = await createGroup(client, 1, { name: 'comes back' })
      const { url } = await good<{ url: string }>(client.request('POST', '/backups', { json: CONFIGURATION }))
      await good(client.request('DELETE', `/groups/${id}`))
      const bare = await client.request('POST', `${url}/restore`, { json: { ...body, objects: [id] } })
      expectAnswer(bare, { answers: 'conflict' })
      const json = { ...body, objects: [id], withoutHistories: true }
      const { objects, restored } = await good(client.request('POST', `${url}/restore`, { json }))
      expect([restored, objects]).toEqual([true, [{ id, type: 'group', name: 'comes back' }]])
      expect(await good(client.request('GET', `/groups/${id}`))).toMatchObject({ name: 'comes back' })
    },
  },
]

export const backupsSuite: Suite = { name: 'backups', scenarios: [...table(stage, refusals), ...scenarios] }
