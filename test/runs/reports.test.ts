import { afterEach, beforeEach, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { Reports } from '../../src/automation/runs/service/reports.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Code } from '../../src/lib/errors.ts'
import type { Delivered, Delivery } from '../../src/domain/delivery.ts'
import type { Ports } from '../../src/ports/index.ts'
import { mortalPorts } from '../hosts/mortal-ports.ts'
import { openPorts } from '../hosts/ports.ts'
import { insertAdministrator } from '../automation/people.ts'
import { Mortal } from '../engine/mortal.ts'

const HOUR_MS = 3_600_000
const STEPS_MAX = 10

let opened: Awaited<ReturnType<typeof openPorts>>
let ports: Ports
/** What the job has taken, by key. */
let taken: Map<string, Delivery>
/** What the job says before it takes anything. */
let refusals: Code[]
beforeEach(async () => {
  opened = await openPorts()
  taken = new Map()
  refusals = []
  ports = {
    ...opened.ports,
    jobActors: {
      ...opened.ports.jobActors,
      deliverAll: (parcels) =>
        Promise.resolve(
          parcels.map(({ sent, repeat }) => {
            const code = refusals.shift()
            if (code) return new Refusal(code, 'no')
            if (!('delivery' in sent) || !repeat) throw new TypeError('A report is a delivery under a key.')
            if (!taken.has(repeat.key)) taken.set(repeat.key, sent.delivery)
            return {} as Delivered
          }),
        ),
    },
  }
  await insertAdministrator(ports)
  await ports.database.run(
    `insert into script_groups (id, name, description, created_at, updated_at) values (1, 'Default', '', 0, 0)`,
  )
  await ports.database.run(
    `insert into scripts (id, name, description, group_id, timeout_s, accepted_files, detection, version, created_at, updated_at)
     values (1, 's', '', 1, 0, '[]', '{}', 1, 0, 0)`,
  )
})
afterEach(() => opened.close())

/** A run that has just ended, with a report that is due. */
async function ended(number: number, { state = 'failed', exitCode = 3 } = {}): Promise<string> {
  const id = `j_${String(number).padStart(26, '0')}`
  const at = opened.clock.at
  await ports.database.run(sql`
    insert into runs (id, script_id, run_configuration_id, trigger, user_id, state, attempt, "order", retries, exit_code,
      is_cancelled, log_sequence, log_lines, queued_at, started_at, finished_at, report_to, report_state, error)
    values (${id}, 1, 0, 'schedule', 1, ${state}, 1, '{"configurationName":"x","arguments":null,"parameters":{}}', 0,
      ${exitCode}, 0, 0, 0, ${at - 5_000}, ${at - 2_500}, ${at}, 7, 'due', 'It broke.')`)
  return id
}

const states = async () =>
  (await ports.database.all<{ state: string }>(`select report_state as state from runs order by id`)).map(
    ({ state }) => state,
  )

test('a report has the error code, the seconds and the cause, as of the end of its run', async () => {
  const id = await ended(1)
  const endedAt = opened.clock.at
  opened.clock.at += HOUR_MS
  await new Reports(ports).settle()
  expect([...taken.values()]).toEqual([
    {
      signal: 'result',
      values: { returnValue1: 2.5 },
      errorCode: 3,
      timestampAt: endedAt,
      message: `Run ${id}: It broke.`,
      ttlMs: null,
      runId: null,
    },
  ])
  expect(await states()).toEqual(['delivered'])
})

test('a job without that value takes the error code alone', async () => {
  await ended(1, { state: 'succeeded', exitCode: 0 })
  refusals = ['value_not_defined']
  await new Reports(ports).settle()
  expect([...taken.values()]).toMatchObject([{ values: {}, errorCode: 0 }])
  expect(await states()).toEqual(['delivered'])
})

test('more reports than are looked at in a row are all delivered', async () => {
  for (let number = 1; number <= 201; number++) await ended(number)
  await new Reports(ports).settle()
  expect(taken.size).toBe(201)
  expect(new Set(await states())).toEqual(new Set(['delivered']))
})

for (const ends of ['before', 'after'] as const) {
  test(`whoever dies ${ends} a step, each report is delivered once`, async () => {
    let diesAt = 0
    for (let isOver = false; !isOver;) {
      expect(++diesAt).toBeLessThan(STEPS_MAX)
      taken.clear()
      await ports.database.run('delete from runs')
      await ended(1)
      await ended(2)
      const mortal = new Mortal(diesAt, ends)
      await new Reports(mortalPorts(mortal, ports)).settle().catch(() => undefined)
      isOver = !mortal.isDead
      await new Reports(ports).settle()
      expect(taken.size).toBe(2)
      expect(await states()).toEqual(['delivered', 'delivered'])
    }
    expect(diesAt).toBe(3)
  })
}

test('what a job cannot take just now is tried again, until it would not know a repetition any more', async () => {
  await ended(1)
  await ended(2)
  const reports = new Reports(ports)
  refusals = ['unavailable']
  await reports.settle()
  // One that waits keeps no other one waiting.
  expect(await states()).toEqual(['due', 'delivered'])
  expect(reports.nextAt).toBe(opened.clock.at + 10_000)
  opened.clock.at += 10_000
  refusals = ['overloaded']
  await reports.settle()
  expect(await states()).toEqual(['due', 'delivered'])
  opened.clock.at += 23 * HOUR_MS
  refusals = ['unavailable']
  await reports.settle()
  expect(await states()).toEqual(['unavailable', 'delivered'])
  expect(reports.nextAt).toBe(Infinity)
})

test('what a job refuses for good, or a user may not deliver any more, is noted and in the log', async () => {
  await ended(1)
  refusals = ['job_stopped']
  await new Reports(ports).settle()
  await ports.database.run(`update users set role = 'dashboard_viewer' where id = 1`)
  await ended(2)
  await new Reports(ports).settle()
  expect(await states()).toEqual(['job_stopped', 'forbidden'])
  expect(opened.logs.filter((line) => line.includes('result was not delivered'))).toHaveLength(2)
  expect(taken.size).toBe(0)
})
