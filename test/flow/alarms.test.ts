import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { changesAfter } from '../../src/monitoring/alarms/service.ts'
import { updateDependencies } from '../../src/monitoring/dependencies/service.ts'
import { openPorts } from '../hosts/ports.ts'
import { contextOf, plantObject, Teller } from './planting.ts'

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
  await database.run(sql`insert into uncounted values (${SERVER}, 1), (${ROUTER}, 1), (${GROUP}, 1), (1, 1)`)
  await flow.settle()
  stage.clock.at++
  teller = new Teller(stage.ports)
})
afterEach(() => stage.close())

const minutes = (count: number) => new Date(Date.parse(NOW) + count * MINUTE_MS).toISOString()

async function at(minute: number): Promise<void> {
  stage.clock.at = Date.parse(minutes(minute))
  await stage.ports.flow.settle()
}

/** What happened to alarms: minute, object, what. */
async function past(): Promise<unknown[]> {
  const rows = await changesAfter(stage.ports.database, 0, 1_000)
  return rows.map((row) => [(row.at - Date.parse(NOW)) / MINUTE_MS, row.objectId, row.kind])
}

describe('the alarm of a job', () => {
  test('opens when it gets bad, follows it, and closes when it is well', async () => {
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

describe('what depends on something', () => {
  test('is not told while that has an alarm, and is afterwards where it is still bad', async () => {
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
