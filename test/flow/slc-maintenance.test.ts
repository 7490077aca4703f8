import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { sweepAll } from '../../src/state-pipeline.ts'
import type { ObjectName } from '../../src/monitoring/revaluations/service.ts'
import { deleteRevaluation, updateRevaluation } from '../../src/monitoring/revaluations/service.ts'
import { revaluationBody } from '../../src/monitoring/revaluations/schema.ts'
import { updateSlo } from '../../src/monitoring/slos/service.ts'
import { sloBody } from '../../src/monitoring/slos/schema.ts'
import { bareState, isMaintained } from '../../src/monitoring/states/state.ts'
import { rejection } from '../contract/rejection.ts'
import { BEGIN, countSeconds, END, next, TOLD_UNTIL } from './seconds.ts'
import { openSlcStage } from './slc-stage.ts'
import type { SlcStage } from './slc-stage.ts'

const SECOND_MS = 1_000
const day = (time: string) => `2026-06-01T${time}:00Z`
const on = (time: string) => Date.parse(day(time))
const RELEVANT = { slaRelevant: true }

describe('slaRelevant maintenance', () => {
  let opened: Awaited<ReturnType<typeof openSlcStage>>
  beforeAll(async () => {
    opened = await openSlcStage()
  })
  afterAll(() => opened.close())

  /** A container that may be bad for 8,640 seconds a day, over a service level object over a job. */
  async function planted() {
    const stage = opened.newStage()
    stage.clock.at = on('00:00')
    const made = await stage.newSlo()
    const slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [made.slo])
    return { stage, slc, ...made }
  }

  const places = [
    ['the service level object', ({ slo }: { slo: number }): ObjectName => ({ type: 'slo', id: slo })],
    ['the job below it', ({ job }: { job: number }): ObjectName => ({ type: 'job', id: job })],
    [
      'the device of that job',
      ({ device }: { device: number }): ObjectName => ({ type: 'device', id: device }),
    ],
  ] as const

  test.each(places)('of %s lets downtime use the credit of a container', async (_, of) => {
    const made = await planted()
    const { stage, slc, slo, job } = made
    await stage.revalue(of(made), day('02:00'), day('08:00'), RELEVANT)
    await stage.tell(job, on('01:00'), 'major')
    await stage.wakeUntil(on('07:00'))
    expect(await stage.stateOf(slo)).toBe('maintenance_major')
    expect(await stage.valuesOf(slc)).toMatchObject({ creditTotal: 8_640, creditUsed: 21_600 })
    expect(await stage.changesOf(slc)).toEqual([
      ['2026-06-01T04:55:12+02:00', 'minor', 'child', slo],
      ['2026-06-01T05:24:00.001+02:00', 'major', 'child', slo],
    ])
    await stage.tell(job, on('07:00'), 'ok')
    await stage.wakeUntil(Date.parse('2026-06-02T10:00:00Z'))
    expect(await stage.periodsOf(slc)).toMatchObject([{ revisions: [{ creditUsed: 21_600 }] }])
    const anew = await stage.recalculate(slc, day('00:00'), '2026-06-02T00:00:00Z')
    expect(anew.items[0]?.revisions.map(({ creditUsed }) => creditUsed)).toEqual([21_600, 21_600])
  })

  test('is ignored beside other maintenance, also after that has ended', async () => {
    const { stage, slc, slo, job, device } = await planted()
    await stage.revalue({ type: 'device', id: device }, day('02:00'), day('08:00'), RELEVANT)
    await stage.revalue(slo, day('03:00'), day('04:00'))
    await stage.tell(job, on('01:00'), 'major')
    const usedAt = async (time: string) => {
      await stage.wakeUntil(on(time))
      return (await stage.valuesOf(slc)).creditUsed
    }
    expect(await usedAt('03:00')).toBe(7_200)
    expect(await usedAt('04:00')).toBe(7_200)
    expect(await usedAt('04:30')).toBe(9_000)
    expect((await stage.changesOf(slc)).map(([at, to]) => [at, to])).toEqual([
      ['2026-06-01T04:55:12+02:00', 'minor'],
      ['2026-06-01T06:24:00.001+02:00', 'major'],
    ])
  })

  test('counts until it is ended, and cannot change the flag after its start', async () => {
    const { stage, slc, slo, job } = await planted()
    await stage.tell(job, on('01:00'), 'major')
    const object = { type: 'slo', id: slo } as const
    const id = await stage.revalue(slo, day('02:00'), day('20:00'))
    const change = (slaRelevant: boolean) => {
      const body = revaluationBody.parse({ begin: day('02:00'), end: day('20:00'), slaRelevant })
      return updateRevaluation(stage.context, object, { revaluationId: id, body, ifMatch: null })
    }
    await change(true)
    await stage.wakeUntil(on('03:00'))
    expect(await rejection(change(false))).toMatchObject({ errors: [{ pointer: '/slaRelevant' }] })
    expect((await stage.valuesOf(slc)).creditUsed).toBe(7_200)
    await deleteRevaluation(stage.context, object, id)
    await stage.revalue(slo, day('03:00'), day('04:00'))
    await stage.wakeUntil(on('05:00'))
    expect((await stage.valuesOf(slc)).creditUsed).toBe(10_800)
  })

  test('leaves nothing for the nightly sweep to correct, which corrects drift', async () => {
    const { stage, slc, slo, job, device } = await planted()
    const { ports } = stage.context
    const { database } = ports
    await stage.revalue({ type: 'device', id: device }, day('02:00'), day('08:00'), RELEVANT)
    await stage.tell(job, on('02:30'), 'major')
    await stage.wakeUntil(on('03:00'))
    const kept = () =>
      database.all(sql`select object_id, state, tally, sla_state from states order by object_id`)
    const before = await kept()
    await sweepAll(ports)
    expect(await kept()).toEqual(before)
    // As a lost update would leave it: the service level object is not taken for what its child makes it.
    await database.run(sql`update states set sla_state = null where object_id = ${slo}`)
    await sweepAll(ports)
    const [{ slaState } = { slaState: '' }] = await database.all<{ slaState: string }>(
      sql`select sla_state as "slaState" from states where object_id = ${slo}`,
    )
    expect(JSON.parse(slaState)).toMatchObject({ state: 'major', maintained: false })
    await stage.wakeUntil(on('04:00'))
    // From then on.
    expect((await stage.valuesOf(slc)).creditUsed).toBe(3_600)
  })
})

test('the sweep that corrects a service level object also assesses its container', async () => {
  const opened = await openSlcStage()
  const stage = opened.newStage()
  stage.clock.at = on('00:00')
  const { slo, job } = await stage.newSlo()
  const slc = await stage.newSlc({ limit: 100, duration: 'day', timezone: 'UTC' }, [slo])
  await stage.wake(on('01:00'))
  // As a lost update would leave it: the job is bad, and nobody above has heard.
  const { database } = stage.context.ports
  await database.run(sql`update states set state = 'major' where object_id = ${job}`)
  stage.clock.at = on('02:00')
  expect(await stage.stateOf(slc)).toBe('ok')
  await sweepAll(stage.context.ports)
  expect(await stage.stateOf(slo)).toBe('major')
  stage.clock.at = on('02:00') + 1
  await sweepAll(stage.context.ports)
  expect(await stage.changesOf(slc)).toEqual([['2026-06-01T04:00:00.001+02:00', 'major', 'child', slo]])
  await opened.close()
})

/** Jobs that are bad, and maintenance, as they were told; what is plain is not to count. */
type Told = {
  readonly jobs: Map<number, { readonly at: number; readonly bad: boolean }[]>
  readonly maintenance: {
    readonly of: number
    readonly beginAt: number
    endAt: number
    readonly plain: boolean
  }[]
}

test('a container agrees with a count of every second, for any maintenance of any object', async () => {
  const opened = await openSlcStage()
  const stage = opened.newStage()
  stage.clock.at = BEGIN
  const made = [await stage.newSlo(), await stage.newSlo(), await stage.newSlo()]
  const [first, second, third] = made
  if (!first || !second || !third) throw new Error('They were just made.')
  // Two of three jobs that are bad by nobody's plan make this one bad; the others are as their own job.
  const counting = sloBody.parse({ name: 'two of three', stateOperation: 'count', major: 2 })
  await updateSlo(stage.context, first.slo, { body: counting, ifMatch: null })
  await stage.link(
    'slo',
    first.slo,
    made.map(({ job }) => job),
  )
  const slos = made.map(({ slo }) => slo)
  const slc = await stage.newSlc({ limit: 97, duration: 'day', timezone: 'Europe/Zurich' }, slos)
  const told: Told = { jobs: new Map(made.map(({ job }) => [job, []])), maintenance: [] }
  await misbehave(stage, { made, slc, told })
  await stage.wake(TOLD_UNTIL)
  const isIn = (ids: readonly number[], at: number, isPlain: boolean) =>
    told.maintenance.some(
      ({ of, beginAt, endAt, plain }) =>
        ids.includes(of) && beginAt <= at && at < endAt && (plain || !isPlain),
    )
  const isPlain = (ids: readonly number[], at: number) => isIn(ids, at, true)
  const isBadJob = ({ job, device }: (typeof made)[number], at: number) =>
    (told.jobs.get(job)?.findLast((change) => change.at <= at)?.bad ?? false) &&
    !isPlain([job, device, stage.group], at)
  const isBad = (at: number) =>
    !isPlain([slc], at) &&
    made.some(({ slo }, index) => {
      const bad = made.filter((one, place) => (index === 0 || place === index) && isBadJob(one, at))
      return bad.length >= (index === 0 ? 2 : 1) && !isPlain([slo, stage.group], at)
    })
  const counted = countSeconds(isBad, () => true, 0.03)
  expect(counted.length).toBeGreaterThan(4)
  const changes = (await stage.changesOf(slc)).map(([at, to]) => ({ at: Date.parse(at), to }))
  const bare = changes.map(({ at, to }) => [at, bareState(to)] as const)
  expect(bare.filter(([, to], index) => to !== (bare[index - 1]?.[1] ?? 'ok'))).toEqual(
    counted.map(([at, to]) => [at, to]),
  )
  // It is shown as maintained exactly while itself or its group is, whatever that maintenance is.
  const shownAt = (at: number) => changes.findLast((change) => change.at <= at)?.to ?? 'ok'
  for (let at = BEGIN; at < END; at += 60 * SECOND_MS) {
    expect([at, isMaintained(shownAt(at))]).toEqual([at, isIn([slc, stage.group], at, false)])
  }
  // Both kinds made a difference.
  expect(told.maintenance.filter(({ plain }) => plain).length).toBeGreaterThan(10)
  const [{ total } = { total: 0 }] = await stage.context.ports.database.all<{ total: number }>(
    sql`select count(*) as total from sla_changes where to_state is not null`,
  )
  expect(total).toBeGreaterThan(100)
  await opened.close()
}, 180_000)

type Made = { readonly job: number; readonly slo: number; readonly device: number }

/** Jobs go bad and recover, maintenance is planned, overlaps and is ended early, all at odd moments. */
async function misbehave(
  stage: SlcStage,
  { made, slc, told }: { readonly made: readonly Made[]; readonly slc: number; readonly told: Told },
): Promise<void> {
  const places: ObjectName[] = [
    { type: 'group', id: stage.group },
    { type: 'slc', id: slc },
    ...made.flatMap(({ job, slo, device }): ObjectName[] => [
      { type: 'job', id: job },
      { type: 'slo', id: slo },
      { type: 'device', id: device },
    ]),
  ]
  for (let at = BEGIN + SECOND_MS; at < END; at += SECOND_MS * (1 + next(3_600))) {
    if (next(3) > 0) await stage.wakeUntil(at)
    if (next(3) === 0) await plan(stage, places[next(places.length)] ?? places[0], { at, told })
    const { job } = made[next(made.length)] ?? { job: 0 }
    const bad = next(3) === 0
    await stage.tell(job, at, bad ? 'major' : 'ok')
    told.jobs.get(job)?.push({ at, bad })
    if (next(5) === 0) stage.restart()
  }
}

async function plan(
  stage: SlcStage,
  place: ObjectName | undefined,
  { at, told }: { readonly at: number; readonly told: Told },
): Promise<void> {
  if (!place) return
  stage.clock.at = Math.max(stage.clock.at, at)
  const beginAt = at + SECOND_MS * next(1_800)
  const endAt = beginAt + SECOND_MS * (1 + next(7_200))
  const slaRelevant = next(2) === 0
  const instant = (one: number) => new Date(one).toISOString()
  const id = await stage.revalue(place, instant(beginAt), instant(endAt), { slaRelevant })
  const entry = { of: place.id, beginAt, endAt, plain: !slaRelevant }
  told.maintenance.push(entry)
  if (next(6) > 0) return
  await deleteRevaluation(stage.context, place, id)
  entry.endAt = Math.max(beginAt, stage.clock.at)
}
