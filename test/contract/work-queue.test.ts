import { afterAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { staleMaintenance, staleMemberships } from '../../db/tables/work-queues.ts'
import { enqueue } from '../../db/work-queue.ts'
import type { QueueItem } from '../../db/work-queue.ts'
import { parametersSchema } from '../../src/monitoring/job-config/schema.ts'
import { applyChanges } from '../../src/monitoring/job-config/service.ts'
import * as jobConfigs from '../../src/monitoring/job-config/store.ts'
import * as tallies from '../../src/monitoring/states/store.ts'
import * as maintenance from '../../src/monitoring/states/store/maintenance.ts'
import * as memberships from '../../src/monitoring/states/store/memberships.ts'
import { commit } from '../../src/ports/database.ts'
import type { Database, Write } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import { plantObject } from '../flow/plants.ts'
import { startD1 } from '../hosts/d1-database.ts'
import { openPorts } from '../hosts/ports.ts'

const ROOT = 1
const JOB = 5
const ANY = 100

type Queue = {
  readonly add: (database: Database) => Write
  readonly read: (database: Database) => Promise<readonly QueueItem[]>
  readonly finish: (database: Database, items: readonly QueueItem[]) => Write
}

const QUEUES: Readonly<Record<string, Queue>> = {
  tallies: {
    add: (database) => tallies.enqueueTallies(database, ROOT),
    read: (database) => tallies.readStaleTallies(database, ANY),
    finish: tallies.finishTallies,
  },
  memberships: {
    add: (database) => memberships.enqueueFilter(database, ROOT),
    read: (database) => memberships.readStaleMemberships(database, ANY),
    finish: memberships.finishMemberships,
  },
  maintenance: {
    add: (database) => maintenance.enqueueMaintenance(database, [{ objectId: ROOT, at: 1 }]),
    read: (database) => maintenance.readStaleMaintenance(database, ANY),
    finish: maintenance.finishMaintenance,
  },
  'job configurations': {
    add: (database) => jobConfigs.enqueueJobConfigs(database, JOB),
    read: (database) => jobConfigs.readStaleJobConfigs(database, ANY),
    finish: jobConfigs.finishJobConfigs,
  },
}

const opened = await openPorts()
const d1 = await startD1()
afterAll(() => Promise.all([opened.close(), d1.close()]))

for (const [host, database] of [
  ['libSQL', opened.ports.database],
  ['D1', d1.database],
] as const) {
  await plantObject(database, { id: JOB, type: 'job', path: `/1/${JOB}/` })
  describe.each(Object.entries(QUEUES))(`the work queue of %s on ${host}`, (_, { add, read, finish }) => {
    const adds = () => commit(database, [add(database)])
    const finishes = (items: readonly QueueItem[]) => commit(database, [finish(database, items)])
    const work = async () => (await read(database)).map(({ objectId }) => objectId)

    test('has an object once, until its work is done', async () => {
      await adds()
      await adds()
      const items = await read(database)
      expect(items).toHaveLength(1)
      await finishes(items)
      expect(await work()).toEqual([])
    })

    test('keeps an object that is enqueued while a worker has it', async () => {
      await adds()
      const items = await read(database)
      await adds()
      await finishes(items)
      expect(await work()).toHaveLength(1)
      await finishes(await read(database))
    })

    test('keeps an object that is enqueued after a second worker has removed it', async () => {
      await adds()
      const [slow, fast] = [await read(database), await read(database)]
      await finishes(fast)
      await adds()
      await finishes(slow)
      expect(await work()).toHaveLength(1)
      await finishes(await read(database))
    })

    test('keeps an object when the commit of its work fails', async () => {
      await adds()
      const failing = database.run(sql`insert into objects (id) values (${ROOT})`)
      const writes = [finish(database, await read(database)), failing]
      expect(await commit(database, writes).catch(() => 'failed')).toBe('failed')
      expect(await work()).toHaveLength(1)
      await finishes(await read(database))
    })
  })

  test(`own columns keep the greater value on ${host}`, async () => {
    for (const at of [7, 9, 8])
      await database.run(enqueue(staleMaintenance, sql`select ${ROOT}, cast(${at} as integer)`))
    expect(await maintenance.readStaleMaintenance(database, ANY)).toMatchObject([{ at: 9 }])
    for (const isWhole of [0, 1, 0])
      await database.run(enqueue(staleMemberships, sql`select ${ROOT}, ${isWhole}`))
    expect(await memberships.readStaleMemberships(database, ANY)).toMatchObject([{ isWhole: 1 }])
  })
}

test('a slow worker does not lose a configuration that changes after a second worker has finished', async () => {
  const { database } = opened.ports
  const parameters = JSON.stringify(parametersSchema.parse({}))
  await database.run(sql`insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds)
    values (${JOB}, 'PT0S', 0, 0, ${parameters}, '{}')`)
  const sent: number[] = []
  const gate = Promise.withResolvers<void>()
  const portsOf = (until?: Promise<void>) =>
    ({
      ...opened.ports,
      jobActors: {
        ...opened.ports.jobActors,
        configure: async (_: number, { revision }: { readonly revision: number }) => {
          sent.push(revision)
          await until
        },
      },
    }) as unknown as Ports

  await commit(database, [jobConfigs.enqueueJobConfigs(database, JOB)])
  const slow = applyChanges(portsOf(gate.promise))
  while (sent.length === 0) await Bun.sleep(1)
  await applyChanges(portsOf())
  await database.batch([
    database.run(sql`update objects set version = 2 where id = ${JOB}`),
    jobConfigs.enqueueJobConfigs(database, JOB),
  ])
  gate.resolve()
  await slow
  await applyChanges(portsOf())
  expect(sent).toEqual([1, 1, 2])
})
