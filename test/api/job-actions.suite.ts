import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import type { Client } from './client.ts'
import { createDevice, createGroup } from './objects.ts'
import { bareStage, good, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Item = { readonly id: number; readonly status: string; readonly code: string | null }
type Listed = { readonly items: readonly Item[] }

const ACTIONS = 'POST /jobs/actions'
const JOBS = 60
const numbers = (count: number) => Array.from({ length: count }, (_, index) => 10_000_000 + index)
const wrong = (title: string, json: unknown, ...pointers: string[]): Row => ({
  title,
  call: ACTIONS,
  json,
  answers: 'invalid',
  pointers,
})

const refusals: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: ACTIONS,
    as: null,
    json: { action: 'stop', ids: [1] },
    answers: 'unauthenticated',
  },
  ...ROLES.filter((role) => role !== 'administrator' && role !== 'editor').map((as): Row => ({
    title: as,
    call: ACTIONS,
    as,
    json: { action: 'stop', ids: [1] },
    answers: 'forbidden',
  })),
  wrong('nothing', {}, '/action', '/ids'),
  wrong('an unknown action', { action: 'delete', ids: [1] }, '/action'),
  wrong('an unknown field', { action: 'stop', ids: [1], force: true }, '/force'),
  wrong('no ids', { action: 'stop', ids: [] }, '/ids'),
  wrong('1,001 ids', { action: 'stop', ids: numbers(1_001) }, '/ids'),
  wrong('an id that is none', { action: 'stop', ids: [1, 0, 1.5, '3'] }, '/ids/1', '/ids/2', '/ids/3'),
  { title: '1 id', call: ACTIONS, json: { action: 'stop', ids: [10_000_000] }, answers: 200 },
  { title: '1,000 ids', call: ACTIONS, json: { action: 'start', ids: numbers(1_000) }, answers: 200 },
]

const act = (client: Client, action: 'stop' | 'start', ids: readonly number[]) =>
  good<Listed>(client.request('POST', '/jobs/actions', { json: { action, ids } }))

const done = (id: number) => ({ id, status: 'done', code: null, detail: null })

const scenarios: readonly Scenario[] = [
  {
    title: 'each job has its own result: a refused one hinders no other, and an id counts once',
    async run(client) {
      const device = await makeDevice(client)
      const [one, two] = [await makeJob(client, device), await makeJob(client, device)]
      const deleted = await makeJob(client, device)
      await good(client.request('DELETE', `/jobs/${deleted}`))
      const { items } = await act(client, 'stop', [two, device, one, two, deleted])
      const missing = { status: 'refused', code: 'not_found', detail: 'There is no such job.' }
      expect(items).toEqual([done(two), { id: device, ...missing }, done(one), { id: deleted, ...missing }])
      for (const id of [one, two]) {
        expect(await good(client.request('GET', `/jobs/${id}`))).toMatchObject({
          stopped: true,
          currentState: 'undefined',
        })
        const refused = await client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { errorCode: 0 },
        })
        expect(refused.body['code']).toBe('job_stopped')
      }
      expect((await act(client, 'start', [one, two])).items).toEqual([done(one), done(two)])
      const sent = client.request('POST', `/webcollector/jobs/${one}/values`, { json: { errorCode: 0 } })
      expect(await good(sent)).toMatchObject({ state: 'ok' })
    },
  },
  {
    title: 'a job that is as asked is unchanged, and each change is on record',
    decidedAbovePorts: 'actions on jobs',
    async run(client) {
      const device = await makeDevice(client)
      const [running, stopped] = [
        await makeJob(client, device),
        await makeJob(client, device, { stopped: true }),
      ]
      const tag = async (id: number) => (await client.request('GET', `/jobs/${id}`)).headers.get('etag')
      const before = [await tag(running), await tag(stopped)]
      expect((await act(client, 'stop', [running, stopped])).items).toEqual([done(running), done(stopped)])
      const after = [await tag(running), await tag(stopped)]
      expect(after[0]).not.toBe(before[0])
      expect(after[1]).toBe(before[1])
      const stale = { json: { stopped: false }, headers: { 'if-match': before[0] ?? '' } }
      expect((await client.request('PATCH', `/jobs/${running}`, stale)).status).toBe(412)
      const records = async (id: number) => {
        const query = `?objectType=job&action=update&objectId=${id}`
        return (await good<{ items: object[] }>(client.request('GET', `/audit${query}`))).items
      }
      expect(await records(running)).toMatchObject([{ before: { stopped: false }, after: { stopped: true } }])
      expect(await records(stopped)).toEqual([])
    },
  },
  {
    title: `${JOBS} jobs are stopped by one call, and the filters of searches and services see it`,
    decidedAbovePorts: 'actions on jobs',
    async run(client) {
      const group = await createGroup(client, 1, { name: 'group of many' })
      const device = await createDevice(client, group, { name: 'device of many' })
      const jobs: number[] = []
      for (let at = 0; at < JOBS; at++) jobs.push(await makeJob(client, device))
      const filter = { type: 'job', conditions: [{ item: 'execution', operator: 'stopped' }] }
      const childrenFilter = { groupId: group, filterDefinition: filter }
      const { id: slo } = await good<{ id: number }>(
        client.request('POST', '/slos?parentId=1', { json: { name: 'stopped jobs', childrenFilter } }),
      )
      const found = async () => {
        const { items } = await good<Listed>(client.request('GET', `/slo/${slo}/children`))
        return items.map(({ id }) => id)
      }
      expect(await found()).toEqual([])
      expect((await act(client, 'stop', jobs)).items).toEqual(jobs.map(done))
      expect((await found()).toSorted((a, b) => a - b)).toEqual(jobs)
      const query = `filterDefinition=${encodeURIComponent(JSON.stringify(filter))}&limit=1000`
      const { items } = await good<Listed>(client.request('GET', `/groups/${group}/search?${query}`))
      expect(items).toHaveLength(JOBS)
      await act(client, 'start', jobs)
      expect(await found()).toEqual([])
    },
  },
]

export const jobActionsSuite: Suite = {
  name: 'actions on jobs',
  scenarios: [...table(bareStage, refusals), ...scenarios],
}
