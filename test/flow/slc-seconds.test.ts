import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import type { Database } from '../../src/ports/database.ts'
import type { State } from '../../src/domain/state.ts'
import { noting } from '../statements.ts'
import { BEGIN, countSeconds, END, isNight, next, NIGHT, TOLD_UNTIL } from './seconds.ts'
import { openSlcStage } from './slc-stage.ts'
import type { SlcStage } from './slc-stage.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

describe('a container agrees with a count of every second, for any changes of its children and any wake-ups', () => {
  test.each([
    ['always', { activeTime: null, limit: 97 }, () => true],
    ['at night', { activeTime: NIGHT, limit: 80 }, isNight],
  ] as const)(
    'active %s',
    async (_, terms, isActive) => {
      const opened = await openSlcStage()
      const stage = opened.newStage()
      stage.clock.at = BEGIN
      const children = [await stage.newSlo(), await stage.newSlo(), await stage.newSlo()]
      const slos = children.map(({ slo }) => slo)
      const slc = await stage.newSlc({ ...terms, duration: 'day', timezone: 'Europe/Zurich' }, slos)
      const isBad = await misbehave(
        stage,
        children.map(({ job }) => job),
      )
      await stage.wake(TOLD_UNTIL)
      const changes = await stage.changesOf(slc)
      const counted = countSeconds(isBad, isActive, 1 - terms.limit / 100)
      expect(counted.length).toBeGreaterThan(4)
      expect(changes.map(([at, to]) => [Date.parse(at), to])).toEqual(counted)
      await opened.close()
    },
    180_000,
  )
})

/** Jobs go bad and recover at odd moments; now and then nobody wakes the flow in time, or it begins anew.
 * @returns whether any of them is bad at an instant */
async function misbehave(stage: SlcStage, jobs: readonly number[]): Promise<(at: number) => boolean> {
  const told = jobs.map((): { at: number; bad: boolean }[] => [])
  for (let at = BEGIN; at < END; at += SECOND_MS * (1 + next(7_200))) {
    const child = next(jobs.length)
    const bad = next(4) === 0
    if (next(3) > 0) await stage.wakeUntil(at)
    await stage.tell(jobs[child] ?? 0, at, bad ? 'major' : 'ok')
    if (next(5) === 0) stage.restart()
    told[child]?.push({ at, bad })
  }
  return (at) => told.some((list) => list.findLast((change) => change.at <= at)?.bad)
}

test('a change of a child reads the last hour only, however many changes the period has', async () => {
  let sizeChars = 0
  const opened = await openSlcStage((database) =>
    Object.assign(Object.create(database) as Database, {
      all: (statement: SQL) =>
        noting(database.all(statement), (rows) => {
          sizeChars += JSON.stringify(rows).length
        }),
    }),
  )
  const stage = opened.newStage()
  const { database } = stage.context.ports
  stage.clock.at = Date.parse('2026-03-01T00:00:00+01:00')
  const { job, slo } = await stage.newSlo()
  const slc = await stage.newSlc({ limit: 99 }, [slo])
  // Straight into the table: bad for ten seconds of each minute of three weeks.
  const minutes = 21 * 24 * 60
  await database.run(sql`
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${2 * minutes - 1})
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    select ${slo}, i + 2, ${stage.clock.at} + (i / 2) * 60000 + (i % 2) * 10000 + 1, 0,
      case when i % 2 then 'major' else 'ok' end, case when i % 2 then 'ok' else 'major' end, 'child', 0 from n`)
  await database.run(
    sql`update states set seq = ${2 * minutes + 1}, alarmed_seq = ${2 * minutes + 1} where object_id = ${slo}`,
  )
  const sizeOfChange = async (to: State) => {
    sizeChars = 0
    await stage.tell(job, stage.clock.at + 60_000, to)
    return sizeChars
  }
  stage.clock.at += minutes * 60_000
  expect(await sizeOfChange('major')).toBeGreaterThan(500_000)
  expect(await sizeOfChange('ok')).toBeLessThan(10_000)
  expect((await stage.valuesOf(slc)).creditUsed).toBe(minutes * 10 + 60)
  await opened.close()
})

test('a thousand children are read completely in a few statements', async () => {
  let statements = 0
  const opened = await openSlcStage((database) =>
    Object.assign(Object.create(database) as Database, {
      all: (statement: SQL) => {
        statements++
        return database.all(statement)
      },
    }),
  )
  const stage = opened.newStage()
  const { database } = stage.context.ports
  stage.clock.at = BEGIN
  const slc = await stage.newSlc({ limit: 99, duration: 'month', timezone: 'UTC' }, [])
  const upTo = (count: number) =>
    sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`
  await database.run(sql`
    insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type, collector_id,
      version, created_at)
    ${upTo(1_000)} select 10000 + i, 'slo', 'standard', 'slo', 'slo', 1, '/1/' || (10000 + i) || '/', 0, 'none', 0, 1, 0 from n`)
  await database.run(sql`
    insert into links (parent_id, child_id, position, weight, overrides)
    ${upTo(1_000)} select ${slc}, 10000 + i, i, 1, '{}' from n`)
  // Each is bad for ten seconds, twice, one after the other; and the last one for a second of each minute of a day.
  await database.run(sql`
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    ${upTo(4_000)} select 10000 + i % 1000, 1 + i / 1000, ${BEGIN} + (i / 2000) * 20000000 + (i % 1000) * 10000
      + (i / 1000 % 2) * 10000, 0, 'ok', case when i / 1000 % 2 then 'ok' else 'major' end, 'child', 0 from n`)
  await database.run(sql`
    insert into transitions (object_id, seq, at, detected_at, from_state, to_state, reason, error_code)
    ${upTo(2_880)} select 10999, 5 + i, ${BEGIN + DAY_MS} + (i / 2) * 60000 + (i % 2) * 1000, 0, 'ok',
      case when i % 2 then 'ok' else 'major' end, 'child', 0 from n`)
  await database.run(sql`insert into stale_tallies values (${slc}, 1)`)
  statements = 0
  await stage.wake(BEGIN + 3 * DAY_MS)
  // Of the step, whose alarms and notices read as well; not of each child.
  expect(statements).toBeLessThan(60)
  expect((await stage.valuesOf(slc)).creditUsed).toBe(20_000 + 1_440)
  await opened.close()
})
