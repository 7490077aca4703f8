import { expect } from 'bun:test'

import type { Body } from './client.ts'
import { formOf, read, stageOf } from './runs-stage.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type Run = { readonly id: string; readonly state: string; readonly afterRun: readonly string[] }

const CSV = { name: 'orders.csv', type: 'text/csv', bytes: 'id\n1\n' }

const stage = once(async (client) => {
  const { scriptId, configurationId } = await stageOf(client)
  await good(
    client.request('PATCH', `/scripts/${scriptId}`, { json: { acceptedFiles: ['text/csv', 'text/plain'] } }),
  )
  const run = { kind: 'script', scriptId, runConfigurationId: configurationId }
  const widgets = {
    plain: run,
    files: { ...run, upload: { accept: ['text/csv'], maxFiles: 1 } },
    empty: { kind: 'script', scriptId: null },
    words: { kind: 'text', markdown: 'a' },
  }
  const parameters = [{ name: 'day', type: 'date', default: '2026-01-01' }]
  const boards = await Promise.all(
    [true, false].map(async (execute) => {
      const { id } = await good<Made>(
        client.request('POST', '/dashboards', {
          json: { name: 'Runs', definition: { widgets, parameters } },
        }),
      )
      const items = [{ subjectType: 'everyone', execute }]
      await good(client.request('PUT', `/dashboards/${id}/grants`, { json: { items } }))
      return id
    }),
  )
  return { board: boards[0] ?? 0, shown: boards[1] ?? 0, script: scriptId, configuration: configurationId }
})

const RUN = 'POST /dashboards/{board}/widgets/plain/run'
const VIEWER = { as: 'dashboard_viewer', json: {} } as const
const rows: readonly Row[] = [
  { title: 'a request without credentials', call: RUN, as: null, json: {}, answers: 'unauthenticated' },
  { title: 'unknown', call: 'POST /dashboards/999999/widgets/plain/run', json: {}, answers: 'not_found' },
  {
    title: 'without execute',
    call: 'POST /dashboards/{shown}/widgets/plain/run',
    ...VIEWER,
    answers: 'forbidden',
  },
  { title: 'unknown', call: 'POST /dashboards/{board}/widgets/none/run', ...VIEWER, answers: 'not_found' },
  { title: 'a text', call: 'POST /dashboards/{board}/widgets/words/run', ...VIEWER, answers: 'conflict' },
  { title: 'no script', call: 'POST /dashboards/{board}/widgets/empty/run', ...VIEWER, answers: 'no_runner' },
  {
    title: 'an unknown parameter',
    call: RUN,
    as: 'dashboard_viewer',
    json: { params: { 'an/other': 1 } },
    answers: 'invalid',
    pointers: ['/params/an~1other'],
  },
  {
    title: 'a value of another type',
    call: RUN,
    as: 'dashboard_viewer',
    json: { params: { day: 'Monday' } },
    answers: 'invalid',
    pointers: ['/params/day'],
  },
  {
    title: 'parameters of the script',
    call: RUN,
    json: { parameters: {} },
    answers: 'invalid',
    pointers: ['/parameters'],
  },
]

const scenarios: readonly Scenario[] = [
  {
    title: 'a viewer who may execute a dashboard runs the script of a widget, in the name of its last editor',
    decidedAbovePorts: 'runs of dashboards',
    async run(client) {
      const { scriptId: script, configurationId, runner } = await stageOf(client)
      const { id: board } = await good<Made>(
        client.request('POST', '/dashboards', {
          json: {
            name: 'Runs once',
            definition: {
              widgets: {
                plain: {
                  kind: 'script',
                  scriptId: script,
                  runConfigurationId: configurationId,
                  parameters: { day: '${day}', fixed: 7 },
                  afterRun: ['words'],
                },
              },
              parameters: [{ name: 'day', type: 'date', default: '2026-01-01' }],
            },
          },
        }),
      )
      const items = [{ subjectType: 'everyone', execute: true }]
      await good(client.request('PUT', `/dashboards/${board}/grants`, { json: { items } }))
      const run = await good<Run>(
        client.request('POST', `/dashboards/${board}/widgets/plain/run`, {
          as: 'dashboard_viewer',
          json: { params: { day: '2026-02-03' } },
          headers: { 'idempotency-key': 'first' },
        }),
      )
      expect(run).toMatchObject({ state: 'queued', afterRun: ['words'] })
      expect(await read(client, script, run.id)).toMatchObject({
        trigger: 'dashboard',
        userId: client.userIds.administrator,
      })
      const { assignment } = await runner.next()
      expect(assignment).toMatchObject({
        id: run.id,
        env: { SVC_PARAMETERS: '{"day":"2026-02-03","fixed":7}' },
      })
      const again = await client.request('POST', `/dashboards/${board}/widgets/plain/run`, {
        as: 'dashboard_viewer',
        json: { params: { day: '2026-02-03' } },
        headers: { 'idempotency-key': 'first' },
      })
      expect([again.status, again.body['id'], again.headers.get('idempotency-replayed')]).toEqual([
        202,
        run.id,
        'true',
      ])
      const { items: entries } = await good<{ items: Body[] }>(
        client.request('GET', `/audit?objectType=dashboard&action=run`),
      )
      expect(entries[0]).toMatchObject({
        userId: client.userIds.dashboard_viewer,
        objectId: String(board),
        after: { widget: 'plain', scriptId: script, rightsOf: client.userIds.administrator },
      })
      expectAnswer(
        await client.request('POST', `/scripts/${script}/run`, { as: 'dashboard_viewer', json: {} }),
        { answers: 'forbidden' },
      )
    },
  },
  {
    title: 'files come with a run if both the script and the widget take their type',
    decidedAbovePorts: 'runs of dashboards',
    async run(client) {
      const { board } = await stage(client)
      const sent = async (widget: string, parts: Parameters<typeof formOf>[0]) =>
        client.request('POST', `/dashboards/${board}/widgets/${widget}/run`, {
          as: 'dashboard_viewer',
          ...(await formOf(parts)),
        })
      expectAnswer(await sent('files', [['file', CSV]]), { answers: 202 })
      expectAnswer(await sent('files', [['params', '{"day":"2026-02-03"}']]), { answers: 202 })
      for (const [widget, parts, answers, pointers] of [
        [
          'files',
          [['file', { ...CSV, name: 'a.txt', type: 'text/plain' }]],
          'unsupported_media_type',
          undefined,
        ],
        [
          'files',
          [
            ['file', CSV],
            ['file', { ...CSV, name: 'b.csv' }],
          ],
          'invalid',
          ['/file'],
        ],
        ['plain', [['file', CSV]], 'invalid', ['/file']],
        ['files', [['other', 'x']], 'invalid', ['/other']],
        ['files', [['params', '{']], 'invalid', ['/params']],
      ] as const)
        expectAnswer(await sent(widget, parts), { answers, ...(pointers && { pointers }) })
    },
  },
]

export const dashboardsRunsSuite: Suite = {
  name: 'runs of dashboards',
  scenarios: [...table(stage, rows), ...scenarios],
}
