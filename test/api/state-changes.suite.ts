import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Change = {
  readonly timestamp: string
  readonly object: {
    readonly id: number
    readonly type: string
    readonly name: string
    readonly path: string
  }
  readonly from: string
  readonly to: string
  readonly cause: { readonly id: number } | null
}
type Changes = { readonly items: readonly Change[]; readonly nextCursor: string | null }

const ROOT = 1

/** Two jobs that went bad one after the other, below a device in a group. */
const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'changing' })
  const device = await createDevice(client, group, { name: 'device / changing' })
  const body = {
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
  }
  const first = await createJob(client, device, { ...body, name: 'first' })
  const second = await createJob(client, device, { ...body, name: 'second' })
  await bad(client, first, { errorCode: 3, message: 'too hot' })
  // Another error code is no change of state.
  await bad(client, first, { errorCode: 4, message: 'hotter' })
  await bad(client, second, {})
  return { group, device, first, second }
})

async function bad(client: Client, job: number, more: object): Promise<void> {
  const json = { returnValue1: 95, errorCode: 0, ...more }
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
}

const WRONG: readonly (readonly [query: string, ...pointers: string[]])[] = [
  ['begin=yesterday', '?begin'],
  ['end=2026-01-01', '?end'],
  ['begin=2999-01-01T00:00:00Z', '?end'],
  ['begin=2026-01-01T00:00:00Z&end=2026-01-01T00:00:00Z', '?end'],
  ['types=', '?types'],
  ['types=job,user', '?types'],
  ['limit=0', '?limit'],
  ['limit=201', '?limit'],
  ['limit=x', '?limit'],
  ['cursor=x', '?cursor'],
  ['cursor=WzEsMl0', '?cursor'],
  ['states=ok', '?states'],
]
const RIGHT = [
  'limit=1',
  'limit=200',
  'begin=2026-01-01T00:00:00Z&end=2026-01-01T00:00:00.001Z',
  'types=slc,slo',
]

const rows: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: 'GET /group/{group}/state-changes',
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'no such object', call: 'GET /group/999999/state-changes', answers: 'not_found' },
  { title: 'another type', call: 'GET /group/{device}/state-changes', answers: 'not_found' },
  { title: 'no such type', call: 'GET /users/1/state-changes', answers: 'not_found' },
  ...WRONG.map(([query, ...pointers]): Row => ({
    title: 'wrong',
    call: `GET /group/{group}/state-changes?${query}`,
    answers: 'invalid',
    pointers,
  })),
  ...RIGHT.map((query): Row => ({
    title: 'right',
    call: `GET /groups/{group}/state-changes?${query}`,
    answers: 200,
  })),
]

const read = (client: Client, path: string) => good<Changes>(client.request('GET', path))

const answers: readonly Scenario[] = [
  {
    title: 'the changes of a group are its own and those below it, latest first, with paths and causes',
    decidedAbovePorts: 'state changes',
    async run(client) {
      const { group, device, first, second } = await stage(client)
      const { items, nextCursor } = await read(client, `/group/${group}/state-changes`)
      expect(nextCursor).toBeNull()
      const times = items.map(({ timestamp }) => Date.parse(timestamp))
      expect(times).toEqual(times.toSorted((a, b) => b - a))
      const turned = items.filter(({ to }) => to === 'major')
      expect(new Set(turned.map(({ object }) => object.id))).toEqual(new Set([group, device, first, second]))
      const path = String.raw`/changing/device \/ changing`
      expect(turned.find(({ object }) => object.id === first)).toMatchObject({
        object: { id: first, type: 'job', name: 'first', path: `${path}/first` },
        from: 'ok',
        to: 'major',
        reason: 'threshold',
        errorCode: 3,
        message: 'too hot',
        cause: null,
      })
      expect(turned.find(({ object }) => object.id === device)).toMatchObject({
        object: { id: device, type: 'device', name: 'device / changing', path },
        reason: 'child',
        message: null,
        cause: { type: 'job', id: first, name: 'first' },
      })
    },
  },
  {
    title: 'types and bounds choose among the changes; the end is excluded',
    decidedAbovePorts: 'state changes',
    async run(client) {
      const { group, first, second } = await stage(client)
      const path = `/group/${group}/state-changes?types=job`
      const { items } = await read(client, path)
      expect(items.filter(({ to }) => to === 'major').map(({ object }) => object.id)).toEqual([second, first])
      const at = encodeURIComponent(items[0]?.timestamp ?? '')
      const since = await read(client, `${path}&begin=${at}`)
      expect(since.items).toEqual(items.filter(({ timestamp }) => timestamp === items[0]?.timestamp))
      const before = await read(client, `${path}&end=${at}`)
      expect(before.items).toEqual(items.filter(({ timestamp }) => timestamp !== items[0]?.timestamp))
    },
  },
  {
    title: 'pages of one change each make the whole list',
    decidedAbovePorts: 'state changes',
    async run(client) {
      const { group } = await stage(client)
      const { items } = await read(client, `/group/${group}/state-changes`)
      const found: Change[] = []
      let next: string | null = ''
      while (next !== null) {
        const cursor: string = next === '' ? '' : `&cursor=${next}`
        const page: Changes = await read(client, `/group/${group}/state-changes?limit=1${cursor}`)
        found.push(...page.items)
        next = page.nextCursor
      }
      expect(found).toEqual([...items])
    },
  },
]

export const stateChangesSuite: Suite = {
  name: 'state changes',
  scenarios: [...table(stage, rows), ...answers],
}
