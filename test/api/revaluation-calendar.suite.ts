import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Entry = {
  readonly id: number
  readonly name: string
  readonly object: {
    readonly id: number
    readonly type: string
    readonly name: string
    readonly path: string
  }
  readonly occurrences: readonly { readonly begin: string; readonly end: string }[]
}
type Calendar = { readonly items: readonly Entry[]; readonly nextCursor: string | null }

const ROOT = 1
const WEEKLY = {
  name: 'weekly',
  begin: '2040-03-01T00:00:00Z',
  end: '2041-01-01T00:00:00Z',
  active: [
    {
      type: 'weekly',
      timezone: 'Europe/Berlin',
      times: [{ weekday: 7, begin: '01:00', duration: 'PT2H' }],
    },
  ],
}
const WHOLE = { name: 'whole', begin: '2040-03-10T00:00:00Z', end: '2040-03-20T00:00:00Z' }
const COMMENT = { ...WHOLE, name: 'comment', type: 'comment', comment: 'why', begin: '2040-03-12T00:00:00Z' }
/** Begins at another time of day than its entry. */
const EDIT_ONLY = {
  name: 'edit only',
  begin: '2040-03-14T00:30:00Z',
  end: '2040-03-16T00:00:00Z',
  active: [{ type: 'daily', timezone: 'UTC', times: [{ begin: '04:00', duration: 'PT1H' }] }],
}
/** 9,864 occurrences in nine years. */
const OFTEN = {
  begin: '2040-01-01T00:00:00Z',
  end: '2049-01-01T00:00:00Z',
  active: [
    {
      type: 'daily',
      timezone: 'UTC',
      times: ['00:00', '08:00', '16:00'].map((begin) => ({ begin, duration: 'PT1H' })),
    },
  ],
}

async function plan(client: Client, object: string, json: object): Promise<void> {
  await good(client.request('POST', `/${object}/revaluations`, { json }))
}

const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'calendar' })
  const device = await createDevice(client, group, { name: 'planned' })
  const job = await createJob(client, device, { name: 'commented' })
  const other = await createGroup(client, ROOT, { name: 'other calendar' })
  await plan(client, `groups/${group}`, WHOLE)
  await plan(client, `devices/${device}`, WEEKLY)
  await plan(client, `devices/${device}`, EDIT_ONLY)
  await plan(client, `jobs/${job}`, COMMENT)
  await plan(client, `groups/${other}`, WHOLE)
  const busy = await createGroup(client, ROOT, { name: 'busy calendar' })
  await plan(client, `groups/${busy}`, { ...OFTEN, name: 'first' })
  await plan(client, `groups/${busy}`, { ...OFTEN, name: 'second' })
  return { group, device, job, busy }
})

const WRONG: readonly (readonly [query: string, pointer: string])[] = [
  ['begin=2040-01-01', '?begin'],
  ['end=now', '?end'],
  ['begin=2040-01-01T00:00:00Z&end=2040-01-01T00:00:00Z', '?end'],
  ['edit=1', '?edit'],
  ['limit=0', '?limit'],
  ['limit=1001', '?limit'],
  ['cursor=x', '?cursor'],
  ['active=true', '?active'],
]
const RIGHT = [
  'limit=1',
  'limit=1000',
  'begin=2040-01-01T00:00:00Z&end=2040-01-01T00:00:00.001Z',
  'edit=true',
]

const rows: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: 'GET /group/{group}/revaluation-calendar',
    as: null,
    answers: 'unauthenticated',
  },
  { title: 'no such object', call: 'GET /group/999999/revaluation-calendar', answers: 'not_found' },
  { title: 'another type', call: 'GET /job/{group}/revaluation-calendar', answers: 'not_found' },
  ...WRONG.map(([query, pointer]): Row => ({
    title: 'wrong',
    call: `GET /group/{group}/revaluation-calendar?${query}`,
    answers: 'invalid',
    pointers: [pointer],
  })),
  ...RIGHT.map((query): Row => ({
    title: 'right',
    call: `GET /groups/{group}/revaluation-calendar?${query}`,
    answers: 200,
  })),
]

const MARCH = 'begin=2040-03-01T00:00:00Z&end=2040-03-31T00:00:00Z'
const read = (client: Client, path: string) => good<Calendar>(client.request('GET', path))
const named = ({ items }: Calendar) => items.map(({ name }) => name)

const answers: readonly Scenario[] = [
  {
    title: 'the calendar of a group has its revaluations and those of the objects below it, by begin',
    decidedAbovePorts: 'calendars',
    async run(client) {
      const { group, device, job } = await stage(client)
      const calendar = await read(client, `/group/${group}/revaluation-calendar?${MARCH}`)
      expect(calendar.nextCursor).toBeNull()
      expect(calendar.items.map(({ name, object }) => [name, object])).toEqual([
        ['weekly', { id: device, type: 'device', name: 'planned', path: '/calendar/planned' }],
        ['whole', { id: group, type: 'group', name: 'calendar', path: '/calendar' }],
        ['comment', { id: job, type: 'job', name: 'commented', path: '/calendar/planned/commented' }],
      ])
      const edit = await read(client, `/group/${group}/revaluation-calendar?${MARCH}&edit=true`)
      expect(named(edit)).toEqual(['weekly', 'whole', 'comment', 'edit only'])
      const alone = await good<Entry[]>(client.request('GET', `/devices/${device}/revaluations`))
      expect(calendar.items[0]).toMatchObject({ ...alone[0] })
    },
  },
  {
    title:
      'occurrences follow the local time over the change of the clock, and are cut at the bounds of the query',
    decidedAbovePorts: 'calendars',
    async run(client) {
      const { device, group } = await stage(client)
      const { items } = await read(client, `/device/${device}/revaluation-calendar?${MARCH}`)
      // On 25 March 2040 Berlin skips the hour from 02:00: two elapsed hours end at 04:00.
      expect(items[0]?.occurrences).toEqual([
        { begin: '2040-03-04T01:00:00+01:00', end: '2040-03-04T03:00:00+01:00' },
        { begin: '2040-03-11T01:00:00+01:00', end: '2040-03-11T03:00:00+01:00' },
        { begin: '2040-03-18T01:00:00+01:00', end: '2040-03-18T03:00:00+01:00' },
        { begin: '2040-03-25T01:00:00+01:00', end: '2040-03-25T04:00:00+02:00' },
      ])
      const bounds = 'begin=2040-03-11T01:00:00Z&end=2040-03-12T00:00:00Z'
      const cut = await read(client, `/group/${group}/revaluation-calendar?${bounds}`)
      expect(cut.items.map(({ name, occurrences }) => [name, occurrences])).toEqual([
        ['weekly', [{ begin: '2040-03-11T02:00:00+01:00', end: '2040-03-11T03:00:00+01:00' }]],
        ['whole', [{ begin: '2040-03-11T02:00:00+01:00', end: '2040-03-12T01:00:00+01:00' }]],
      ])
    },
  },
  {
    title: 'bounds choose what overlaps them; both ends are excluded',
    decidedAbovePorts: 'calendars',
    async run(client) {
      const { group } = await stage(client)
      const within = async (begin: string, end: string) =>
        named(await read(client, `/group/${group}/revaluation-calendar?begin=${begin}&end=${end}`))
      expect(await within('2040-03-19T23:59:59.999Z', '2040-04-01T00:00:00Z')).toEqual([
        'weekly',
        'whole',
        'comment',
      ])
      expect(await within('2040-03-20T00:00:00Z', '2040-04-01T00:00:00Z')).toEqual(['weekly'])
      expect(await within('2040-02-01T00:00:00Z', '2040-03-01T00:00:00Z')).toEqual([])
      expect(await within('2040-02-01T00:00:00Z', '2040-03-10T00:00:00Z')).toEqual(['weekly'])
      expect(await within('2040-02-01T00:00:00Z', '2040-03-10T00:00:00.001Z')).toEqual(['weekly', 'whole'])
    },
  },
  {
    title: 'pages of one revaluation each make the whole calendar',
    decidedAbovePorts: 'calendars',
    async run(client) {
      const { group } = await stage(client)
      const path = `/group/${group}/revaluation-calendar?${MARCH}&limit=1`
      const found: string[] = []
      for (let next: string | null = path; next !== null;) {
        const page: Calendar = await read(client, next)
        expect(page.items).toHaveLength(1)
        found.push(...named(page))
        next = page.nextCursor && `${path}&cursor=${page.nextCursor}`
      }
      expect(found).toEqual(['weekly', 'whole', 'comment'])
    },
  },
  {
    title: 'a page ends before 10,000 occurrences, and the next one has the rest',
    decidedAbovePorts: 'calendars',
    async run(client) {
      const { busy } = await stage(client)
      const path = `/group/${busy}/revaluation-calendar?begin=2040-01-01T00:00:00Z`
      const first = await read(client, path)
      expect(first.items.map(({ name, occurrences }) => [name, occurrences.length])).toEqual([
        ['first', 9_864],
      ])
      const second = await read(client, `${path}&cursor=${first.nextCursor}`)
      expect(named(second)).toEqual(['second'])
      expect(second.nextCursor).toBeNull()
      const month = await read(client, `${path}&end=2040-02-01T00:00:00Z`)
      expect(named(month)).toEqual(['first', 'second'])
    },
  },
]

export const revaluationCalendarSuite: Suite = {
  name: 'the calendar of revaluations',
  scenarios: [...table(stage, rows), ...answers],
}
