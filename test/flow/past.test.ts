import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import { outagesQuery } from '../../src/monitoring/outages/schema.ts'
import { listOutages } from '../../src/monitoring/outages/service.ts'
import { stateHistoryQuery } from '../../src/monitoring/state-history/schema.ts'
import { readStateHistory } from '../../src/monitoring/state-history/service.ts'
import type { State } from '../../src/domain/state.ts'
import { openPorts } from '../hosts/ports.ts'
import { contextOf, plantObject, Teller } from './plants.ts'

/** A job of a device in a group, whose past is told by its actor. */
const [GROUP, DEVICE, JOB] = [2, 3, 4]
const DAY_MS = 86_400_000
/** The day on which clocks went forward in Zurich: 23 hours long. */
const SHORT_DAY = { begin: '2026-03-29T00:00:00+01:00', end: '2026-03-30T00:00:00+02:00' }

let stage: Awaited<ReturnType<typeof openPorts>>
let context: Context
let teller: Teller

beforeAll(async () => {
  stage = await openPorts({ timeZone: 'Europe/Zurich' })
  stage.clock.at = Date.parse('2026-04-10T00:00:00Z')
  const { ports } = stage
  context = contextOf(ports)
  await plantObject(ports.database, { id: GROUP, type: 'group', path: '/1/2/' })
  await plantObject(ports.database, { id: DEVICE, type: 'device', path: '/1/2/3/' })
  await plantObject(ports.database, { id: JOB, type: 'job', path: '/1/2/3/4/' })
  teller = new Teller(ports)
})
afterAll(() => stage.close())

const tell = (at: string, to: State, errorCode = 0) => teller.tell(JOB, to, at, errorCode)

const outages = async (type: 'job' | 'device' | 'group', id: number, query: object) =>
  (await listOutages(context, { type, id }, outagesQuery.parse(query))).items

describe('a job that was down on the day of a DST change', () => {
  beforeAll(async () => {
    await tell('2026-03-29T01:30:00+01:00', 'major', 7)
    await tell('2026-03-29T03:30:00+02:00', 'ok')
    await tell('2026-03-29T23:50:00+02:00', 'major', 5)
    await tell('2026-03-30T00:20:00+02:00', 'ok')
  })

  test.each([
    ['job', JOB],
    ['device', DEVICE],
    ['group', GROUP],
  ] as const)(
    'shows its outages on the %s, whole where the range cuts them, with the job to blame',
    async (type, id) => {
      expect(await outages(type, id, SHORT_DAY)).toMatchObject([
        {
          objectId: id,
          objectType: type,
          begin: '2026-03-29T01:30:00+01:00',
          end: '2026-03-29T03:30:00+02:00',
          duration: 'PT1H',
          active: false,
          reasons: [{ type: 'job', id: JOB, name: 'my job', errorCode: 7 }],
        },
        { begin: '2026-03-29T23:50:00+02:00', end: '2026-03-30T00:20:00+02:00', duration: 'PT30M' },
      ])
    },
  )

  test('was available for 21 hours and 50 minutes of 23 hours', async () => {
    const query = { timestamp_begin: SHORT_DAY.begin, timestamp_end: SHORT_DAY.end }
    const history = await readStateHistory(context, { type: 'job', id: JOB }, stateHistoryQuery.parse(query))
    expect(history).toMatchObject({
      resolution: 'PT6M54S',
      truncated: false,
      availability: { percent: 94.927, downSeconds: 4_200, measuredSeconds: 82_800 },
    })
    expect(history.samples).toHaveLength(200)
    expect(history.transitions.map(({ to }) => to)).toEqual(['major', 'ok', 'major'])
  })

  test('the history of a device names the job that changed it', async () => {
    const query = { timestamp_begin: SHORT_DAY.begin, timestamp_end: SHORT_DAY.end }
    const history = await readStateHistory(
      context,
      { type: 'device', id: DEVICE },
      stateHistoryQuery.parse(query),
    )
    expect(history.transitions[0]).toMatchObject({
      to: 'major',
      reason: 'child',
      cause: { type: 'job', id: JOB, name: 'my job' },
    })
  })

  test('neighbouring outages within the gap are merged, also beyond the range', async () => {
    const query = { begin: '2026-03-29T02:59:00+02:00', end: '2026-03-29T03:10:00+02:00' }
    expect(await outages('job', JOB, { ...query, mergeGap: 'PT21H' })).toMatchObject([
      { begin: '2026-03-29T01:30:00+01:00', end: '2026-03-30T00:20:00+02:00', duration: 'PT21H50M' },
    ])
    expect(await outages('job', JOB, { ...query, mergeGap: 'PT20H19M' })).toMatchObject([
      { duration: 'PT1H' },
    ])
  })

  test('ranges beside an outage do not list it', async () => {
    const beside = [
      { begin: '2026-03-29T03:30:00+02:00', end: '2026-03-29T23:50:00+02:00' },
      { begin: '2026-03-28T00:00:00+01:00', end: '2026-03-29T01:30:00+01:00' },
    ]
    for (const range of beside) expect(await outages('job', JOB, range)).toEqual([])
  })
})

test('an open outage has no end, and its duration so far', async () => {
  await tell('2026-04-09T22:00:00Z', 'major', 5)
  expect(await outages('group', GROUP, { begin: '2026-04-09T23:00:00Z' })).toMatchObject([
    {
      begin: '2026-04-10T00:00:00+02:00',
      end: null,
      active: true,
      duration: 'PT2H',
      segments: [{ end: null }],
    },
  ])
  await tell('2026-04-09T23:00:00Z', 'ok')
})

test('a noisy year is read completely and exactly', async () => {
  const from = stage.clock.at - 365 * DAY_MS
  const count = 52_560
  // Straight into the table: every ten minutes bad for a minute, on the device, which nobody else changes by then.
  await stage.ports.database.run(sql`delete from transitions where object_id = ${DEVICE}`)
  await stage.ports.database.run(sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${2 * count - 1})
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    select ${DEVICE}, i + 1, ${from} + (i / 2) * 600000 + (i % 2) * 60000, 0,
      case when i % 2 then 'major' else 'ok' end, case when i % 2 then 'ok' else 'major' end, 'child', 0 from n`)
  const query = stateHistoryQuery.parse({
    timestamp_begin: new Date(from).toISOString(),
    timestamp_end: new Date(stage.clock.at).toISOString(),
  })
  const history = await readStateHistory(context, { type: 'device', id: DEVICE }, query)
  expect(history.availability).toMatchObject({
    percent: 90,
    downSeconds: count * 60,
    measuredSeconds: 365 * 86_400,
  })
  expect(history).toMatchObject({ truncated: true, transitions: [] })
})
