import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { sweepAll } from '../../src/flow.ts'
import { connectAdministrator } from '../api/client.ts'
import type { Speaker } from '../api/client.ts'
import { plantTree } from '../api/large-tree.ts'
import { good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { openPorts } from '../hosts/ports.ts'

const ROOT = 1
const START_MAX_MS = 60_000
const REPORT = 'have been set right'

describe.each(HOSTS_BY_HAND)('a night on %s', (_, start) => {
  let hand: HostByHand
  let speaker: Speaker

  beforeAll(async () => {
    hand = await start()
    speaker = await connectAdministrator(hand.host)
  }, START_MAX_MS)
  afterAll(() => hand.host.close())

  const reports = () => hand.host.logs.filter((line) => line.includes(REPORT))
  const make = async (path: string, name: string) =>
    (await good<{ id: number }>(speaker.request('POST', path, { json: { name } }))).id

  test('sets right what drifted, down to what it means above, says so, and then has nothing to say', async () => {
    const group = await make(`/groups?parentType=group&parentId=${ROOT}`, 'a group')
    const device = await make(`/devices?parentType=group&parentId=${group}`, 'a device')
    for (const name of ['one', 'two']) await make(`/jobs?parentType=device&parentId=${device}`, name)
    const seen = async () => {
      // Sessions end overnight.
      const { request } = await connectAdministrator(hand.host)
      const tree = await good(request('GET', `/root/tree/group/${group}/tree?depth=all&types=group,device`))
      const history = await good<{ transitions: object[] }>(request('GET', `/groups/${group}/state-history`))
      return { tree, changes: history.transitions.length }
    }
    const before = await seen()

    await hand.passNight()
    expect(reports()).toEqual([])
    expect(await seen()).toMatchObject({ tree: before.tree })

    // As lost updates would leave it: the device is major for no reason, its group for the device, and the root has not heard.
    await hand.meddle(
      `update states set tally = '[1,0,0,0,0,0,0,1,0,0]', state = 'major' where object_id = ${device}`,
    )
    await hand.meddle(
      `update states set tally = '[1,0,0,0,0,0,0,0,0,0]', state = 'major' where object_id = ${group}`,
    )
    expect((await seen()).tree).toMatchObject({ state: 'major', children: [{ state: 'major' }] })
    await hand.passNight()
    expect((await seen()).tree).toEqual(before.tree)
    expect(reports()).toHaveLength(1)
    expect(reports()[0]).toContain(`"ids":"${ROOT} ${device}"`)

    await hand.passNight()
    expect(reports()).toHaveLength(1)
  }, 30_000)
})

describe('a tree of 100,000 jobs', () => {
  const SIZE = { groups: 100, devices: 2_000, jobs: 100_000 }
  const FIRST_DEVICE = SIZE.groups + 2
  let stage: Awaited<ReturnType<typeof openPorts>>

  beforeAll(async () => {
    stage = await openPorts()
    const { database, flow } = stage.ports
    await plantTree(database, SIZE)
    await database.run(sql`insert into uncounted select id, 1 from objects where type <> 'job'`)
    await flow.settle()
  }, START_MAX_MS)
  afterAll(() => stage.close())

  test('is swept in slices that let changes in between, and every drift in it is found', async () => {
    const { database, flow } = stage.ports
    const parents = () =>
      database.all(
        sql`select object_id, state, tally from states join objects on id = object_id where type <> 'job'`,
      )
    const before = await parents()
    await database.run(sql`update states set tally = '[3,0,0,0,0,0,0,0,0,0]', state = 'major'
      where object_id in (${FIRST_DEVICE}, ${FIRST_DEVICE + 1_999}, ${ROOT})`)
    let isSwept = false
    const swept = sweepAll(flow).then(() => (isSwept = true))
    let changes = 0
    while (!isSwept) {
      await flow.follow([])
      if (!isSwept) changes++
    }
    await swept
    // A slice of 200 parents each.
    expect(changes).toBeGreaterThanOrEqual(10)
    expect(await parents()).toEqual(before)
    const told = stage.logs.filter((line) => line.includes(REPORT)).join()
    for (const id of [FIRST_DEVICE, FIRST_DEVICE + 1_999, ROOT]) expect(told).toContain(String(id))
  })

  test('what has just come is not taken for drift', async () => {
    const { database, flow } = stage.ports
    const lines = stage.logs.length
    await database.run(
      sql`update states set tally = '[3,0,0,0,0,0,0,0,0,0]' where object_id = ${FIRST_DEVICE}`,
    )
    await database.run(sql`insert into uncounted (object_id, mark) values (${FIRST_DEVICE}, 1)`)
    await sweepAll(flow)
    expect(stage.logs).toHaveLength(lines)
    await flow.settle()
    await sweepAll(flow)
    expect(stage.logs).toHaveLength(lines)
  })
})
