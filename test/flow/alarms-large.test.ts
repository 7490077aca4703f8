import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import type { Rights } from '../../src/access/rights/permissions.ts'
import { openStatePipeline } from '../../src/state-pipeline.ts'
import { alarmFilterOf } from '../../src/monitoring/alarm-inbox/filter.ts'
import { alarmFilterDefinition, alarmsBody } from '../../src/monitoring/alarm-inbox/schema.ts'
import { listAlarms } from '../../src/monitoring/alarm-inbox/service.ts'
import { beginWith } from '../../src/monitoring/alarm-inbox/service/conditions.ts'
import { countSql, driverOf, listSql } from '../../src/monitoring/alarm-inbox/store.ts'
import type { ListQuery } from '../../src/monitoring/alarm-inbox/store.ts'
import { readDetails } from '../../src/monitoring/alarm-inbox/store/details.ts'
import {
  readCovering,
  readDue,
  readNextAt,
  readOpen,
  readPending,
} from '../../src/monitoring/alarms/store.ts'
import { findBad, findOpening } from '../../src/monitoring/alarms/store/links.ts'
import { readNeeded, readSuspects } from '../../src/monitoring/alarms/store/suspects.ts'
import { notificationsOf } from '../../src/monitoring/notifications/outbox/service.ts'
import { listNotifications } from '../../src/monitoring/notifications/outbox/store.ts'
import type { Database } from '../../src/ports/database.ts'
import type { State } from '../../src/domain/state.ts'
import { crossing } from './transition.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { expectSnapshot } from '../api/snapshot.ts'
import { noting } from '../statements.ts'
import { openLargeStage, SIZE } from './large-stage.ts'
import { contextOf } from './plants.ts'

const FIRST_JOB = SIZE.groups + SIZE.devices + 2
const PLANT_MAX_MS = 60_000

let stage: Awaited<ReturnType<typeof openLargeStage>>

beforeAll(async () => {
  stage = await openLargeStage()
  const { database } = stage.ports
  // An alarm for each job: half of them closed, a tenth of the others assigned.
  await database.run(sql`
    insert into alarms (object_id, link_id, opened_seq, status, state, worst_state, begin_at, end_at, reason, sticky,
      maintained, flapping, version)
    select id, 1, 1, case when id % 2 = 0 then 'closed' when id % 20 = 1 then 'assigned' else 'open' end, 'major', 'major',
           id, case when id % 2 = 0 then id + 1 end, 'threshold', 0, 0, 0, 1 from objects where type = 'job'`)
  await database.run(sql`
    insert into users (id, username, role, type, fullname, email, phone, language, time_zone, password_hash, version, created_at)
    values (1, 'a', 'administrator', 'SHARED', '', '', '', 'en', 'UTC', '', 1, 1)`)
  await database.run(sql`update alarms set assignee_id = 1 where status = 'assigned'`)
}, PLANT_MAX_MS)
afterAll(() => stage.close())

const reader = (tops: readonly number[] | null): Rights => ({
  userId: 7,
  role: tops === null ? 'administrator' : 'editor',
  granted: new Map((tops ?? []).map((id) => [id, { write: false, execute: false, maintain: false }])),
  ways: [],
})
const EVERYTHING: ListQuery = {
  begin: () => beginWith(null),
  statuses: ['open', 'assigned'],
  fromAt: null,
  untilAt: null,
  assigneeId: null,
}
const filter = alarmFilterOf(
  alarmFilterDefinition.parse({
    conditions: [
      { item: 'severity', operator: 'ge', expression: 'minor' },
      { item: 'objectName', operator: 'contains', expression: 'job 7' },
      { item: 'property_key', operator: 'eq', expression: '7', propertyKey: 'rack' },
    ],
  }),
  '',
)

/** These indexes hold what waits for something to be done, and nothing else; `found` are ten rows at most. */
const WAITING =
  /^SCAN found$|USING (?:COVERING )?INDEX (?:states_unalarmed|alarms_unexplained|alarms_of_nobody|alarms_by_due|alarm_links_opening)$/

const OPENING = {
  id: 1,
  objectId: 1,
  recipientId: null,
  minState: 'warning',
  delayMs: 0,
  recoveryDelayMs: 0,
  openedTo: '',
} as const

describe('100,000 alarms', () => {
  test('queries of alarms use indexes only, for every caller and filter', async () => {
    const { database } = stage.ports
    const plans = new Map<string, readonly string[]>()
    const review = async (title: string, statement: SQL) => {
      const plan = await planOf(database, statement)
      plans.set(title, plan)
      expect(
        plan.filter((line) => isScan(line) && !WAITING.test(line)),
        title,
      ).toEqual([])
    }
    for (const [who, tops, driver] of [
      ['of everything', null, 'status'],
      ['of a group', [2], 'objects'],
      ['of most groups', Array.from({ length: 90 }, (_, index) => 2 + index), 'status'],
    ] as const) {
      const rights = reader(tops)
      expect(await driverOf(database, rights, EVERYTHING), who).toBe(driver)
      const page = { after: { beginAt: 50_000, id: 50_000 }, limit: 101 }
      await review(`a page ${who}`, listSql([rights, EVERYTHING, driver], page))
      await review(
        `a filtered page ${who}`,
        listSql([rights, { ...EVERYTHING, begin: () => beginWith(filter) }, driver], page),
      )
      await review(`a count ${who}`, countSql([rights, EVERYTHING, driver], 10_000))
    }
    const mine = { ...EVERYTHING, assigneeId: 1 }
    await review(
      'a page of somebody’s',
      listSql([reader(null), mine, 'assignee'], { after: null, limit: 101 }),
    )
    const asked: [string, (database: Database) => Promise<unknown>][] = [
      ['details', (own) => readDetails(own, [1, 2])],
      ['what was told of alarms', (own) => notificationsOf(own, [1, 2])],
      ['notifications about an alarm', (own) => listNotifications(own, { alarmId: 1 }, 101)],
      ['pending transitions', (own) => readPending(own, 1_000)],
      ['what is due', (own) => readDue(own, 1, 500)],
      ['when something is due', readNextAt],
      ['links that cover objects', (own) => readCovering(own, [FIRST_JOB])],
      ['the link that opens alarms', findOpening],
      ['what is bad below a link', (own) => findBad(own, OPENING, 500)],
      ['open alarms of objects', (own) => readOpen(own, [FIRST_JOB])],
      ['what objects need', (own) => readNeeded(own, [FIRST_JOB])],
      ['what explains alarms', (own) => readSuspects(own, { objectIds: [1, 2], paths: ['/1/2/'] }, 10)],
    ]
    for (const [title, ask] of asked) {
      const statements: SQL[] = []
      await ask(recording(database, statements))
      for (const statement of statements) await review(title, statement)
    }
    await expectSnapshot(
      'alarm-plans.txt',
      [...plans].map(([title, plan]) => `${title}\n${plan.map((line) => `  ${line}\n`).join('')}`).join('\n'),
    )
  })

  test('a page of alarms needs as many statements as a page of one', async () => {
    const { ports } = stage
    const statements = async (limit: number) => {
      const counted = counting(ports.database)
      const context = contextOf({ ...ports, database: counted.database })
      const { items, total, nextCursor } = await listAlarms(context, alarmsBody.parse({ limit }), '')
      expect([items.length, total, nextCursor === null]).toEqual([limit, 10_000, false])
      return counted.statements()
    }
    expect(await statements(1_000)).toBe(await statements(1))
  })

  test('an opening alarm reads only its object, the objects above it, and their links', async () => {
    const { ports, clock } = stage
    const counted = counting(ports.database)
    const flow = openStatePipeline({ ...ports, database: counted.database })
    await flow.runDue()
    const told = (objectId: number, seq: number, to: State) => crossing(objectId, { seq, at: clock.at, to })
    const cost = async (deed: () => Promise<unknown>) => {
      const [before, rows] = [counted.statements(), counted.rows()]
      await deed()
      return { statements: counted.statements() - before, rows: counted.rows() - rows }
    }
    // Even ids have no open alarm here.
    const opened = await cost(() => flow.apply([told(FIRST_JOB + 2, 2, 'minor')]))
    const changes = await ports.database.all<{ kind: string }>(
      sql`select kind from alarm_changes where object_id = ${FIRST_JOB + 2}`,
    )
    expect(changes).toEqual([{ kind: 'opened' }])
    // Propagation and alarms together, for an object three levels deep with one link.
    expect(opened.statements).toBeLessThanOrEqual(24)
    expect(opened.rows).toBeLessThanOrEqual(40)
    // A hundred at once do not ask more often.
    const many = Array.from({ length: 100 }, (_, index) => told(FIRST_JOB + 4 + 2 * index, 2, 'major'))
    const burst = await cost(() => flow.apply(many))
    expect(burst.statements).toBeLessThanOrEqual(opened.statements + 4)
  })
})

/** A database that counts the statements it is sent and the rows it answers. */
function counting(database: Database) {
  let statements = 0
  let rows = 0
  const noted = <Result>(result: Result): Result => {
    statements++
    if (Array.isArray(result)) rows += result.length
    return result
  }
  const own = new Proxy(database, {
    get(target, name, receiver) {
      if (name === 'all') return (query: SQL) => noting(target.all(query), noted)
      if (name !== 'batch') return Reflect.get(target, name, receiver) as unknown
      return async (items: Parameters<Database['batch']>[0]) =>
        (await target.batch(items)).map((one) => noted(one as unknown))
    },
  })
  return { database: own, statements: () => statements, rows: () => rows }
}
