import { expect } from 'bun:test'

import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Made = { readonly id: number }
type Snapshot = Made & { readonly data: { readonly widgets: Record<string, object> } }

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
  return { board: id, job }
})

const IMAGE = 'GET /dashboards/{board}/widgets/level/svg'
const rows: readonly Row[] = [
  { title: 'nobody', call: IMAGE, as: null, answers: 'unauthenticated' },
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
    title: 'nobody',
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
  { title: 'nobody', call: 'GET /dashboards/snapshots', as: null, answers: 'unauthenticated' },
  { title: 'unknown', call: 'GET /dashboards/snapshots/999999', answers: 'not_found' },
  { title: 'unknown', call: 'DELETE /dashboards/snapshots/999999', answers: 'not_found' },
  { title: 'nobody', call: 'GET /dashboards/schema', as: null, answers: 'unauthenticated' },
]

const scenarios: readonly Scenario[] = [
  {
    title:
      'an image of a widget has its value, no script, and an ETag; the schema of definitions is a JSON Schema',
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
        (await good<{ items: Made[] }>(client.request('GET', '/dashboards/snapshots', { as: who }))).items
      expect((await listed('editor')).length).toBe(0)
      expect((await listed(as)).map(({ id }) => id)).toEqual([kept.id])
      expectAnswer(await client.request('DELETE', path, { as }), { answers: 204 })
      expectAnswer(await client.request('GET', path, { as }), { answers: 'not_found' })
    },
  },
]

export const dashboardsFrozenSuite: Suite = {
  name: 'frozen dashboards',
  scenarios: [...table(stage, rows), ...scenarios],
}
