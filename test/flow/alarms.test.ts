import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { linksBody } from '../../src/monitoring/alarm-inbox/schema.ts'
import { assignAlarm, replaceLinks } from '../../src/monitoring/alarm-inbox/service.ts'
import { deleteOldChanges } from '../../src/monitoring/alarms/service.ts'
import { changesAfter } from './alarm-changes.ts'
import { updateDependencies } from '../../src/monitoring/dependencies/service.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import { deleteDevice } from '../../src/monitoring/tree/devices/service.ts'
import { openPorts } from '../hosts/ports.ts'
import { contextOf, plantObject, Teller } from './plants.ts'

/** A group with two devices: a router with a job, and a server behind it with two. */
const [GROUP, ROUTER, PING, SERVER, JOB, OTHER] = [2, 3, 4, 5, 6, 7]
const MINUTE_MS = 60_000
const NOW = '2026-03-02T09:00:00Z'

let stage: Awaited<ReturnType<typeof openPorts>>
let teller: Teller

beforeEach(async () => {
  stage = await openPorts()
  stage.clock.at = Date.parse(NOW) - 1
  const { database, flow } = stage.ports
  await plantObject(database, { id: GROUP, type: 'group', path: '/1/2/' })
  await plantObject(database, { id: ROUTER, type: 'device', path: '/1/2/3/' })
  await plantObject(database, { id: PING, type: 'job', path: '/1/2/3/4/' })
  await plantObject(database, { id: SERVER, type: 'device', path: '/1/2/5/' })
  await plantObject(database, { id: JOB, type: 'job', path: '/1/2/5/6/' })
  await plantObject(database, { id: OTHER, type: 'job', path: '/1/2/5/7/' })
  await database.run(
    sql`insert into stale_tallies values (${SERVER}, 1), (${ROUTER}, 1), (${GROUP}, 1), (1, 1)`,
  )
  await flow.runDue()
  stage.clock.at++
  teller = new Teller(stage.ports)
})
afterEach(() => stage.close())

const minutes = (count: number) => new Date(Date.parse(NOW) + count * MINUTE_MS).toISOString()

async function at(minute: number): Promise<void> {
  stage.clock.at = Date.parse(minutes(minute))
  await stage.ports.flow.runDue()
}

/** The events of alarms: minute, object, event. */
async function past(): Promise<unknown[]> {
  const rows = await changesAfter(stage.ports.database, 0, 1_000)
  return rows.map((row) => [(row.at - Date.parse(NOW)) / MINUTE_MS, row.objectId, row.kind])
}

describe('the alarm of a job', () => {
  test('opens with a bad state, follows it, and closes with a recovery', async () => {
    await teller.tell(JOB, 'warning', minutes(1))
    await teller.tell(JOB, 'major', minutes(2))
    await teller.tell(JOB, 'minor', minutes(3))
    await teller.tell(JOB, 'ok', minutes(4))
    expect(await past()).toEqual([
      [1, JOB, 'opened'],
      [2, JOB, 'worsened'],
      [3, JOB, 'eased'],
      [4, JOB, 'closed'],
    ])
  })
})

/** The open alarm of an object. */
async function alarmOf(objectId: number): Promise<number> {
  const rows = await stage.ports.database.all<{ id: number }>(
    sql`select id from alarms where object_id = ${objectId} and end_at is null`,
  )
  return rows[0]?.id ?? 0
}

const assigned = { userId: 1, until: null, comment: null, sticky: false }

describe('alarms under other changes', () => {
  beforeEach(async () => {
    for (const id of [1, 2])
      await stage.ports.database.run(sql`
        insert into users (id, username, role, type, fullname, email, phone, language, time_zone, password_hash, version,
          created_at)
        values (${id}, ${`user ${id}`}, 'administrator', 'SHARED', '', '', '', 'en', 'UTC', '', 1, 1)`)
  })

  test('alarms of deleted objects close in the same commit, and alarms that they suppressed are notified', async () => {
    const context = contextOf(stage.ports)
    await updateDependencies(context, { parentType: 'job', parentId: JOB }, [PING])
    await teller.tell(PING, 'major', minutes(1))
    await teller.tell(JOB, 'major', minutes(2))
    await deleteDevice(context, ROUTER, true)
    expect((await past()).slice(-2)).toEqual([
      [0, PING, 'closed'],
      [0, JOB, 'released'],
    ])
    const [closed] = (await changesAfter(stage.ports.database, 0, 100)).filter(
      ({ kind }) => kind === 'closed',
    )
    expect(closed?.details).toMatchObject({ reason: 'deleted', objectType: 'job', objectName: 'my job' })
    expect(await stage.ports.database.all(sql`select 1 from alarms where object_id = ${PING}`)).toEqual([])
  })

  const root = { parentType: 'group', parentId: 1 } as const
  const replace = (links: readonly object[]) =>
    replaceLinks(contextOf(stage.ports), root, { body: linksBody.parse({ links }), ifMatch: null })
  const recipients = async (...ids: readonly number[]) => {
    for (const id of ids)
      await stage.ports.database.run(sql`
        insert into alarm_recipients (id, name, type, target, shown_target, rules, handed_out, version, created_at)
        values (${id}, ${`recipient ${id}`}, 'slack', '', '', '{"minState":"warning","objectIds":[9],"escalation":[]}', 0, 1, 0)`)
  }

  test('alarms of a removed link close with it, and the answer counts them', async () => {
    await teller.tell(JOB, 'minor', minutes(1))
    await teller.tell(OTHER, 'minor', minutes(1))
    const { view } = await replace([])
    expect(view.warnings).toEqual([
      { code: 'alarms_closed', message: '2 open alarms were closed with the links that were removed.' },
    ])
    expect((await past()).slice(-2)).toEqual([
      [0, JOB, 'closed'],
      [0, OTHER, 'closed'],
    ])
    expect((await replace([])).view.warnings).toEqual([])
  })

  test('a new link opens alarms for objects that are bad now, dated now', async () => {
    await replace([])
    await teller.tell(JOB, 'minor', minutes(1))
    await teller.tell(OTHER, 'warning', minutes(1))
    stage.clock.at = Date.parse(minutes(5))
    await replace([{ minState: 'minor' }])
    expect(await past()).toEqual([[5, JOB, 'opened']])
    const rows = await stage.ports.database.all(
      sql`select reason, begin_at as beginAt, state from alarms where end_at is null`,
    )
    expect(rows).toEqual([{ reason: 'link', beginAt: Date.parse(minutes(5)), state: 'minor' }])
    // Wider: by its id, or another link beside it.
    const [{ id } = { id: 0 }] = (await replace([{ minState: 'minor' }])).view.links
    await replace([{ id, minState: 'warning' }])
    expect((await past()).slice(1)).toEqual([[5, OTHER, 'opened']])
    await teller.tell(JOB, 'ok', minutes(6))
    expect((await past()).slice(2)).toEqual([[6, JOB, 'closed']])
  })

  test('a new link opens alarms in slices, each once', async () => {
    await replace([])
    const { database } = stage.ports
    await database.run(sql`
      insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type, collector_id,
        version, created_at)
      select 1000 + value, 'job', 'job', 'job ' || value, 'job ' || value, ${SERVER}, '/1/2/5/' || (1000 + value) || '/', 0,
        'none', 0, 1, 0
      from generate_series(1, 1100)`)
    await database.run(sql`
      insert into states (object_id, seq, state, since_at, alarmed_seq)
      select 1000 + value, 1, 'major', 0, 1 from generate_series(1, 1100)`)
    await replace([{}])
    const [opened] = await database.all<{ total: number; objects: number }>(sql`
      select count(*) as total, count(distinct object_id) as objects from alarms where end_at is null`)
    expect(opened).toEqual({ total: 1_100, objects: 1_100 })
    expect(await database.all(sql`select 1 from alarm_links where opened_to is not null`)).toEqual([])
  })

  test('a link without an id continues the link with the same content, with its alarms', async () => {
    await recipients(1, 2)
    const links = [{ recipientId: 1 }, { recipientId: 2 }, { recipientId: 1, delay: 'PT5M' }]
    const before = (await replace(links)).view.links
    await teller.tell(JOB, 'major', minutes(1))
    const opened = await past()
    const swapped = (await replace([...links].reverse())).view.links
    expect(swapped.map(({ id }) => id)).toEqual(before.map(({ id }) => id).reverse())
    expect(await past()).toEqual(opened)
    // One whose recipient alone is another is the same link, too.
    const other = (await replace([{ recipientId: null }, ...links.slice(1)])).view.links
    expect(other.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect((await past()).slice(opened.length)).toEqual([[0, JOB, 'readdressed']])
    // One that differs in more is another link.
    const longer = (await replace([{ recipientId: null, delay: 'PT1M' }, ...links.slice(1)])).view.links
    expect(longer.map(({ id }) => id).slice(1)).toEqual(before.map(({ id }) => id).slice(1))
    expect(longer[0]?.id).not.toBe(before[0]?.id)
  })

  test('causes are searched again after a link got another recipient', async () => {
    await recipients(1, 2)
    const group = { parentType: 'group', parentId: GROUP } as const
    const relink = (recipientId: number) =>
      replaceLinks(contextOf(stage.ports), group, {
        body: linksBody.parse({ links: [{ covers: 'object', recipientId }] }),
        ifMatch: null,
      })
    await replace([{ recipientId: 1 }])
    await relink(1)
    await teller.tell(JOB, 'warning', minutes(1))
    await teller.tell(GROUP, 'major', minutes(1))
    await teller.tell(OTHER, 'warning', minutes(2))
    const explained = async () =>
      (await past()).filter((row) => /suppressed|released/.test(JSON.stringify(row)))
    expect(await explained()).toEqual([[2, OTHER, 'suppressed']])
    await relink(2)
    expect((await explained()).slice(1)).toEqual([[0, OTHER, 'released']])
  })

  test('an alarm of a deleted assignee is unassigned and notified again', async () => {
    await teller.tell(JOB, 'minor', minutes(1))
    stage.clock.at = Date.parse(minutes(2))
    await assignAlarm(contextOf(stage.ports), await alarmOf(JOB), { ...assigned, userId: 2 })
    await stage.ports.database.run(sql`delete from users where id = 2`)
    await at(3)
    expect((await past()).slice(-2)).toEqual([
      [2, JOB, 'assigned'],
      [3, JOB, 'unassigned'],
    ])
  })

  test('concurrent changes by users and the flow both happen, one after the other', async () => {
    await teller.tell(JOB, 'warning', minutes(1))
    const id = await alarmOf(JOB)
    const context = contextOf(stage.ports)
    const deeds = Array.from({ length: 5 }, (_, index) =>
      assignAlarm(context, id, { ...assigned, userId: 1 + (index % 2) }),
    )
    await Promise.all([
      ...deeds,
      teller.tell(JOB, 'major', minutes(1)),
      teller.tell(OTHER, 'major', minutes(1)),
    ])
    const changes = (await changesAfter(stage.ports.database, 0, 100)).filter(({ alarmId }) => alarmId === id)
    expect(changes.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(changes.map(({ kind }): string => kind).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'assigned'),
      'opened',
      'worsened',
    ])
  })

  test('two independent flows open each alarm once', async () => {
    const { ports } = stage
    await ports.database.run(sql`update states set alarmed_seq = seq`)
    await teller.tell(JOB, 'major', minutes(1))
    await teller.tell(OTHER, 'major', minutes(1))
    await ports.database.run(sql`delete from alarms`)
    await ports.database.run(sql`delete from alarm_changes`)
    await ports.database.run(sql`update states set alarmed_seq = 0 where object_id in (${JOB}, ${OTHER})`)
    await Promise.all([
      openStatePipeline(ports).runDue(),
      openStatePipeline(ports).runDue(),
      openStatePipeline(ports).runDue(),
    ])
    expect(await past()).toEqual([
      [1, JOB, 'opened'],
      [1, OTHER, 'opened'],
    ])
  })

  test('closed alarms are kept for 400 days with their changes, open ones without a limit', async () => {
    const { database } = stage.ports
    await teller.tell(JOB, 'minor', minutes(1))
    await teller.tell(JOB, 'ok', minutes(2))
    await teller.tell(OTHER, 'minor', minutes(2))
    const kept = async (minute: number) => {
      await deleteOldChanges(database, Date.parse(minutes(minute)) + 400 * 86_400_000)
      return [(await past()).length, (await database.all(sql`select 1 from alarms`)).length]
    }
    expect(await kept(2)).toEqual([3, 2])
    expect(await kept(3)).toEqual([1, 1])
  })
})

describe('time-based changes of alarms', () => {
  test('are dated when they were due, however late they are applied', async () => {
    await replaceLinks(
      contextOf(stage.ports),
      { parentType: 'group', parentId: 1 },
      { body: linksBody.parse({ links: [{ id: 1, delay: 'PT5M', recoveryDelay: 'PT10M' }] }), ifMatch: null },
    )
    await teller.tell(JOB, 'major', minutes(1))
    await teller.tell(OTHER, 'major', minutes(1))
    stage.clock.at = Date.parse(minutes(500))
    await teller.tell(JOB, 'ok', minutes(20))
    await teller.tell(JOB, 'minor', minutes(40))
    await at(501)
    await at(501)
    expect(await past()).toEqual([
      [1, JOB, 'opened'],
      [1, OTHER, 'opened'],
      [6, JOB, 'unheld'],
      [20, JOB, 'recovering'],
      [30, JOB, 'closed'],
      [40, JOB, 'opened'],
      [6, OTHER, 'unheld'],
      [45, JOB, 'unheld'],
    ])
  })

  test('wake the host when they are due', async () => {
    const flow = openStatePipeline(stage.ports)
    await replaceLinks(
      contextOf(stage.ports),
      { parentType: 'group', parentId: 1 },
      { body: linksBody.parse({ links: [{ id: 1, delay: 'PT5M' }] }), ifMatch: null },
    )
    await teller.tell(JOB, 'major', minutes(1))
    await flow.runDue()
    expect(flow.nextAt).toBe(Date.parse(minutes(6)))
    stage.clock.at = flow.nextAt
    await flow.runDue()
    expect(flow.nextAt).toBe(Infinity)
  })
})

describe('two alarms that could cause each other', () => {
  test('do not suppress each other: the first is notified, and the other once it has closed', async () => {
    const context = contextOf(stage.ports)
    // Each device depends on the other’s job: no circle among the two dependencies themselves.
    await updateDependencies(context, { parentType: 'device', parentId: SERVER }, [PING])
    await updateDependencies(context, { parentType: 'device', parentId: ROUTER }, [JOB])
    await stage.ports.flow.apply([])
    await teller.tell(PING, 'major', minutes(1))
    await teller.tell(JOB, 'major', minutes(2))
    await teller.tell(PING, 'minor', minutes(3))
    expect(await past()).toEqual([
      [1, PING, 'opened'],
      [2, JOB, 'opened'],
      [2, JOB, 'suppressed'],
      [3, PING, 'eased'],
    ])
  })
})

describe('an alarm of a dependent object', () => {
  test('is suppressed during the alarm of the dependency, and notified afterwards if the object is still bad', async () => {
    await updateDependencies(contextOf(stage.ports), { parentType: 'device', parentId: SERVER }, [ROUTER])
    await teller.tell(PING, 'major', minutes(1))
    await teller.tell(JOB, 'minor', minutes(2))
    await teller.tell(OTHER, 'minor', minutes(2))
    await teller.tell(OTHER, 'ok', minutes(3))
    await teller.tell(PING, 'ok', minutes(4))
    await at(5)
    expect(await past()).toEqual([
      [1, PING, 'opened'],
      [2, JOB, 'opened'],
      [2, JOB, 'suppressed'],
      [2, OTHER, 'opened'],
      [2, OTHER, 'suppressed'],
      [3, OTHER, 'closed'],
      [4, PING, 'closed'],
      [5, JOB, 'released'],
    ])
  })
})
