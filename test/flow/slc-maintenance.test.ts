import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { sweepAll } from '../../src/flow.ts'
import type { Named } from '../../src/monitoring/revaluations/service.ts'
import { deleteRevaluation, updateRevaluation } from '../../src/monitoring/revaluations/service.ts'
import { revaluationBody } from '../../src/monitoring/revaluations/schema.ts'
import { updateSlo } from '../../src/monitoring/slos/service.ts'
import { sloBody } from '../../src/monitoring/slos/schema.ts'
import { BEGIN, countSeconds, END, next, TOLD_UNTIL } from './counting.ts'
import { openSlcStage } from './slc-stage.ts'
import type { SlcStage } from './slc-stage.ts'

const SECOND_MS = 1_000
const day = (time: string) => `2026-06-01T${time}:00Z`
const on = (time: string) => Date.parse(day(time))
const RELEVANT = { slaRelevant: true }

describe('maintenance that is to count', () => {
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
    ['the service level object', ({ slo }: { slo: number }): Named => ({ type: 'slo', id: slo })],
    ['the job below it', ({ job }: { job: number }): Named => ({ type: 'job', id: job })],
    ['the device of that job', ({ device }: { device: number }): Named => ({ type: 'device', id: device })],
  ] as const

  test.each(places)('of %s uses the credit of a container as if there were none', async (_, of) => {
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

  test('is none where other maintenance runs beside it, and goes on being none when that ends', async () => {
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

  test('counts from when on somebody says so, and until it is ended', async () => {
    const { stage, slc, slo, job } = await planted()
    await stage.tell(job, on('01:00'), 'major')
    const object = { type: 'slo', id: slo } as const
    const id = await stage.revalue(slo, day('02:00'), day('20:00'))
    const change = async (slaRelevant: boolean) => {
      const body = revaluationBody.parse({ begin: day('02:00'), end: day('20:00'), slaRelevant })
      await updateRevaluation(stage.context, object, { revaluationId: id, body, ifMatch: null })
    }
    await stage.wakeUntil(on('03:00'))
    await change(true)
    await stage.wakeUntil(on('03:30'))
    await change(false)
    await stage.wakeUntil(on('05:00'))
    expect((await stage.valuesOf(slc)).creditUsed).toBe(5_400)
    await deleteRevaluation(stage.context, object, id)
    await stage.wakeUntil(on('05:10'))
    expect((await stage.valuesOf(slc)).creditUsed).toBe(6_000)
  })

  test('leaves nothing behind for the night to set right, and what drifted is set right', async () => {
    const { stage, slc, slo, job, device } = await planted()
    const { ports } = stage.context
    const { database } = ports
    await stage.revalue({ type: 'device', id: device }, day('02:00'), day('08:00'), RELEVANT)
    await stage.tell(job, on('02:30'), 'major')
    await stage.wakeUntil(on('03:00'))
    const kept = () =>
      database.all(sql`select object_id, state, tally, charged from states order by object_id`)
    const before = await kept()
    await sweepAll(ports)
    expect(await kept()).toEqual(before)
    // As a lost update would leave it: the service level object is not taken for what its child makes it.
    await database.run(sql`update states set charged = null where object_id = ${slo}`)
    await sweepAll(ports)
    const [{ charged } = { charged: '' }] = await database.all<{ charged: string }>(
      sql`select charged from states where object_id = ${slo}`,
    )
    expect(JSON.parse(charged)).toMatchObject({ state: 'major', maintained: false })
    await stage.wakeUntil(on('04:00'))
    // From then on.
    expect((await stage.valuesOf(slc)).creditUsed).toBe(3_600)
  })
})

/** Jobs that are bad, and maintenance that is not to count, as they were told. */
type Told = {
  readonly jobs: Map<number, { readonly at: number; readonly bad: boolean }[]>
  readonly plain: { readonly of: number; readonly beginAt: number; endAt: number }[]
}

test('whatever maintenance there is of whatever, a container is as counting every second says', async () => {
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
  const told: Told = { jobs: new Map(made.map(({ job }) => [job, []])), plain: [] }
  await misbehave(stage, made, told)
  await stage.wake(TOLD_UNTIL)
  const isPlain = (ids: readonly number[], at: number) =>
    told.plain.some(({ of, beginAt, endAt }) => ids.includes(of) && beginAt <= at && at < endAt)
  const isBadJob = ({ job, device }: (typeof made)[number], at: number) =>
    (told.jobs.get(job)?.findLast((change) => change.at <= at)?.bad ?? false) &&
    !isPlain([job, device, stage.group], at)
  const isBad = (at: number) =>
    made.some(({ slo }, index) => {
      const bad = made.filter((one, place) => (index === 0 || place === index) && isBadJob(one, at))
      return bad.length >= (index === 0 ? 2 : 1) && !isPlain([slo, stage.group], at)
    })
  const counted = countSeconds(isBad, () => true, 0.03)
  expect(counted.length).toBeGreaterThan(4)
  const changes = await stage.changesOf(slc)
  expect(changes.map(([at, to]) => [Date.parse(at), to])).toEqual(counted)
  // Both kinds made a difference.
  expect(told.plain.length).toBeGreaterThan(10)
  const [{ total } = { total: 0 }] = await stage.context.ports.database.all<{ total: number }>(
    sql`select count(*) as total from charges where to_state is not null`,
  )
  expect(total).toBeGreaterThan(100)
  await opened.close()
}, 120_000)

/** Jobs go bad and recover, maintenance is planned, overlaps and is ended early, all at odd moments. */
async function misbehave(
  stage: SlcStage,
  made: readonly { readonly job: number; readonly slo: number; readonly device: number }[],
  told: Told,
): Promise<void> {
  const places: Named[] = [
    { type: 'group', id: stage.group },
    ...made.flatMap(({ job, slo, device }): Named[] => [
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
  place: Named | undefined,
  { at, told }: { readonly at: number; readonly told: Told },
): Promise<void> {
  if (!place) return
  stage.clock.at = Math.max(stage.clock.at, at)
  const beginAt = at + SECOND_MS * next(1_800)
  const endAt = beginAt + SECOND_MS * (1 + next(7_200))
  const slaRelevant = next(2) === 0
  const instant = (one: number) => new Date(one).toISOString()
  const id = await stage.revalue(place, instant(beginAt), instant(endAt), { slaRelevant })
  const entry = { of: place.id, beginAt, endAt }
  if (!slaRelevant) told.plain.push(entry)
  if (next(6) > 0) return
  await deleteRevaluation(stage.context, place, id)
  entry.endAt = Math.max(beginAt, stage.clock.at)
}
