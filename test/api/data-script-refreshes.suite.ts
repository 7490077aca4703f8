import { expect } from 'bun:test'

import { must } from '../runs/fake-runner.ts'
import type { Client } from './client.ts'
import { read, stageOf } from './runs-stage.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type State = { readonly failures: number; readonly isRefreshing: boolean; readonly errorCode: string | null }
type Refresh = { readonly state: State; readonly error: { readonly detail: string } | null }
type Held = Awaited<ReturnType<Awaited<ReturnType<typeof stageOf>>['begun']>>

const CSV = 'id,qty,other\r\n007,1,x\r\n008,2.5,y\r\n'
const COLUMNS = [
  { name: 'id', type: 'string' },
  { source: 'qty', name: 'amount', type: 'number' },
]

let made = 0

const makeFiles = async (client: Client): Promise<number> => {
  const json = { name: `outputs ${++made}`, type: 'csv' }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

/** A table whose rows come from a script with a runner of its own. */
async function stageOfTable(client: Client) {
  const stage = await stageOf(client)
  const id = await makeFiles(client)
  const path = `/dataSources/${id}/tables/orders`
  const from = {
    kind: 'script',
    scriptId: stage.scriptId,
    runConfigurationId: stage.configurationId,
    output: 'orders.csv',
    columns: COLUMNS,
  }
  expectAnswer(await client.request('PUT', `${path}/refresh`, { json: { from } }), { answers: 201 })
  return {
    ...stage,
    id,
    path,
    from,
    refresh: (query = '') => client.request('POST', `${path}/refresh${query}`),
    /** The run of a refresh that has begun. */
    held: async (): Promise<Held> => {
      const held = await stage.runner.next()
      await held.begin()
      return held
    },
    state: () => good<Refresh>(client.request('GET', `${path}/refresh`)),
    rows: async () => {
      const json = { orderBy: [{ column: 'id' }] }
      return (await good<{ rows: unknown[] }>(client.request('POST', `${path}/select`, { json }))).rows
    },
  }
}

async function leave(held: Held, name: string, text: string): Promise<void> {
  await must(held.say('PUT', `outputs/${name}`, { bytes: new TextEncoder().encode(text) }))
  await must(held.finish())
}

const stage = once(async (client) => {
  const { id, scriptId, configurationId } = await stageOfTable(client)
  return { source: id, script: scriptId, configuration: configurationId }
})

const wrong = (title: string, change: object, ...pointers: string[]): Row => ({
  title: `a refresh by a script with ${title}`,
  call: 'PUT /dataSources/{source}/tables/wrong/refresh',
  json: {
    from: { kind: 'script', scriptId: 1, output: 'a.csv', columns: COLUMNS, ...change },
  },
  answers: 'invalid',
  pointers,
})
const named = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `c${at}`, type: 'string' }))

const rows: readonly Row[] = [
  wrong('an unknown script', { scriptId: 999_999 }, '/from/scriptId'),
  wrong('no columns', { columns: [] }, '/from/columns'),
  wrong('101 columns', { columns: named(101) }, '/from/columns'),
  wrong('a column of bytes', { columns: [{ name: 'a', type: 'binary' }] }, '/from/columns/0/type'),
  wrong('a file of another kind', { file: { kind: 'rows' } }, '/from/file/kind'),
  wrong('no file', { output: '' }, '/from/output'),
]

const scenarios: Scenario[] = [
  {
    title: 'a file or a configuration that cannot fill a table is refused',
    async run(client) {
      const { source, script } = await stage(client)
      const from = { kind: 'script', scriptId: script, output: 'a.csv', columns: COLUMNS }
      const put = (change: object) =>
        client.request('PUT', `/dataSources/${source}/tables/wrong/refresh`, {
          json: { from: { ...from, ...change } },
        })
      const cases = [
        [{ runConfigurationId: 999_999 }, '/from/runConfigurationId'],
        [{ output: '../a.csv' }, '/from/output'],
        [{ columns: [COLUMNS[0], COLUMNS[0]] }, '/from/columns/1/name'],
      ] as const
      for (const [change, pointer] of cases)
        expectAnswer(await put(change), { answers: 'invalid', pointers: [pointer] })
      expectAnswer(await put({ columns: named(100) }), { answers: 201 })
    },
  },
  {
    title: 'a table has the rows of the file that a run left; they stay when a run or its file fails',
    async run(client) {
      const { scriptId, refresh, held, state, rows: rowsOf, path } = await stageOfTable(client)
      expect(await rowsOf()).toEqual([])
      const good1 = refresh()
      const run = await held()
      expect(await read(client, scriptId, run.id)).toMatchObject({ trigger: 'dataSource', state: 'running' })
      await leave(run, 'orders.csv', CSV)
      expect(await good(good1)).toEqual({ table: 'orders', rows: 2 })
      const before = [
        ['007', 1],
        ['008', 2.5],
      ]
      expect(await rowsOf()).toEqual(before)
      const failing: readonly [end: (one: Held) => Promise<unknown>, says: RegExp][] = [
        [
          (one) => must(one.finish({ outcome: 'failed', exitCode: 3, error: 'It ended with exit code 3.' })),
          /ended as failed\. It ended with exit code 3\./,
        ],
        [
          (one) => must(one.finish()),
          /left no file orders\.csv, but none\. The log of the run has the reason/,
        ],
        [(one) => leave(one, 'other.csv', CSV), /left no file orders\.csv, but other\.csv/],
        [(one) => leave(one, 'orders.csv', ''), /is empty/],
        [(one) => leave(one, 'orders.csv', 'id,amount\n1,2\n'), /no column qty; it has id, amount/],
        [(one) => leave(one, 'orders.csv', 'id,qty\n1,2\n1,x\n'), /not of the type number/],
      ]
      for (const [at, [end, says]] of failing.entries()) {
        const asked = refresh()
        await end(await held())
        const answer = await asked
        expectAnswer(answer, { answers: 'import_failed' })
        expect(answer.body['detail']).toMatch(says)
        expect((await state()).error?.detail).toMatch(says)
        expect((await state()).state).toMatchObject({ failures: at + 1, errorCode: 'import_failed' })
      }
      expect(await rowsOf()).toEqual(before)
      const edit = { key: ['id'], rows: [{ id: '007', amount: 9 }] }
      expectAnswer(await client.request('PATCH', `${path}/rows`, { json: edit }), { answers: 'conflict' })
      const again = refresh()
      await leave(await held(), 'orders.csv', 'id,qty\n9,9\n')
      await good(again)
      expect([await rowsOf(), (await state()).state.failures]).toEqual([[['9', 9]], 0])
    },
  },
  {
    title: 'a cancelled refresh cancels its run, and a run that was cancelled fails its refresh',
    async run(client) {
      const { scriptId, refresh, held, state } = await stageOfTable(client)
      const begun = await refresh('?wait=PT0S')
      expectAnswer(begun, { answers: 202 })
      const run = await held()
      expectAnswer(await refresh(), { answers: 'conflict' })
      await good(client.request('DELETE', begun.headers.get('location') ?? ''))
      while (!(await read(client, scriptId, run.id)).cancelRequested) await Bun.sleep(50)
      await must(run.finish({ outcome: 'cancelled', exitCode: null }))
      while ((await state()).state.isRefreshing) await Bun.sleep(50)
      expect((await state()).state).toMatchObject({ failures: 0, errorCode: null })
      const asked = refresh()
      const other = await held()
      await good(client.request('POST', `/scripts/${scriptId}/jobs/${other.id}/cancel`))
      await must(other.finish({ outcome: 'cancelled', exitCode: null }))
      const answer = await asked
      expectAnswer(answer, { answers: 'import_failed' })
      expect(answer.body['detail']).toMatch(/ended as cancelled/)
    },
  },
  {
    title: 'a script is not deleted while a table needs it, unless it is forced; the rows stay',
    async run(client) {
      const { id, scriptId, path, from, refresh } = await stageOfTable(client)
      const second = `/dataSources/${id}/tables/second/refresh`
      await good(client.request('PUT', second, { json: { from } }))
      const usedBy = async () =>
        (await good<{ dependents: { dataSources: unknown } }>(client.request('GET', `/scripts/${scriptId}`)))
          .dependents.dataSources
      const tableOf = (name: string) => ({
        dataSourceId: id,
        table: name,
        name: expect.stringMatching(/^outputs/) as string,
      })
      expect(await usedBy()).toEqual([tableOf('orders'), tableOf('second')])
      const refused = await client.request('DELETE', `/scripts/${scriptId}`)
      expectAnswer(refused, { answers: 'has_dependents' })
      expect(refused.body['errors']).toMatchObject([
        { message: expect.stringContaining(`the table orders of data source ${id}`) as string },
        {},
      ])
      await good(client.request('DELETE', second))
      expect(await usedBy()).toEqual([tableOf('orders')])
      await good(client.request('PUT', `/dataSources/${id}/tables/third/refresh`, { json: { from } }))
      await good(client.request('DELETE', `/dataSources/${id}/tables/third`))
      expect(await usedBy()).toEqual([tableOf('orders')])
      await good(client.request('DELETE', `/scripts/${scriptId}?forceDelete=true`))
      expectAnswer(await refresh(), { answers: 'not_found' })
      expectAnswer(await client.request('GET', `${path}/refresh`), { answers: 200 })
      const { id: other, scriptId: free } = await stageOfTable(client)
      await good(client.request('DELETE', `/dataSources/${other}`))
      await good(client.request('DELETE', `/scripts/${free}`))
    },
  },
]

export const dataScriptRefreshesSuite: Suite = {
  name: 'refreshes by scripts',
  scenarios: [...table(stage, rows), ...scenarios],
}
