import { expect } from 'bun:test'

import { bareStage, expectAnswer, good, table } from './suite.ts'
import type { Answer, Client } from './client.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { readUntil } from '../until.ts'

type Operation = { readonly id: string; readonly state: string; readonly resultUrl: string | null }

const BACKUP = { passphrase: 'a long passphrase', histories: false, files: false }
const UNKNOWN = '/operations/op_00000000000000000000000000'

const calls = [`GET ${UNKNOWN}`, `GET ${UNKNOWN}/result`, `DELETE ${UNKNOWN}`]

const rows: readonly Row[] = [
  ...calls.flatMap((call): Row[] => [
    { title: 'a request without credentials', call, as: null, answers: 'unauthenticated' },
    { title: 'what is not there', call, answers: 'not_found' },
    { title: 'what is not there', call, as: 'dashboard_viewer', answers: 'not_found' },
  ]),
  ...['op_1', 'x', 'op_0000000000000000000000000i'].map((id): Row => ({
    title: 'no id of an operation',
    call: `GET /operations/${id}`,
    answers: 'not_found',
  })),
  ...['PT60.001S', '5', 'PT-1S', 'P1M', ''].map((wait): Row => ({
    title: 'no wait',
    call: `POST /backups?wait=${wait}`,
    json: BACKUP,
    answers: 'invalid',
    pointers: ['?wait'],
  })),
]

/** Begins a backup that nobody waits for. */
async function begun(client: Client): Promise<Answer> {
  const answer = await client.request('POST', '/backups?wait=PT0S', { json: BACKUP })
  expectAnswer(answer, { answers: 202 })
  return answer
}

const ended = (client: Client, path: string): Promise<Operation> =>
  readUntil(
    () => good<Operation>(client.request('GET', path)),
    ({ state }) => state !== 'queued' && state !== 'running',
  )

const scenarios: Scenario[] = [
  {
    title: 'work that takes longer than its wait is an operation, whose result is that of the request',
    async run(client) {
      const answer = await begun(client)
      const path = answer.headers.get('location') ?? ''
      expect(path).toBe(`/operations/${String(answer.body['id'])}`)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(answer.body).toMatchObject({ kind: 'backup', subject: '/backups', resultUrl: null, error: null })
      const operation = await ended(client, path)
      expect(operation).toMatchObject({ state: 'succeeded', progress: 1, retryAfter: null })
      const backup = await good<{ id: number; url: string }>(client.request('GET', operation.resultUrl ?? ''))
      const [latest] = await good<readonly object[]>(client.request('GET', '/backups?limit=1'))
      expect(backup).toEqual(latest as typeof backup)
      await good(client.request('DELETE', backup.url))
    },
  },
  {
    title: 'work that ends within its wait, a minute at most, is answered as without one',
    async run(client) {
      for (const wait of ['PT1M', 'PT60S']) {
        const answer = await client.request('POST', `/backups?wait=${wait}`, { json: BACKUP })
        expectAnswer(answer, { answers: 201 })
        await good(client.request('DELETE', String(answer.body['url'])))
      }
    },
  },
  {
    title: 'the end of an operation stays through cancellations, and others do not see it',
    async run(client) {
      const path = (await begun(client)).headers.get('location') ?? ''
      const { state, resultUrl } = await ended(client, path)
      for (let count = 0; count < 2; count++)
        expectAnswer(await client.request('DELETE', path), { answers: 204 })
      expect(await good<Operation>(client.request('GET', path))).toMatchObject({ state, resultUrl })
      for (const [method, at] of [
        ['GET', path],
        ['GET', `${path}/result`],
        ['DELETE', path],
      ] as const)
        expectAnswer(await client.request(method, at, { as: 'editor' }), { answers: 'not_found' })
    },
  },
  {
    title: 'what an operation changes is on record with who asked, and from where',
    async run(client) {
      await ended(client, (await begun(client)).headers.get('location') ?? '')
      const { items } = await good<{ items: { username: string; address: string; action: string }[] }>(
        client.request('GET', '/audit?objectType=backup&action=create&limit=1'),
      )
      expect(items[0]).toMatchObject({ username: 'admin' })
      expect(items[0]?.address).toMatch(/^(?:::ffff:)?127\.0\.0\.1$|^::1$/)
    },
  },
]

export const operationsSuite: Suite = {
  name: 'operations',
  scenarios: [...table(bareStage, rows), ...scenarios],
}
