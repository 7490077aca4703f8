import { expect } from 'bun:test'

import { JOBS } from '../../src/automation/demo/plant.ts'
import { sampleAt, STEP_MS } from '../../src/automation/demo/samples.ts'
import { startHost } from '../hosts/start.ts'
import { logIn, PASSWORD, speakTo } from './client.ts'
import type { Request, Speaker } from './client.ts'
import { bareStage, expectAnswer, good, table } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'
import { readUntil } from '../until.ts'

type Item = Readonly<Record<string, unknown>>
type List = { readonly items: readonly Item[] }
type Samples = { readonly values: readonly { value: number; timestamp: string }[] }
type Demo = { readonly state: string; readonly groupId: number | null; readonly progress: number }

const refusals = table(bareStage, [
  { title: 'a request without credentials', call: 'GET /demo', as: null, answers: 'unauthenticated' },
  { title: 'an editor', call: 'GET /demo', as: 'editor', answers: 'forbidden' },
  { title: 'an editor', call: 'POST /demo', json: { seed: 'x' }, as: 'editor', answers: 'forbidden' },
  { title: 'an editor', call: 'DELETE /demo', as: 'editor', answers: 'forbidden' },
  {
    title: 'an empty seed',
    call: 'POST /demo',
    json: { seed: '', size: 3 },
    answers: 'invalid',
    pointers: ['/seed', '/size'],
  },
  {
    title: 'a wrong content of a set-up',
    call: 'POST /session/setup',
    as: null,
    json: { token: 'x', username: 'second', password: PASSWORD, content: 'plant' },
    answers: 'invalid',
    pointers: ['/content'],
  },
  { title: 'no plant', call: 'DELETE /demo', answers: 'not_found' },
])

const scenarios: readonly Scenario[] = [
  {
    title: 'a plant is refused where other objects exist, and the answer names them',
    async run(client) {
      await good(client.request('POST', '/groups?parentType=group&parentId=1', { json: { name: 'in use' } }))
      const { status, body } = await client.request('POST', '/demo', { json: { seed: 'wadden' } })
      expect([status, body['code']]).toEqual([409, 'not_empty'])
      expect(JSON.stringify(body['errors'])).toMatch(/is the (?:group|device) \d+, /)
      expect(await good(client.request('GET', '/demo'))).toMatchObject({ state: 'absent' })
    },
  },
  {
    title:
      'a set-up makes the plant; it has a past, refuses to go with objects of others, and leaves nothing',
    async run(client) {
      const host = await startHost(client.host.name, {
        TIDEMARK_ADMIN_PASSWORD: '',
        TIDEMARK_FIRST_OBJECTS: 'on',
      })
      try {
        const ask = await setUp(host, await speakTo(host, { seen: client.seen }))
        await playPlant(ask)
      } finally {
        await host.close()
      }
    },
  },
]

type Asking = (method: string, path: string, request?: Request) => ReturnType<Speaker['request']>

/** @returns requests of the administrator that a set-up with the demo plant creates */
async function setUp(host: Awaited<ReturnType<typeof startHost>>, speaker: Speaker): Promise<Asking> {
  const token = new URL((await host.setupLink()) ?? 'no link').searchParams.get('token')
  const credentials = { username: 'first', password: PASSWORD }
  const json = { ...credentials, token, content: 'demo' }
  await good(speaker.request('POST', '/session/setup', { json }))
  const headers = { 'x-session-id': await logIn(speaker, credentials) }
  return (method, path, request = {}) => speaker.request(method, path, { ...request, headers })
}

async function playPlant(ask: Asking): Promise<void> {
  const groupId = await untilRunning(ask)
  const anchorAt = await expectSamples(ask)
  await expectPast(ask, groupId)
  expectAnswer(await ask('POST', '/demo', { json: { seed: 'wadden' } }), { answers: 'conflict' })

  const group = `/groups?parentType=group&parentId=${groupId}`
  const { id } = await good<{ id: number }>(ask('POST', group, { json: { name: 'Mine' } }))
  const refused = await ask('DELETE', '/demo')
  expect([refused.status, refused.body['code']]).toEqual([409, 'not_empty'])
  expect(refused.body['errors']).toEqual([{ pointer: '/objects/0', message: `is the object ${id}, Mine` }])
  expect(await expectSamples(ask)).toBe(anchorAt)
  await good(ask('DELETE', `/groups/${id}`))

  await good(ask('DELETE', '/demo'))
  await expectEmpty(ask)
  const { items } = await good<List>(ask('GET', '/audit?objectType=demo'))
  expect(items.map(({ action }) => action)).toEqual(['delete', 'create'])

  expectAnswer(await ask('POST', '/demo', { json: { seed: 'wadden' } }), { answers: 202 })
}

async function untilRunning(ask: Asking): Promise<number> {
  const { groupId } = await readUntil(
    () => good<Demo>(ask('GET', '/demo')),
    (demo) => demo.state === 'running' && demo.groupId !== null,
  )
  return groupId ?? 0
}

/** Expects the samples of the first value of each job over the latest hours that the seed determines.
 * @returns the anchor of the plant, epoch ms */
async function expectSamples(ask: Asking): Promise<number> {
  const { items: found } = await good<List>(ask('GET', '/root/searchPath?path=**&type=job'))
  const ids = new Map(found.map(({ path, id }) => [String(path), Number(id)]))
  const stored = await Promise.all(
    JOBS.map(async ({ place }) => {
      const id = ids.get(`/Wadden Water Authority/${place}`)
      const path = `/jobs/${id}/value-history?scale=PT0S&timestamp_begin=${daysAgo(1 / 3)}`
      const { values } = await good<Samples>(ask('GET', path))
      return values.map(({ value, timestamp }) => [Date.parse(timestamp), value] as const)
    }),
  )
  const [longest = []] = stored.toSorted((a, b) => b.length - a.length)
  const anchorAt = longest.at(-1)?.[0] ?? 0
  expect(longest.length).toBeGreaterThan(90)
  for (const [index, samples] of stored.entries()) {
    const expected = samples.map(([at]) => [
      at,
      sampleAt('wadden', index, (at - anchorAt) / STEP_MS)?.values['returnValue1'],
    ])
    expect<unknown>(samples).toEqual(expected)
  }
  return anchorAt
}

/** Alarms, outages and credit of the past, people, plans and a script. */
async function expectPast(ask: Asking, groupId: number): Promise<void> {
  const alarms = await good<List>(ask('POST', '/alarms', { json: { state: ['closed'] } }))
  expect(alarms.items.length).toBeGreaterThan(15)
  const open = await good<List>(ask('POST', '/alarms', { json: { state: ['open', 'assigned'] } }))
  expect(open.items.some(({ status, commentsTotal }) => status === 'assigned' && commentsTotal === 1)).toBe(
    true,
  )
  const outages = await good<readonly Item[]>(ask('GET', `/groups/${groupId}/outages?begin=${daysAgo(29)}`))
  expect(outages.length).toBeGreaterThan(1)
  const containers = await good<List>(ask('GET', `/group/${groupId}/children`))
  const ids = containers.items.filter(({ type }) => type === 'slc').map(({ id }) => Number(id))
  const credits = await Promise.all(
    ids.map(async (id) => (await good<{ values: { creditUsed: number } }>(ask('GET', `/slcs/${id}`))).values),
  )
  expect(credits.some(({ creditUsed }) => creditUsed > 0)).toBe(true)
  const users = await good<readonly Item[]>(ask('GET', '/users'))
  expect(users.map(({ name }) => name)).toEqual(['first', 'demo.operator', 'demo.viewer'])
  const scripts = await good<readonly Item[]>(ask('GET', '/scripts'))
  expect(scripts).toMatchObject([{ name: 'Demo tide report', runner: 'python' }])
}

async function expectEmpty(ask: Asking): Promise<void> {
  expect(await good(ask('GET', '/group/1/children'))).toEqual({ items: [] })
  expect(await good(ask('GET', '/alarmrecipients'))).toEqual({ items: [] })
  expect(await good<readonly Item[]>(ask('GET', '/scripts'))).toEqual([])
  expect(await good(ask('GET', '/users'))).toMatchObject([{ name: 'first' }])
  expect(await good(ask('GET', '/group/1/alarmLinks'))).toMatchObject({ links: [{ recipientId: null }] })
  expect(
    await good(ask('POST', '/alarms', { json: { state: ['open', 'closed', 'assigned'] } })),
  ).toMatchObject({
    total: 0,
  })
  expect(await good(ask('GET', '/demo'))).toMatchObject({ state: 'absent' })
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString()
}

export const demoSuite: Suite = { name: 'demo', scenarios: [...refusals, ...scenarios] }
