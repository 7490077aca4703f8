import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { actionsBody, alarmsBody, assignBody, linksBody } from '../../src/monitoring/alarm-inbox/schema.ts'
import {
  actOnAlarms,
  assignAlarm,
  commentOnAlarm,
  listAlarms,
  replaceLinks,
} from '../../src/monitoring/alarm-inbox/service.ts'
import type { Refusal } from '../../src/lib/errors.ts'
import type { Visibility } from '../../src/ports/events.ts'
import { rejection } from '../contract/rejection.ts'
import type { Ear } from './ear.ts'
import { EVERYTHING, listen, openHubStage, readingOf } from './hub-stage.ts'

const LINGER_MS = 300_000

let stage: Awaited<ReturnType<typeof openHubStage>>

beforeEach(async () => {
  stage = await openHubStage({
    limits: { eventsMax: 50, readersMax: 5, readersOfUserMax: 3, watchedJobsMax: 2 },
  })
})
afterEach(() => stage.close())

const statesIn = (ear: Ear) => ear.of('state').map(({ objectId, seq, to }) => [objectId, seq, to])
const valueOf = (jobId: number, value: number) => ({
  jobId,
  samples: [{ key: 'returnValue1', at: stage.clock.at, value }],
  truncated: false,
})
const codeOf = async (opening: Promise<unknown>) => ((await rejection(opening)) as Refusal).code

describe('states', () => {
  test('are published in the order of their commits, children before parents', async () => {
    const ear = await listen(stage.hub)
    await stage.tell(3, 'major')
    await stage.tell(3, 'ok')
    await ear.until(({ heard }) => heard.length === 7)
    expect(statesIn(ear)).toEqual([
      [3, 1, 'major'],
      [2, 1, 'major'],
      [1, 1, 'major'],
      [3, 2, 'ok'],
      [2, 2, 'ok'],
      [1, 2, 'ok'],
    ])
    expect(ear.heard.map(({ id }) => id)).toEqual(['1-0', '1-1', '1-2', '1-3', '1-4', '1-5', '1-6'])
  })

  test('that were committed while the hub failed are published on the next beat', async () => {
    const ear = await listen(stage.hub)
    await stage.database.run(sql`insert into transitions
      (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
      values (6, 1, 5, 5, 'ok', 'minor', 'threshold', 0)`)
    await stage.hub.beat()
    await ear.until(({ heard }) => heard.length === 2)
    expect(statesIn(ear)).toEqual([[6, 1, 'minor']])
  })

  test('of many commits at once are published once each', async () => {
    const ear = await listen(stage.hub)
    const told = Array.from({ length: 20 }, (_, index) => stage.tell(6, index % 2 === 0 ? 'major' : 'ok'))
    await Promise.all([...told, stage.hub.committed(), stage.hub.beat()])
    await ear.until(({ heard }) => heard.some(({ data }) => data['objectId'] === 1))
    await stage.hub.committed()
    const seqs = statesIn(ear).map(([objectId, seq]) => `${String(objectId)} ${String(seq)}`)
    expect(new Set(seqs).size).toBe(seqs.length)
  })

  test('whose rows were deleted with their object cause a gap, and others continue', async () => {
    const ear = await listen(stage.hub)
    await stage.tell(3, 'major')
    await ear.until(({ heard }) => heard.length === 4)
    await stage.database.run(sql`delete from transitions where rowid = (select max(rowid) from transitions)`)
    await stage.hub.committed()
    await ear.until(({ heard }) => heard.length === 5)
    expect(ear.heard.at(-1)).toMatchObject({ event: 'gap', data: { reason: 'history' } })
    await stage.tell(6, 'major')
    await ear.until(({ heard }) => heard.length > 5)
    expect(ear.heard[5]).toMatchObject({ event: 'state', data: { objectId: 6 } })
  })

  test('are published to readers who want and may read them at that time', async () => {
    let sight: Visibility | null = EVERYTHING
    const below2 = await listen(stage.hub, { wanted: { objectIds: new Set([2]) } })
    const narrowed = await listen(stage.hub, { look: () => Promise.resolve(sight) })
    await stage.tell(3, 'minor')
    await narrowed.until(({ heard }) => heard.length === 4)
    sight = { sees: (above) => above.includes(5), seesScripts: true, rights: '' }
    await stage.hub.beat()
    await stage.tell(4, 'major')
    await stage.tell(6, 'major')
    await narrowed.until(({ heard }) => heard.length === 6)
    expect(
      statesIn(narrowed)
        .slice(3)
        .map(([objectId]) => objectId),
    ).toEqual([6, 5])
    await below2.until(({ heard }) => heard.length === 5)
    expect(statesIn(below2).map(([objectId]) => objectId)).toEqual([3, 2, 4, 2])
    sight = null
    await stage.hub.beat()
    await narrowed.ended()
    expect(stage.hub.readers).toBe(1)
  })

  test('come with a gap when the rights of a reader change, and with none otherwise', async () => {
    let rights = 'editor'
    const ear = await listen(stage.hub, { look: () => Promise.resolve({ ...EVERYTHING, rights }) })
    const quiet = await listen(stage.hub)
    for (const one of [ear, quiet]) await one.until(({ heard }) => heard.length === 1)
    rights = 'viewer'
    await stage.hub.beat()
    await stage.hub.beat()
    await stage.tell(3, 'minor')
    await ear.until(({ heard }) => heard.length >= 3)
    await quiet.until(({ heard }) => heard.length >= 2)
    expect(ear.heard.slice(0, 3)).toMatchObject([
      { event: 'ready' },
      { event: 'gap', data: { reason: 'rights' } },
      { event: 'state', data: { objectId: 3 } },
    ])
    expect(quiet.of('gap')).toEqual([])
  })

  test('are not read from the database without readers', async () => {
    expect(stage.hub.isAwake).toBe(false)
    await stage.tell(3, 'major')
    const ear = await listen(stage.hub)
    await stage.tell(3, 'ok')
    await ear.until(({ heard }) => heard.length === 4)
    expect(statesIn(ear)[0]).toEqual([3, 2, 'ok'])
  })
})

describe('alarms', () => {
  test('are published after the states that opened them, to readers of their object', async () => {
    await stage.database.run(sql`insert into alarm_links
      (object_id, position, covers, min_state, delay_ms, recovery_delay_ms, events)
      values (2, 0, 'below', 'minor', 0, 0, '[]')`)
    const reads = await listen(stage.hub)
    const foreign = await listen(stage.hub, {
      look: () => Promise.resolve({ sees: (above) => above.includes(5), seesScripts: true, rights: '' }),
    })
    await stage.tell(3, 'major')
    await stage.tell(3, 'ok')
    await stage.tell(6, 'minor')
    await reads.until(() => reads.of('alarm').length >= 2 && reads.of('state').length >= 9)
    expect(reads.of('alarm')).toMatchObject([
      { objectId: 3, objectType: 'job', kind: 'opened', state: 'major', version: 1 },
      { objectId: 3, kind: 'closed', version: 2 },
    ])
    const kinds = reads.heard.map(({ event, data }) => `${event} ${String(data['objectId'])}`)
    expect(kinds.indexOf('alarm 3')).toBeGreaterThan(kinds.indexOf('state 3'))
    await foreign.until(() => foreign.of('state').length >= 2)
    expect(foreign.of('alarm')).toEqual([])
  })
})

describe('changes of alarms by users', () => {
  test('are published at once, before any beat', async () => {
    const { context, hub, database } = stage
    const device = { parentType: 'device', parentId: 2 } as const
    const linkTo = (links: readonly object[]) =>
      replaceLinks(context, device, { body: linksBody.parse({ links }), ifMatch: null })
    await database.run(sql`insert into users (id, username, password_hash, role, type, fullname, email, phone, language,
      time_zone, version, created_at) values (1, 'admin', '', 'administrator', 'local', '', '', '', 'en', 'UTC', 1, 0)`)
    await linkTo([{}])
    await stage.tell(3, 'minor')
    await stage.tell(4, 'minor')
    const { items } = await listAlarms(context, alarmsBody.parse({}), '')
    const [first, second] = items.map(({ id }) => id).toSorted((a, b) => a - b)
    const ear = await listen(hub)
    const heard = async (count: number) => {
      await ear.until(() => ear.of('alarm').length >= count)
      return ear.of('alarm').map(({ alarmId, kind, version }) => [alarmId, kind, version])
    }
    await commentOnAlarm(context, first ?? 0, 'on it')
    expect(await heard(1)).toEqual([[first, 'commented', 2]])
    await assignAlarm(context, first ?? 0, assignBody.parse({ userId: 1 }))
    expect((await heard(2)).at(-1)).toEqual([first, 'assigned', 3])
    await actOnAlarms(context, actionsBody.parse({ action: 'comment', ids: [first, second], text: 'both' }))
    expect((await heard(4)).slice(2)).toEqual([
      [first, 'commented', 4],
      [second, 'commented', 2],
    ])
    await linkTo([])
    expect((await heard(6)).slice(4)).toEqual([
      [first, 'closed', 5],
      [second, 'closed', 3],
    ])
  })
})

describe('a resumed stream', () => {
  test('continues without loss or repetition', async () => {
    const first = await listen(stage.hub)
    await stage.tell(3, 'major')
    await first.until(({ heard }) => heard.length === 4)
    await first.leave()
    await stage.tell(3, 'ok')
    const second = await listen(stage.hub, { lastEventId: first.lastId })
    await stage.tell(6, 'minor')
    await second.until(({ heard }) => heard.length === 7)
    expect(second.heard[0]).toMatchObject({ event: 'ready', id: first.lastId, data: { resumed: true } })
    expect(statesIn(second).map(([objectId, seq]) => [objectId, seq])).toEqual([
      [3, 2],
      [2, 2],
      [1, 2],
      [6, 1],
      [5, 1],
      [1, 3],
    ])
  })

  test('has a gap if the window has moved on', async () => {
    const first = await listen(stage.hub, { wanted: { objectIds: new Set([5]) } })
    await first.until(({ heard }) => heard.length === 1)
    await first.leave()
    for (let round = 0; round < 17; round++) await stage.tell(3, round % 2 === 0 ? 'major' : 'ok')
    const late = await listen(stage.hub, { lastEventId: first.lastId, once: true })
    expect((await late.ended()).heard).toEqual([{ id: '1-51', event: 'gap', data: { reason: 'window' } }])
  })

  test('does not repeat skipped events, because heartbeats move its id', async () => {
    const quiet = await listen(stage.hub, { wanted: { objectIds: new Set([5]) } })
    for (let round = 0; round < 17; round++) {
      await stage.tell(3, round % 2 === 0 ? 'major' : 'ok')
      await quiet.until(() => true)
    }
    for (let beats = 0; beats < 3; beats++) await stage.hub.beat()
    await quiet.until(({ heartbeats }) => heartbeats === 1)
    expect([quiet.lastId, quiet.heard.length]).toEqual(['1-51', 1])
  })

  test('has a new epoch and a gap after a restart; ids only grow', async () => {
    const before = await listen(stage.hub)
    await stage.tell(3, 'major')
    await before.until(({ heard }) => heard.length === 4)
    stage.hub.close()
    await before.ended()
    stage.clock.at -= 86_400_000
    const again = stage.openHub()
    const after = await listen(again, { lastEventId: before.lastId })
    await after.until(({ heard }) => heard.length === 1)
    expect(after.heard[0]).toEqual({ id: '2-0', event: 'gap', data: { reason: 'restart' } })
    again.close()
    expect(await codeOf(stage.hub.open(readingOf()))).toBe('unavailable')
  })

  test('continues within five minutes after the last reader left, and not later', async () => {
    const first = await listen(stage.hub)
    await first.leave()
    stage.clock.at += LINGER_MS - 1
    await stage.hub.beat()
    await stage.tell(3, 'major')
    const second = await listen(stage.hub, { lastEventId: '1-0', once: true })
    expect((await second.ended()).heard).toHaveLength(4)
    stage.clock.at += LINGER_MS
    await stage.hub.beat()
    expect(stage.hub.isAwake).toBe(false)
    const third = await listen(stage.hub, { lastEventId: '1-3', once: true })
    expect((await third.ended()).heard).toEqual([{ id: '2-0', event: 'gap', data: { reason: 'restart' } }])
  })
})

describe('values', () => {
  test('are published of jobs with readers, to these readers', async () => {
    const asked: (readonly number[])[] = []
    const edge = await openHubStage({ watch: (jobIds) => Promise.resolve(void asked.push(jobIds)) })
    const reads = await listen(edge.hub, { wanted: { jobIds: new Set([3]) } })
    const other = await listen(edge.hub)
    expect(asked).toEqual([[3]])
    expect([edge.hub.watches(3), edge.hub.watches(4), edge.hub.areThere]).toEqual([true, false, true])
    await edge.hub.tell([valueOf(3, 1), valueOf(4, 2), valueOf(3, 3)])
    await edge.tell(6, 'major')
    await reads.until(({ heard }) => heard.length === 6)
    const samples = reads.of('value').map(({ samples: some }) => some)
    const timestamp = '2026-03-02T10:00:00+01:00'
    expect(samples).toEqual([
      [{ key: 'returnValue1', timestamp, value: 1 }],
      [{ key: 'returnValue1', timestamp, value: 3 }],
    ])
    await other.until(({ heard }) => heard.length === 4)
    expect(other.of('value')).toEqual([])
    await edge.close()
  })

  test('are not published of jobs that may not be read, or were deleted', async () => {
    const look = () =>
      Promise.resolve({
        sees: (above: readonly number[]) => above.includes(2),
        seesScripts: true,
        rights: '',
      })
    const ear = await listen(stage.hub, { wanted: { jobIds: new Set([3]) }, look })
    await stage.hub.tell([valueOf(3, 1)])
    await stage.database.run(sql`update objects set path = '/1/5/3/' where id = 3`)
    await stage.hub.beat()
    await stage.hub.tell([valueOf(3, 2)])
    await stage.database.run(sql`update objects set path = '/1/2/3/' where id = 3`)
    await stage.hub.beat()
    await stage.hub.tell([valueOf(3, 3)])
    await stage.database.run(sql`delete from objects where id = 3`)
    await stage.hub.beat()
    await stage.hub.tell([valueOf(3, 4)])
    await stage.hub.publish({ kind: 'script', data: { last: true } })
    await ear.until(({ heard }) => heard.at(-1)?.event === 'script')
    const told = ear.of('value').map(({ samples }) => (samples as { value: number }[])[0]?.value)
    expect(told).toEqual([1, 3])
  })

  test('continue after a break without loss, else there is a gap', async () => {
    const wanted = { jobIds: new Set([3]) }
    const first = await listen(stage.hub, { wanted })
    await first.until(({ heard }) => heard.length === 1)
    await first.leave()
    await stage.hub.tell([valueOf(3, 1)])
    const again = await listen(stage.hub, { wanted, lastEventId: first.lastId, once: true })
    expect((await again.ended()).of('value')).toHaveLength(1)
    const other = await listen(stage.hub, {
      wanted: { jobIds: new Set([4]) },
      lastEventId: again.lastId,
      once: true,
    })
    expect((await other.ended()).of('gap')).toEqual([{ reason: 'jobs' }])
  })

  test('that could not be published cause a gap', async () => {
    const reads = await listen(stage.hub, { wanted: { jobIds: new Set([3]) } })
    const other = await listen(stage.hub)
    await stage.hub.tell([valueOf(3, 1)], true)
    await reads.until(({ heard }) => heard.length === 3)
    expect(reads.heard.slice(1).map(({ event }) => event)).toEqual(['gap', 'value'])
    expect(reads.of('gap')).toEqual([{ reason: 'values', jobId: 3 }])
    await stage.hub.publish({ kind: 'script', data: {} })
    await other.until(({ heard }) => heard.length === 2)
    expect(other.of('gap')).toEqual([])
  })
})

describe('bounds', () => {
  test('the number of readers is limited, per user and in total', async () => {
    const ears: Ear[] = []
    for (let count = 0; count < 3; count++) ears.push(await listen(stage.hub))
    expect(await codeOf(stage.hub.open(readingOf()))).toBe('overloaded')
    await ears[0]?.leave()
    await listen(stage.hub)
    await listen(stage.hub, { userId: 2 })
    await listen(stage.hub, { userId: 2 })
    expect(await codeOf(stage.hub.open(readingOf({ userId: 3 })))).toBe('overloaded')
    await ears[1]?.leave()
    await listen(stage.hub, { userId: 3 })
    expect(stage.hub.readers).toBe(5)
  })

  test('a rejected reader leaves no trace', async () => {
    const nobody = () => Promise.resolve(null)
    const away = () => Promise.reject(new Error('away'))
    for (let tried = 0; tried < 10; tried++) {
      expect(await codeOf(stage.hub.open(readingOf({ look: nobody })))).toBe('unauthenticated')
      expect(String(await rejection(stage.hub.open(readingOf({ look: away }))))).toContain('away')
    }
    await listen(stage.hub)
    expect(stage.hub.readers).toBe(1)
  })

  test('the number of watched jobs is limited, and released jobs make room', async () => {
    const both = await listen(stage.hub, { wanted: { jobIds: new Set([3, 4]) } })
    await listen(stage.hub, { wanted: { jobIds: new Set([4]) } })
    const third = readingOf({ wanted: { ...readingOf().wanted, jobIds: new Set([6]) } })
    expect(await codeOf(stage.hub.open(third))).toBe('overloaded')
    await both.leave()
    stage.clock.at += LINGER_MS
    await stage.hub.beat()
    await stage.hub.open(third)
    expect([stage.hub.watches(3), stage.hub.watches(4), stage.hub.watches(6)]).toEqual([false, true, true])
  })

  test('a reader that does not read is cut off after the window, and others are not', async () => {
    const { body } = await stage.hub.open(readingOf())
    const reads = await listen(stage.hub)
    const large = { text: 'x'.repeat(8 * 1024) }
    for (let count = 1; count <= 52; count++) {
      await stage.hub.publish({ kind: 'script', data: { ...large, count } })
      await reads.until(({ heard }) => heard.length === count + 1)
    }
    expect(stage.hub.readers).toBe(2)
    for (let count = 53; count <= 54; count++) {
      await stage.hub.publish({ kind: 'script', data: { ...large, count } })
      await reads.until(({ heard }) => heard.length === count + 1)
    }
    expect(stage.hub.readers).toBe(1)
    // What had been handed to its connection, and nothing after it.
    let sizeBytes = 0
    if (body) sizeBytes = (await new Response(body).bytes()).length
    expect(sizeBytes).toBeLessThan(40 * 1024)
    expect(reads.of('script').map(({ count }) => count)).toEqual(
      Array.from({ length: 54 }, (_, place) => place + 1),
    )
  })

  test('a reader without progress for six beats is cut off, and one with some progress is not', async () => {
    const { body: unread } = await stage.hub.open(readingOf())
    const slow = (await stage.hub.open(readingOf())).body?.getReader()
    for (let count = 0; count < 20; count++)
      await stage.hub.publish({ kind: 'script', data: { text: 'x'.repeat(8 * 1024) } })
    for (let beats = 1; beats < 6; beats++) {
      await stage.hub.beat()
      await slow?.read()
    }
    expect(stage.hub.readers).toBe(2)
    await stage.hub.beat()
    expect(stage.hub.readers).toBe(1)
    await slow?.cancel()
    await unread?.cancel()
    expect(stage.hub.readers).toBe(0)
  })

  test('two hundred readers that resume at once each get all events once', async () => {
    const large = await openHubStage({ limits: { readersOfUserMax: 200 } })
    const first = await listen(large.hub)
    await first.until(({ heard }) => heard.length === 1)
    await large.tell(3, 'major')
    await large.tell(6, 'major')
    const [everything] = [await first.until(({ heard }) => heard.length === 6)]
    await first.leave()
    const ears = await Promise.all(
      Array.from({ length: 200 }, () => listen(large.hub, { lastEventId: '1-0', once: true })),
    )
    for (const ear of ears) expect((await ear.ended()).heard.slice(1)).toEqual(everything.heard.slice(1))
    const waits = new Set(ears.flatMap(({ retries }) => retries))
    expect(waits.size).toBe(200)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2_000)
    expect(Math.max(...waits)).toBeLessThan(5_000)
    await large.close()
  })
})
