import { expect, test } from 'bun:test'

import type { ObjectName } from '../../src/monitoring/revaluations/service.ts'
import { readSlcHistory } from '../../src/monitoring/slcs/service.ts'
import { deleteSlo } from '../../src/monitoring/slos/service.ts'
import { stateHistoryQuery } from '../../src/monitoring/state-history/schema.ts'
import { shownInMaintenance } from '../../src/monitoring/states/state.ts'
import type { State } from '../../src/domain/state.ts'
import { rejection } from '../contract/rejection.ts'
import { BEGIN, countSeconds, END, next } from './seconds.ts'
import { openSlcStage } from './slc-stage.ts'
import type { SlcStage } from './slc-stage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Told = {
  readonly of: number
  readonly beginAt: number
  readonly endAt: number
  readonly type: 'maintenance' | 'adjustment'
  readonly adjustTo: 'ok' | 'minor' | 'major' | 'undefined'
  readonly slaRelevant: boolean
}

/** The state of an object at an instant after its corrections, in order of creation. */
function corrected(
  told: readonly Told[],
  of: number,
  { at, was }: { at: number; was: State },
  countsForSla: boolean,
) {
  let state = was
  for (const one of told) {
    if (one.of !== of || at < one.beginAt || at >= one.endAt) continue
    if (one.type === 'adjustment') state = one.adjustTo
    else if (!countsForSla || !one.slaRelevant) state = shownInMaintenance(state)
  }
  return state
}

test('the recalculated past of a container agrees with a count of every second, for any corrections', async () => {
  const opened = await openSlcStage()
  const stage = opened.newStage()
  stage.clock.at = BEGIN
  const made = [await stage.newSlo(), await stage.newSlo()]
  const slos = made.map(({ slo }) => slo)
  const slc = await stage.newSlc({ limit: 97, duration: 'day', timezone: 'Europe/Zurich' }, slos)
  const jobs = await misbehave(
    stage,
    made.map(({ job }) => job),
  )
  // A day later no outage lasts any more, which could not be adjusted.
  await stage.wake(END + DAY_MS)
  const recorded = await stage.changesOf(slc)
  expect(await stage.changesOf(slc, true)).toEqual(recorded)

  const places = [
    { type: 'slc', id: slc } as const,
    ...made.flatMap(({ job, slo }) => [{ type: 'job', id: job } as const, { type: 'slo', id: slo } as const]),
  ]
  const told: Told[] = []
  for (let count = 0; count < 60; count++) told.push(await correct(stage, places[next(places.length)]))
  const seenBySla = (of: number, at: number, was: State) => corrected(told, of, { at, was }, true)
  const isBad = (at: number) => {
    const children = made.map(({ job, slo }) => {
      const was = jobs.get(job)?.findLast((change) => change.at <= at)?.to ?? 'ok'
      return seenBySla(slo, at, seenBySla(job, at, was))
    })
    return seenBySla(slc, at, children.includes('major') ? 'major' : 'ok') === 'major'
  }
  const counted = countSeconds(isBad, () => true, 0.03)
  const read = await readSlcHistory(stage.context, slc, {
    ...stateHistoryQuery.parse({ timestamp_begin: new Date(BEGIN).toISOString() }),
    recalc: true,
  })
  const changes = read.transitions
    .map(({ timestamp, to }) => ({ at: Date.parse(timestamp), to }))
    .filter(({ at }) => at < END)
  const found = (at: number) => changes.findLast((change) => change.at <= at)?.to ?? 'ok'
  const wanted = (at: number) => {
    const was = counted.findLast(([since]) => since <= at)?.[1] ?? 'ok'
    return corrected(told, slc, { at, was }, false)
  }
  for (let at = BEGIN; at < END; at += MINUTE_MS) expect([at, found(at)]).toEqual([at, wanted(at)])
  for (const { at } of changes) {
    expect([at, found(at), found(at - 1)]).toEqual([
      at,
      wanted(at),
      at === BEGIN ? found(at - 1) : wanted(at - 1),
    ])
  }
  expect(read.revaluations).toHaveLength(60)
  // The corrections made a difference, and none to what was recorded.
  expect(changes).not.toEqual(recorded.map(([at, to]) => ({ at: Date.parse(at), to })))
  expect(await stage.changesOf(slc)).toEqual(recorded)
  await opened.close()
}, 180_000)

/** Jobs go bad and recover at odd moments. @returns what was told of each */
async function misbehave(stage: SlcStage, ids: readonly number[]) {
  const jobs = new Map(ids.map((id) => [id, [] as { at: number; to: State }[]]))
  const tell = async (job: number, at: number, to: State) => {
    await stage.tell(job, at, to)
    jobs.get(job)?.push({ at, to })
  }
  for (let at = BEGIN + SECOND_MS; at < END; at += SECOND_MS * (1 + next(7_200))) {
    await tell(ids[next(ids.length)] ?? 0, at, next(3) === 0 ? 'major' : 'ok')
  }
  for (const id of ids) await tell(id, END, 'ok')
  return jobs
}

/** Enters some correction of the past. */
async function correct(stage: SlcStage, place: ObjectName = { type: 'slc', id: 0 }): Promise<Told> {
  const beginAt = BEGIN + SECOND_MS * next((END - BEGIN) / SECOND_MS - 14_400)
  const endAt = beginAt + SECOND_MS * (1 + next(7_200))
  const type = next(2) === 0 ? 'adjustment' : 'maintenance'
  const adjustTo = type === 'adjustment' ? (['ok', 'minor', 'major'] as const)[next(3)] : 'undefined'
  const what = { type, adjustTo: adjustTo ?? 'ok', slaRelevant: next(2) === 0 } as const
  const instant = (at: number) => new Date(at).toISOString()
  await stage.revalue(place, instant(beginAt), instant(endAt), what)
  return { of: place.id, beginAt, endAt, ...what }
}

test('at most 1,000 periods are recalculated at once, also without a deleted child', async () => {
  const opened = await openSlcStage()
  const stage = opened.newStage()
  stage.clock.at = Date.parse('2026-01-01T00:00:00Z')
  const { slo } = await stage.newSlo()
  const slc = await stage.newSlc({ limit: 90, duration: 'day', timezone: 'UTC' }, [slo])
  await deleteSlo(stage.context, slo)
  const begin = stage.clock.at
  stage.clock.at = begin + 1_001 * DAY_MS
  const instant = (days: number) => new Date(begin + days * DAY_MS).toISOString()
  await stage.revalue({ type: 'slc', id: slc }, instant(0.5), instant(0.75), {
    type: 'adjustment',
    adjustTo: 'major',
  })
  const read = (days: number) => {
    const range = { timestamp_begin: instant(0), timestamp_end: instant(days) }
    return readSlcHistory(stage.context, slc, { ...stateHistoryQuery.parse(range), recalc: true })
  }
  const { transitions } = await read(1_000)
  expect(transitions.map(({ to, timestamp }) => [to, timestamp])).toEqual([
    ['major', '2026-01-01T13:00:00+01:00'],
    ['ok', '2026-01-02T01:00:00+01:00'],
  ])
  expect(await rejection(read(1_000.5))).toMatchObject({ code: 'invalid', errors: [{ pointer: '?recalc' }] })
  await opened.close()
}, 180_000)
