import { expect } from 'bun:test'

import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Made = { readonly id: number }
type Snapshot = Made & { readonly name: string; readonly data: { readonly widgets: Record<string, object> } }

const stage = once(async (client) => {
  const job = await makeJob(client, await makeDevice(client), {
    parameters: { returnValue: [{ valueName: 'level' }] },
  })
  const deliver = (value: number) =>
    good(
      client.request('POST', `/webcollector/jobs/${job}/values`, {
        json: { errorCode: 0, returnValue1: value },
      }),
    )
  await deliver(7)
  const widgets = {
    level: {
      kind: 'value',
      title: 'Level <b>',
      unit: 'm',
      source: { type: 'job', jobId: job },
      sparkline: 'PT1H',
    },
    past: { kind: 'history', series: [{ jobId: job }] },
    gone: { kind: 'value', source: { type: 'job', jobId: 999_999 } },
    words: { kind: 'text', markdown: 'a' },
  }
  const { id } = await good<Made>(
    client.request('POST', '/dashboards', { json: { name: 'Frozen', definition: { widgets } } }),
  )
  await good(
    client.request('PUT', `/dashboards/${id}/grants`, { json: { items: [{ subjectType: 'everyone' }] } }),
  )
  const recipientOf = async (json: object) =>
    (await good<Made>(client.request('POST', '/alarmrecipients', { json }))).id
  const target = { addresses: ['anna@example.org'] }
  const mailed = await recipientOf({ name: 'reports', type: 'email', target })
  const called = await recipientOf({
    name: 'calls',
    type: 'webhook',
    target: { url: 'https://example.org/' },
  })
  return { board: id, job, mailed, called }
})

const IMAGE = 'GET /dashboards/{board}/widgets/level/svg'
const MAIL = 'POST /dashboards/{board}/mail'
const MAILED = { recipientIds: [1] }
const rows: readonly Row[] = [
  { title: 'a request without credentials', call: IMAGE, as: null, answers: 'unauthenticated' },
  { title: 'unknown', call: 'GET /dashboards/{board}/widgets/none/svg', answers: 'not_found' },
  { title: 'a text', call: 'GET /dashboards/{board}/widgets/words/svg', answers: 'conflict' },
  { title: 'a source that is gone', call: 'GET /dashboards/{board}/widgets/gone/svg', answers: 'not_found' },
  ...(
    ['width=119', 'width=1601', 'height=79', 'height=1001', 'theme=blue', 'other=1', 'p.other=1'] as const
  ).map((query): Row => ({
    title: query,
    call: `${IMAGE}?${query}`,
    answers: 'invalid',
    pointers: [`?${query.split('=')[0] ?? ''}`],
  })),
  { title: 'the smallest', call: `${IMAGE}?width=120&height=80&theme=dark`, answers: 200 },
  { title: 'the largest', call: `${IMAGE}?width=1600&height=1000`, answers: 200 },
  {
    title: 'a request without credentials',
    call: 'POST /dashboards/{board}/snapshot',
    as: null,
    json: {},
    answers: 'unauthenticated',
  },
  { title: 'unknown', call: 'POST /dashboards/999999/snapshot', json: {}, answers: 'not_found' },
  {
    title: 'an unknown parameter',
    call: 'POST /dashboards/{board}/snapshot',
    json: { params: { other: 1 } },
    answers: 'invalid',
    pointers: ['/params/other'],
  },
  {
    title: 'a request without credentials',
    call: 'GET /dashboards/snapshots',
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'unknown', call: 'GET /dashboards/snapshots/999999', answers: 'not_found' },
  { title: 'unknown', call: 'DELETE /dashboards/snapshots/999999', answers: 'not_found' },
  {
    title: 'a request without credentials',
    call: 'GET /dashboards/schema',
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'a viewer', call: MAIL, as: 'dashboard_viewer', json: MAILED, answers: 'forbidden' },
  { title: 'unknown', call: 'POST /dashboards/999999/mail', json: MAILED, answers: 'not_found' },
  ...(
    [
      ['recipientIds', []],
      ['recipientIds', Array.from({ length: 11 }, (_, at) => at + 1)],
      ['recipientIds', [1, 1]],
      ['widgets', []],
      ['widgets', Array.from({ length: 21 }, (_, at) => `w${at}`)],
      ['subject', ' '],
      ['subject', 'x'.repeat(201)],
      ['width', 119],
      ['width', 1_601],
      ['height', 79],
      ['height', 1_001],
      ['theme', 'blue'],
    ] as const
  ).map(([field, value]): Row => ({
    title: `${field} ${JSON.stringify(value).slice(0, 20)}`,
    call: MAIL,
    json: { ...MAILED, [field]: value },
    answers: 'invalid',
    pointers: [`/${field}`],
  })),
]

const scenarios: readonly Scenario[] = [
  {
    title:
      'an image of a widget has its value, no script, and an ETag; the schema of definitions is a JSON Schema',
    decidedAbovePorts: 'frozen dashboards',
    async run(client) {
      const { board } = await stage(client)
      const path = `/dashboards/${board}/widgets/level/svg`
      const image = await client.request('GET', path, { as: 'dashboard_viewer' })
      expect(image.status).toBe(200)
      expect(image.headers.get('content-type')).toBe('image/svg+xml')
      expect(image.headers.get('content-security-policy')).toContain('sandbox')
      expect(image.text).toContain('aria-label="Level &lt;b&gt;: 7 m, ok"')
      const etag = image.headers.get('etag') ?? ''
      const same = await client.request('GET', path, {
        as: 'dashboard_viewer',
        headers: { 'if-none-match': etag },
      })
      expect(same.status).toBe(304)
      const schema = await good(client.request('GET', '/dashboards/schema'))
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $ref: '#/$defs/DashboardDefinitionBody',
        $defs: { DashboardDefinitionBody: { properties: { pages: { type: 'array' } } } },
      })
    },
  },
  {
    title: 'a mail has the answer of the mail server for each recipient',
    async run(client) {
      const { board, mailed, called } = await stage(client)
      const refused = [
        [{ recipientIds: [called, mailed, 999_999] }, '/recipientIds/0', '/recipientIds/2'],
        [{ recipientIds: [mailed], widgets: ['level', 'words'] }, '/widgets/1'],
        [{ recipientIds: [mailed], params: { other: 1 } }, '/params/other'],
      ] as const
      for (const [body, ...pointers] of refused) {
        const answer = await client.request('POST', `/dashboards/${board}/mail`, { json: body })
        expectAnswer(answer, { answers: 'invalid', pointers })
      }
      const json = {
        recipientIds: [mailed],
        widgets: ['level'],
        subject: 'x'.repeat(200),
        width: 1_600,
        height: 80,
      }
      expect(await good(client.request('POST', `/dashboards/${board}/mail`, { json }))).toEqual({
        items: [
          {
            recipientId: mailed,
            status: 'failed',
            detail: 'There is no mail server: set TIDEMARK_SMTP_URL.',
          },
        ],
      })
    },
  },
  {
    title: 'a snapshot keeps the data of its instant, for its maker and administrators alone',
    async run(client) {
      const { board, job } = await stage(client)
      const as = 'dashboard_viewer'
      const made = await client.request('POST', `/dashboards/${board}/snapshot`, {
        as,
        json: { name: 'March' },
      })
      expectAnswer(made, { answers: 201 })
      const path = `/dashboards/snapshots/${String(made.body['id'])}`
      expect(made.headers.get('location')).toEndWith(path)
      await good(
        client.request('POST', `/webcollector/jobs/${job}/values`, {
          json: { errorCode: 0, returnValue1: 9 },
        }),
      )
      const kept = await good<Snapshot>(client.request('GET', path, { as }))
      expect(kept).toMatchObject({
        name: 'March',
        dashboardId: board,
        data: { widgets: { level: { status: 200, data: { value: 7 } }, gone: { status: 404 } } },
      })
      expect((await client.request('GET', path)).status).toBe(200)
      for (const method of ['GET', 'DELETE'])
        expectAnswer(await client.request(method, path, { as: 'editor' }), { answers: 'not_found' })
      const listed = async (who: 'editor' | 'dashboard_viewer') =>
        (await good<{ items: Snapshot[] }>(client.request('GET', '/dashboards/snapshots', { as: who }))).items
      const isListed = async (who: 'editor' | 'dashboard_viewer') =>
        (await listed(who)).some(({ id }) => id === kept.id)
      expect(await isListed('editor')).toBe(false)
      expect(await isListed(as)).toBe(true)
      expectAnswer(await client.request('DELETE', path, { as }), { answers: 204 })
      expectAnswer(await client.request('GET', path, { as }), { answers: 'not_found' })
      const names = Array.from({ length: 8 }, (_, at) => `Snapshot ${at}`)
      const taken = await Promise.all(
        names.map((name) =>
          good<Snapshot>(client.request('POST', `/dashboards/${board}/snapshot`, { as, json: { name } })),
        ),
      )
      expect(taken.map(({ name }) => name)).toEqual(names)
      const all = new Map((await listed(as)).map(({ id, name }) => [id, name]))
      expect(taken.map(({ id }) => all.get(id))).toEqual(names)
    },
  },
]

export const dashboardsFrozenSuite: Suite = {
  name: 'frozen dashboards',
  scenarios: [...table(stage, rows), ...scenarios],
}
