import { expect } from 'bun:test'

import { until } from '../until.ts'
import { ROLES } from '../../src/context.ts'
import type { Client } from './client.ts'
import { createDevice, createGroup, createJob, refusal } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Revaluation = {
  readonly id: number
  readonly begin: string
  readonly end: string
  readonly status: string
  readonly inPast: boolean
  readonly linkedId: number | null
  readonly nextBegin: string | null
  readonly editOnly: boolean
  readonly warnings: readonly { readonly code: string }[]
}

const ROOT = 1
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const PARAMETERS = { returnValue: [{ valueName: 'load' }] }
const THRESHOLDS = { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } }

const plant = async (client: Client, name: string) => {
  const group = await createGroup(client, ROOT, { name })
  const device = await createDevice(client, group, { name: `device of ${name}` })
  const body = { parameters: PARAMETERS, thresholds: THRESHOLDS }
  const job = await createJob(client, device, { ...body, name: `job of ${name}` })
  const sloPath = `/slos?parentType=group&parentId=${group}`
  const created = await good(client.request('POST', sloPath, { json: { name: `slo of ${name}` } }))
  const slcPath = `/slcs?parentType=group&parentId=${group}`
  const contained = await good(
    client.request('POST', slcPath, { json: { name: `slc of ${name}`, limit: 99 } }),
  )
  return { group, device, job, slo: Number(created['id']), slc: Number(contained['id']) }
}
const stage = once(async (client: Client) => {
  const planted = await plant(client, 'revaluations')
  const json = { begin: '2040-01-01T00:00:00Z', end: '2040-01-02T00:00:00Z', name: 'planned' }
  const path = `/groups/${planted.group}/revaluations`
  const { id } = await good<Revaluation>(client.request('POST', path, { json }))
  return { ...planted, planned: id }
})

const OBJECTS = ['group', 'device', 'job', 'slo', 'slc'] as const
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const FUTURE = { begin: '2040-01-01T00:00:00Z', end: '2040-02-01T00:00:00Z' }
const oneTime = (time: object, more: object = {}) => ({
  ...FUTURE,
  active: [
    {
      type: 'one_time',
      timezone: 'UTC',
      times: [{ begin: '00:00', duration: 'PT1H', date: '2040-01-05', ...time }],
      ...more,
    },
  ],
})
const times = (count: number) =>
  Array.from({ length: count }, () => ({ begin: '00:00', duration: 'PT1H', date: '2040-01-05' }))
const entries = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'one_time', timezone: 'UTC', times: times(1) }))

const WRONG: readonly (readonly [body: object, ...pointers: string[]])[] = [
  [{}, '/begin', '/end'],
  [{ ...FUTURE, begin: '2040-01-01' }, '/begin'],
  [{ ...FUTURE, end: FUTURE.begin }, '/end'],
  [{ ...FUTURE, end: '2050-01-10T00:00:00.001Z' }, '/end'],
  [{ ...FUTURE, type: 'holiday' }, '/type'],
  [{ ...FUTURE, adjustTo: 'ok' }, '/adjustTo'],
  [{ ...FUTURE, type: 'adjustment' }, '/adjustTo'],
  [{ ...FUTURE, type: 'adjustment', adjustTo: 'maintenance_ok' }, '/adjustTo'],
  [{ ...FUTURE, type: 'adjustment', adjustTo: 'ok' }, '/end'],
  [{ ...FUTURE, name: 'x'.repeat(256) }, '/name'],
  [{ ...FUTURE, incident: 7 }, '/incident'],
  [{ ...FUTURE, comment: 'x'.repeat(4_001) }, '/comment'],
  [{ ...FUTURE, slaRelevant: 1 }, '/slaRelevant'],
  [{ ...FUTURE, until: 1 }, '/until'],
  [{ ...FUTURE, active: entries(21) }, '/active'],
  [{ ...FUTURE, active: [{ type: 'one_time', times: times(51) }] }, '/active/0/times'],
  [{ ...FUTURE, active: [{ type: 'one_time', times: times(50) }, ...entries(1)] }, '/active'],
  [oneTime({ begin: '24:00' }), '/active/0/times/0/begin'],
  [oneTime({ begin: '7:00' }), '/active/0/times/0/begin'],
  [oneTime({ duration: 'PT0S' }), '/active/0/times/0/duration'],
  [oneTime({ duration: 'P1M' }), '/active/0/times/0/duration'],
  [oneTime({ duration: 'P31DT1S' }), '/active/0/times/0/duration'],
  [oneTime({ date: '2040-02-30' }), '/active/0/times/0/date'],
  [oneTime({ date: undefined }), '/active/0/times/0/date'],
  [oneTime({ weekday: 1 }), '/active/0/times/0/weekday'],
  [oneTime({ weekday: 8 }), '/active/0/times/0/weekday'],
  [oneTime({ day: 32 }), '/active/0/times/0/day'],
  [oneTime({}, { timezone: 'Mars/Olympus' }), '/active/0/timezone'],
  [oneTime({}, { type: 'cron' }), '/active/0/type'],
  [oneTime({}, { type: 'manual' }), '/active/0/times', '/active/0/times/0/date'],
  [oneTime({}, { times: [] }), '/active/0/times'],
  [oneTime({}, { type: 'daily' }), '/active/0/times/0/date'],
  [oneTime({}, { type: 'weekly' }), '/active/0/times/0/date', '/active/0/times/0/weekday'],
  [oneTime({}, { type: 'monthly' }), '/active/0/times/0/date', '/active/0/times/0/day'],
  [oneTime({ date: '2041-01-01' }), '/active'],
  [
    {
      begin: '2040-01-01T00:00:00Z',
      end: '2049-12-31T00:00:00Z',
      active: [
        { type: 'daily', times: Array.from({ length: 3 }, () => ({ begin: '00:00', duration: 'PT1H' })) },
      ],
    },
    '/active',
  ],
]
const WRONG_QUERIES: readonly (readonly [query: string, pointer: string])[] = [
  ['begin=2026-01-01', '?begin'],
  ['end=now', '?end'],
  ['begin=2040-01-01T00:00:00Z&end=2040-01-01T00:00:00Z', '?end'],
  ['active=yes', '?active'],
  ['edit=1', '?edit'],
  ['limit=0', '?limit'],
  ['limit=1001', '?limit'],
]

const refusals: readonly Row[] = [
  ...OBJECTS.flatMap((type): Row[] => [
    {
      title: 'a request without credentials',
      call: `GET /${type}s/{${type}}/revaluations`,
      as: null,
      answers: 'unauthenticated',
    },
    { title: 'no such object', call: `GET /${type}s/999999/revaluations`, answers: 'not_found' },
    {
      title: 'another type',
      call: `GET /${type}s/{${type === 'job' ? 'group' : 'job'}}/revaluations`,
      answers: 'not_found',
    },
    {
      title: 'a collector who may not maintain',
      call: `POST /${type}s/{${type}}/revaluations`,
      json: FUTURE,
      as: 'collector',
      answers: 'forbidden',
    },
    { title: 'another', call: `GET /${type}s/{${type}}/revaluations/999999`, answers: 'not_found' },
    { title: 'another', call: `DELETE /${type}s/{${type}}/revaluations/999999`, answers: 'not_found' },
    {
      title: 'another',
      call: `PUT /${type}s/{${type}}/revaluations/999999`,
      json: FUTURE,
      answers: 'not_found',
    },
  ]),
  {
    title: 'a revaluation of another object',
    call: 'GET /devices/{device}/revaluations/{planned}',
    answers: 'not_found',
  },
  {
    title: 'another version',
    call: 'PUT /groups/{group}/revaluations/{planned}',
    json: FUTURE,
    headers: { 'if-match': '"7"' },
    answers: 'precondition_failed',
  },
  {
    title: 'another type',
    call: 'PUT /groups/{group}/revaluations/{planned}',
    json: { ...FUTURE, type: 'comment' },
    answers: 'invalid',
    pointers: ['/type'],
  },
  {
    title: 'a start in the past',
    call: 'PUT /groups/{group}/revaluations/{planned}',
    json: { begin: '2026-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z' },
    answers: 'invalid',
    pointers: ['/begin'],
  },
  ...WRONG.map(([json, ...pointers]): Row => ({
    title: `wrong ${JSON.stringify(json).slice(0, 100)}`,
    call: 'POST /groups/{group}/revaluations',
    json,
    answers: 'invalid',
    pointers,
  })),
  ...WRONG_QUERIES.map(([query, pointer]): Row => ({
    title: 'wrong',
    call: `GET /groups/{group}/revaluations?${query}`,
    answers: 'invalid',
    pointers: [pointer],
  })),
]

const LARGE: readonly (readonly [title: string, json: object])[] = [
  ['20 entries', { ...FUTURE, active: entries(20) }],
  ['50 times', { ...FUTURE, active: [{ type: 'one_time', timezone: 'UTC', times: times(50) }] }],
  ['occurrences of 31 days', oneTime({ duration: 'P31D' })],
  ['3,660 days', { ...FUTURE, end: '2050-01-08T00:00:00Z' }],
  [
    'all a text may have',
    { ...FUTURE, name: 'x'.repeat(255), comment: 'x'.repeat(4_000), incident: 'x'.repeat(255) },
  ],
  [
    'almost 10,000 occurrences',
    {
      begin: '2040-01-01T00:00:00Z',
      end: '2049-02-14T00:00:00Z',
      active: [
        { type: 'daily', times: Array.from({ length: 3 }, () => ({ begin: '00:00', duration: 'PT1H' })) },
      ],
    },
  ],
]

const bounds = LARGE.map(([title, json]): Scenario => ({
  title: `${title} are within the limits`,
  decidedAbovePorts: 'maintenance',
  async run(client) {
    const { job } = await stage(client)
    const path = `/jobs/${job}/revaluations`
    const { id } = await good<Revaluation>(client.request('POST', path, { json }))
    await good(client.request('DELETE', `${path}/${id}`))
  },
}))

/** The states of a job and of its group, as reads and the tree say. */
async function statesOf(client: Client, { job, group }: { job: number; group: number }) {
  const { currentState, evaluatedState } = await good(client.request('GET', `/jobs/${job}`))
  const tree = await good<{ state: string }>(client.request('GET', `/root/tree/group/${group}/tree?depth=1`))
  return { currentState, evaluatedState, group: tree.state }
}

/** Waits for a change that a host makes by itself. */
const answers: readonly Scenario[] = [
  ...OBJECTS.map((type): Scenario => ({
    title: `a revaluation of a ${type} is created, read, replaced, listed and deleted`,
    async run(client) {
      const id = (await stage(client))[type]
      const path = `/${type}s/${id}/revaluations`
      const json = {
        ...FUTURE,
        name: 'new disks',
        incident: 'T-1',
        comment: 'racks 1 to 3',
        slaRelevant: true,
      }
      const created = await client.request('POST', path, { json })
      const one = await good<Revaluation>(Promise.resolve(created))
      expect(one).toMatchObject({
        objectId: id,
        objectType: type,
        type: 'maintenance',
        adjustTo: 'undefined',
        inPast: false,
        linkedId: null,
        status: 'planned',
        nextBegin: '2040-01-01T01:00:00+01:00',
        nextEnd: '2040-02-01T01:00:00+01:00',
        createdBy: client.userIds.administrator,
        active: [],
        warnings: [],
        ...json,
        begin: '2040-01-01T01:00:00+01:00',
        end: '2040-02-01T01:00:00+01:00',
      })
      expect(created.headers.get('location')).toEndWith(`${path}/${one.id}`)
      const read = await client.request('GET', `${path}/${one.id}`, { as: 'dashboard_viewer' })
      expect(read.body).toEqual(created.body)
      expect(read.headers.get('etag')).toBe('"1"')
      // The revaluation is sent back as it was read, with another name.
      const changed = await client.request('PUT', `${path}/${one.id}`, {
        json: { ...read.body, name: 'newer disks' },
        headers: { 'if-match': '"1"' },
        as: 'editor',
      })
      expect(await good(Promise.resolve(changed))).toEqual({ ...read.body, name: 'newer disks' })
      expect(changed.headers.get('etag')).toBe('"2"')
      const listed = await good<Revaluation[]>(client.request('GET', path))
      expect(listed.find((other) => other.id === one.id)).toEqual(changed.body as unknown as Revaluation)
      const patched = client.request('PATCH', `${path}/${one.id}`, {
        text: '{"name":"newest disks"}',
        headers: { 'content-type': 'application/merge-patch+json', 'if-match': '"2"' },
      })
      expect(await good(patched)).toEqual({ ...read.body, name: 'newest disks' })
      expect((await client.request('DELETE', `${path}/${one.id}`)).status).toBe(204)
      expect((await client.request('GET', `${path}/${one.id}`)).status).toBe(404)
    },
  })),
  {
    title: 'a container is in maintenance from its start until it is deleted, and accepts every type',
    async run(client) {
      const { slc, group } = await plant(client, 'contained')
      const path = `/slcs/${slc}/revaluations`
      const state = async () => (await good(client.request('GET', `/slcs/${slc}`)))['currentState']
      const json = { begin: inMs(0), end: inMs(3_600_000) }
      const { id } = await good<Revaluation>(client.request('POST', path, { json }))
      expect(await state()).toBe('maintenance_ok')
      const inGroup = await good<Revaluation>(
        client.request('POST', `/groups/${group}/revaluations`, { json }),
      )
      expect((await client.request('DELETE', `${path}/${id}`)).status).toBe(204)
      expect(await state()).toBe('maintenance_ok')
      expect((await client.request('DELETE', `/groups/${group}/revaluations/${inGroup.id}`)).status).toBe(204)
      expect(await state()).toBe('ok')
      const past = { begin: inMs(-3_600_000), end: inMs(-1_800_000) }
      for (const more of [
        { type: 'comment', comment: 'why' },
        { type: 'adjustment', adjustTo: 'minor' },
      ]) {
        const entered = await good<Revaluation>(client.request('POST', path, { json: { ...past, ...more } }))
        expect(entered).toMatchObject({ objectType: 'slc', inPast: true, status: 'ended', ...more })
      }
      const { transitions } = await good<{ transitions: { to: string; reason: string }[] }>(
        client.request('GET', `/slcs/${slc}/state-history`),
      )
      expect(transitions.map(({ to, reason }) => [to, reason])).toEqual([
        ['maintenance_ok', 'maintenance'],
        ['ok', 'maintenance'],
      ])
    },
  },
  {
    title: 'the right to maintain is enough to plan, change and delete, for any role, also below the object',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const { group, job } = await plant(client, 'maintained by others')
      for (const as of ROLES.filter((role) => role !== 'administrator' && role !== 'editor')) {
        const grant = `/groups/${group}/permissions/user/${client.userIds[as]}`
        const path = `/jobs/${job}/revaluations`
        const enter = () => client.request('POST', path, { json: FUTURE, as })
        expect(refusal(await enter())).toEqual([403, 'forbidden'])
        await good(client.request('PUT', grant, { json: { maintain: true } }))
        const { id } = await good<Revaluation>(enter())
        await good(client.request('PUT', `${path}/${id}`, { json: { ...FUTURE, name: 'mine' }, as }))
        await good(client.request('DELETE', `${path}/${id}`, { as }))
        expect(refusal(await client.request('PUT', `/jobs/${job}`, { json: { name: 'mine' }, as }))).toEqual([
          403,
          'forbidden',
        ])
        expect((await client.request('DELETE', grant)).status).toBe(204)
        expect(refusal(await enter())).toEqual([403, 'forbidden'])
      }
    },
  },
  {
    title: 'a start at another time of day than `times` is listed for editing only; local time counts',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const { group } = await plant(client, 'both rules')
      const path = `/groups/${group}/revaluations`
      const enter = async (begin: string, date: string) => {
        const active = [
          {
            type: 'one_time',
            name: null,
            timezone: 'Europe/Zurich',
            times: [{ begin: '12:00', duration: 'PT1H', date }],
            exception: false,
          },
        ]
        const json = { begin, end: `${date}T20:00:00Z`, type: 'maintenance', adjustTo: 'undefined', active }
        return good<Revaluation>(client.request('POST', path, { json }))
      }
      const winter = await enter('2040-01-10T11:00:00Z', '2040-01-10')
      const summer = await enter('2040-07-10T12:00:00+02:00', '2040-07-10')
      const differs = await enter('2040-07-11T11:00:00Z', '2040-07-12')
      expect([winter, summer, differs].map(({ editOnly }) => editOnly)).toEqual([false, false, true])
      expect(differs).toMatchObject({
        warnings: [{ code: 'begin_differs' }],
        nextBegin: '2040-07-12T12:00:00+02:00',
        nextEnd: '2040-07-12T13:00:00+02:00',
      })
      const idsOf = async (query: string) =>
        (await good<Revaluation[]>(client.request('GET', `${path}${query}`))).map(({ id }) => id)
      expect(await idsOf('')).toEqual([winter.id, summer.id])
      expect(await idsOf('?edit=true')).toEqual([winter.id, summer.id, differs.id])
      const page = await client.request('GET', `${path}?edit=true&limit=2`)
      const [, next = ''] = /<[^?]+([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
      expect([await idsOf('?edit=true&limit=2'), await idsOf(next)]).toEqual([
        [winter.id, summer.id],
        [differs.id],
      ])
      expect(await idsOf('?begin=2040-07-01T00:00:00Z')).toEqual([summer.id])
      expect(await idsOf('?end=2040-07-01T00:00:00Z')).toEqual([winter.id])
      expect(await idsOf('?active=true')).toEqual([])
    },
  },
  {
    title: 'maintenance begins and ends by itself, and a job has both its state and its evaluated state',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const planted = await plant(client, 'live')
      const { group, job } = planted
      const path = `/groups/${group}/revaluations`
      const json = { begin: inMs(1_000), end: inMs(4_000) }
      const { id } = await good<Revaluation>(client.request('POST', path, { json }))
      expect(await statesOf(client, planted)).toEqual({
        currentState: 'ok',
        evaluatedState: 'ok',
        group: 'ok',
      })
      await until(async () => (await statesOf(client, planted)).currentState === 'maintenance_ok')
      expect(await good<Revaluation[]>(client.request('GET', `${path}?active=true`))).toMatchObject([
        { id, status: 'running', nextBegin: null },
      ])
      const delivered = await good(
        client.request('POST', `/webcollector/jobs/${job}/values`, {
          json: { returnValue1: 95, errorCode: 0 },
        }),
      )
      expect(delivered).toMatchObject({ state: 'major' })
      expect(await statesOf(client, planted)).toEqual({
        currentState: 'maintenance_major',
        evaluatedState: 'major',
        group: 'maintenance_major',
      })
      await until(async () => (await statesOf(client, planted)).group === 'major')
      await until(async () => (await statesOf(client, planted)).currentState === 'major')
      const { transitions } = await good<{
        transitions: { timestamp: string; to: string; reason: string }[]
      }>(client.request('GET', `/jobs/${job}/state-history`))
      const seen = transitions.map(({ timestamp, to, reason }) => [Date.parse(timestamp), to, reason])
      expect(seen.filter(([, , reason]) => reason === 'maintenance')).toEqual([
        [Date.parse(json.begin), 'maintenance_ok', 'maintenance'],
        [Date.parse(json.end), 'major', 'maintenance'],
      ])
      expect(await good(client.request('GET', `${path}/${id}`))).toMatchObject({ status: 'ended' })
      expect(refusal(await client.request('DELETE', `${path}/${id}`))).toEqual([409, 'conflict'])
      expect(refusal(await client.request('PUT', `${path}/${id}`, { json }))).toEqual([409, 'conflict'])
    },
  },
  {
    title: 'the history of a job has each time at which maintenance above it applied, cut at the range',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const { device, job } = await plant(client, 'recurring')
      const ago = (minutes: number) => Math.floor(Date.now() / MINUTE_MS - minutes) * MINUTE_MS
      const [earlier, later, from] = [ago(30), ago(1), ago(25)]
      const daily = [earlier, later].map((at) => ({
        begin: new Date(at).toISOString().slice(11, 16),
        duration: 'PT10M',
      }))
      const json = {
        begin: inMs(-60 * MINUTE_MS),
        end: inMs(60 * MINUTE_MS),
        active: [{ type: 'daily', timezone: 'UTC', times: daily }],
      }
      await good(client.request('POST', `/devices/${device}/revaluations`, { json }))
      const { revaluations } = await good<{
        revaluations: { occurrences: { begin: string; end: string }[] }[]
      }>(client.request('GET', `/jobs/${job}/state-history?begin=${new Date(from).toISOString()}`))
      const found = revaluations.flatMap(({ occurrences }) => occurrences)
      expect(found.slice(0, 2).map(({ begin, end }) => [Date.parse(begin), Date.parse(end)])).toEqual([
        [from, earlier + 10 * MINUTE_MS],
        [later, expect.any(Number) as number],
      ])
      for (const { end } of found) expect(Date.parse(end)).toBeLessThanOrEqual(Date.now())
    },
  },
  {
    title: 'the history of a job has 10,000 occurrences of all revaluations together, and no more',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const { device, job } = await plant(client, 'often')
      const begun = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS
      const timeAt = (hours: number) => new Date(begun + hours * 60 * MINUTE_MS).toISOString().slice(11, 16)
      const comment = (days: number, hours: readonly number[]) => ({
        type: 'comment',
        begin: new Date(begun - (days - 1) * DAY_MS).toISOString(),
        end: inMs(60 * MINUTE_MS),
        active: [
          {
            type: 'daily',
            timezone: 'UTC',
            times: hours.map((at) => ({ begin: timeAt(at), duration: 'PT1M' })),
          },
        ],
      })
      const add = (path: string, json: object) =>
        good(client.request('POST', `/${path}/revaluations`, { json }))
      const counts = async () => {
        const { revaluations } = await good<{ revaluations: { occurrences: object[] }[] }>(
          client.request('GET', `/jobs/${job}/state-history?begin=2010-01-01T00:00:00Z`),
        )
        return revaluations.map(({ occurrences }) => occurrences.length)
      }
      await add(`devices/${device}`, comment(3_300, [0, 8, 16]))
      await add(`jobs/${job}`, comment(102, [0]))
      expect(await counts()).toEqual([9_898, 102])
      await add(`jobs/${job}`, comment(1, [0]))
      expect(await counts()).toEqual([9_898, 102, 0])
    },
  },
  {
    title:
      'maintenance with a start in the past is split in two; deleted, it ends, and includes new children',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const planted = await plant(client, 'begun')
      const { group, device } = planted
      const path = `/groups/${group}/revaluations`
      const json = { begin: inMs(-MINUTE_MS), end: inMs(MINUTE_MS) }
      const live = await good<Revaluation>(client.request('POST', path, { json }))
      expect(live).toMatchObject({ inPast: false, status: 'running' })
      const listed = await good<Revaluation[]>(client.request('GET', path))
      expect(listed.map(({ id, linkedId, inPast }) => [id, linkedId, inPast])).toEqual([
        [live.linkedId ?? 0, live.id, true],
        [live.id, live.linkedId, false],
      ])
      expect(await statesOf(client, planted)).toMatchObject({ currentState: 'maintenance_ok' })
      const job = await createJob(client, device, { name: 'new', parameters: PARAMETERS })
      expect(await statesOf(client, { group, job })).toMatchObject({ currentState: 'maintenance_ok' })
      const body = await good(client.request('GET', `/devices/${device}`))
      await good(client.request('PUT', `/devices/${device}`, { json: { ...body, parentId: ROOT } }))
      expect(await statesOf(client, { group, job })).toEqual({
        currentState: 'ok',
        evaluatedState: 'ok',
        group: 'undefined',
      })
      await good(client.request('PUT', `/devices/${device}`, { json: { ...body, parentId: group } }))
      expect(await statesOf(client, { group, job })).toMatchObject({ group: 'maintenance_ok' })
      await good(client.request('DELETE', `${path}/${live.id}`))
      expect(await statesOf(client, planted)).toMatchObject({ currentState: 'ok', group: 'ok' })
      const cancelled = await good<Revaluation>(client.request('GET', `${path}/${live.id}`))
      expect(cancelled.status).toBe('cancelled')
      expect(Date.parse(cancelled.end)).toBeLessThan(Date.now() + 1)
    },
  },
  {
    title: 'a forced state that is read in maintenance and sent back stays the forced one',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const planted = await plant(client, 'forced')
      const { group, job } = planted
      const body = await good(client.request('GET', `/jobs/${job}`))
      await good(
        client.request('PUT', `/jobs/${job}`, {
          json: { ...body, stateForced: true, currentState: 'minor' },
        }),
      )
      const json = { begin: inMs(0), end: inMs(MINUTE_MS) }
      const path = `/groups/${group}/revaluations`
      const { id } = await good<Revaluation>(client.request('POST', path, { json }))
      const read = await good(client.request('GET', `/jobs/${job}`))
      expect(read).toMatchObject({ currentState: 'maintenance_minor', evaluatedState: 'minor' })
      await good(client.request('PUT', `/jobs/${job}`, { json: read }))
      expect(await statesOf(client, planted)).toMatchObject({ currentState: 'maintenance_minor' })
      await good(client.request('DELETE', `${path}/${id}`))
      expect(await statesOf(client, planted)).toMatchObject({ currentState: 'minor', group: 'minor' })
    },
  },
  {
    title: 'a correction changes shares and outages with recalc, until it is deleted',
    decidedAbovePorts: 'maintenance',
    async run(client) {
      const { group, job } = await plant(client, 'corrected')
      const deliver = (load: number) =>
        good(
          client.request('POST', `/webcollector/jobs/${job}/values`, {
            json: { returnValue1: load, errorCode: 0 },
          }),
        )
      await deliver(95)
      await Bun.sleep(20)
      const path = `/jobs/${job}/revaluations`
      const body = { begin: inMs(-MINUTE_MS), end: inMs(0), type: 'adjustment', adjustTo: 'ok' }
      expect(refusal(await client.request('POST', path, { json: body }))).toEqual([409, 'conflict'])
      await deliver(1)
      const json = { ...body, end: inMs(0) }
      const { id } = await good<Revaluation>(client.request('POST', path, { json }))
      const down = async (query: string) => {
        const history = await good<{ availability: { downSeconds: number }; revaluations: { id: number }[] }>(
          client.request('GET', `/groups/${group}/state-history${query}`),
        )
        const outages = await good<unknown[]>(
          client.request('GET', `/groups/${group}/outages?minDuration=PT0S&${query.slice(1)}`),
        )
        return [
          history.availability.downSeconds > 0,
          history.revaluations.map((one) => one.id),
          outages.length,
        ]
      }
      expect(await down('')).toEqual([true, [], 1])
      expect(await down('?recalc=true')).toEqual([false, [id], 0])
      await good(client.request('DELETE', `${path}/${id}`))
      expect(await down('?recalc=true')).toEqual([true, [], 1])
    },
  },
]

export const revaluationsSuite: Suite = {
  name: 'revaluations',
  scenarios: [...table(stage, refusals), ...bounds, ...answers],
}
