import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { sweepAll } from '../../src/state-pipeline.ts'
import { logIn, speakTo } from '../api/client.ts'
import type { Speaker } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { ADMIN } from '../hosts/host.ts'
import { openLargeStage, SIZE } from './large-stage.ts'

const ROOT = 1
const START_MAX_MS = 180_000
const REPORT = 'did not match their children'

describe.each(HOSTS_BY_HAND)('the nightly sweep on %s', (_, start) => {
  let hand: HostByHand
  let speaker: Speaker
  const sessionIds: { administrator?: string } = {}

  beforeAll(async () => {
    hand = await start()
    speaker = await speakTo(hand.host, { sessionIds })
  }, START_MAX_MS)
  afterAll(() => hand.host.close())

  const reports = () => hand.host.logs.filter((line) => line.includes(REPORT))
  const make = async (path: string, name: string) =>
    (await good<{ id: number }>(speaker.request('POST', path, { json: { name } }))).id

  test(
    'corrects and logs drift with its consequences above, and then finds none',
    async () => {
      // Sessions end overnight.
      const signIn = async () => (sessionIds.administrator = await logIn(speaker, ADMIN))
      await signIn()
      const group = await make(`/groups?parentType=group&parentId=${ROOT}`, 'a group')
      const device = await make(`/devices?parentType=group&parentId=${group}`, 'a device')
      for (const name of ['one', 'two']) await make(`/jobs?parentType=device&parentId=${device}`, name)
      const seen = async () => {
        await signIn()
        return good(speaker.request('GET', `/root/tree/group/${group}/tree?depth=all&types=group,device`))
      }
      const before = await seen()

      await hand.passNight()
      expect(reports()).toEqual([])
      expect(await seen()).toEqual(before)

      // As lost updates would leave it: the device is major for no reason, its group for the device, and the root has not heard.
      await hand.meddle(
        `update states set tally = '[1,0,0,0,0,0,0,1,0,0]', state = 'major' where object_id = ${device}`,
      )
      await hand.meddle(
        `update states set tally = '[1,0,0,0,0,0,0,0,0,0]', state = 'major' where object_id = ${group}`,
      )
      expect(await seen()).toMatchObject({ state: 'major', children: [{ state: 'major' }] })
      await hand.passNight()
      expect(await seen()).toEqual(before)
      expect(reports()).toHaveLength(1)
      expect(reports()[0]).toContain(`"ids":"${ROOT} ${device}"`)

      await hand.passNight()
      expect(reports()).toHaveLength(1)
    },
    START_MAX_MS,
  )
})

describe('a tree of 100,000 jobs', () => {
  const FIRST_DEVICE = SIZE.groups + 2
  let stage: Awaited<ReturnType<typeof openLargeStage>>

  beforeAll(async () => {
    stage = await openLargeStage()
  }, START_MAX_MS)
  afterAll(() => stage.close())

  test('is swept in slices with changes in between, and all drift is found', async () => {
    const { database, flow } = stage.ports
    const parents = () =>
      database.all(
        sql`select object_id, state, tally from states join objects on id = object_id where type <> 'job'`,
      )
    const before = await parents()
    await database.run(sql`update states set tally = '[3,0,0,0,0,0,0,0,0,0]', state = 'major'
      where object_id in (${FIRST_DEVICE}, ${FIRST_DEVICE + 1_999}, ${ROOT})`)
    let isSwept = false
    const swept = sweepAll(stage.ports).then(() => (isSwept = true))
    let changes = 0
    while (!isSwept) {
      await flow.apply([])
      if (!isSwept) changes++
    }
    await swept
    // A slice of 200 parents each.
    expect(changes).toBeGreaterThanOrEqual(10)
    expect(await parents()).toEqual(before)
    const told = stage.logs.filter((line) => line.includes(REPORT)).join()
    for (const id of [FIRST_DEVICE, FIRST_DEVICE + 1_999, ROOT]) expect(told).toContain(String(id))
  })

  test('changes since the last count are not taken for drift', async () => {
    const { database, flow } = stage.ports
    const reports = () => stage.logs.filter((line) => line.includes(REPORT)).length
    const before = reports()
    await database.run(
      sql`update states set tally = '[3,0,0,0,0,0,0,0,0,0]' where object_id = ${FIRST_DEVICE}`,
    )
    await database.run(sql`insert into stale_tallies (object_id, mark) values (${FIRST_DEVICE}, 1)`)
    await sweepAll(stage.ports)
    expect(reports()).toBe(before)
    await flow.runDue()
    await sweepAll(stage.ports)
    expect(reports()).toBe(before)
  })
})
