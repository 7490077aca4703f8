import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { connect } from '../api/client.ts'
import type { Body, Client } from '../api/client.ts'
import { expectAnswer, good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'

const START_MAX_MS = 180_000
const RUN_MAX_MS = 180_000

type Made = { readonly id: number }

describe.each(HOSTS_BY_HAND)('dashboards of %s', (_, start) => {
  let hand: HostByHand
  let client: Client

  beforeAll(async () => {
    hand = await start()
    client = await connect(hand.host)
  }, START_MAX_MS)
  afterAll(() => hand.host.close())

  const makeBoard = (name: string) => {
    const widgets = { text: { kind: 'text', markdown: 'x' }, script: { kind: 'script', scriptId: null } }
    return good<Made>(
      client.request('POST', '/dashboards', { json: { name, definition: { widgets } }, as: 'editor' }),
    )
  }

  test(
    'unknown, unreadable and invalid dashboards are one refusal, and writers repair an invalid one',
    async () => {
      const [{ id: secret }, { id: broken }] = [await makeBoard('Secret'), await makeBoard('Broken')]
      const json = { items: [{ subjectType: 'everyone', write: true, execute: true }] }
      await good(client.request('PUT', `/dashboards/${broken}/grants`, { json }))
      await hand.meddle(`update dashboards set definition = '{"schemaVersion":99}' where id = ${broken}`)
      const calls = [
        ['GET', ''],
        ['GET', '?raw=true'],
        ['GET', '/nested'],
        ['GET', '/data'],
        ['POST', '/data', {}],
        ['GET', '/widgets/text/svg'],
        ['POST', '/widgets/script/run', {}],
        ['POST', '/snapshot', {}],
      ] as const
      for (const [method, path, body] of calls) {
        const answers = await Promise.all(
          [999_999, secret, broken].map((id) =>
            client.request(method, `/dashboards/${id}${path}`, {
              as: 'dashboard_viewer',
              ...(body && { json: body }),
            }),
          ),
        )
        for (const { status, code } of answers.map(({ body: problem }) => problem))
          expect([status, code], path).toEqual([404, 'not_found'])
        const texts = answers.map(({ body: problem }) => JSON.stringify({ ...problem, requestId: '' }))
        expect(new Set(texts).size, path).toBe(1)
      }
      const path = `/dashboards/${broken}`
      expectAnswer(await client.request('GET', path, { as: 'editor' }), { answers: 'not_found' })
      const raw = await good<Body>(client.request('GET', `${path}?raw=true`, { as: 'editor' }))
      expect(raw).toMatchObject({
        valid: false,
        problems: [{ pointer: '/definition', code: 'unreadable' }],
      })
      const put = { json: { name: 'Broken', version: raw['version'], definition: {} }, as: 'editor' } as const
      expect(await good(client.request('PUT', path, put))).toMatchObject({ valid: true, problems: [] })
      expectAnswer(await client.request('GET', path, { as: 'dashboard_viewer' }), { answers: 200 })
    },
    RUN_MAX_MS,
  )
})
