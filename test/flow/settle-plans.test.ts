import { afterAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { readDue as readDueAlarms } from '../../src/monitoring/alarms/store.ts'
import { readDue as readDueSlcs, readNextAt } from '../../src/monitoring/slcs/store.ts'
import { readStaleTallies } from '../../src/monitoring/states/store.ts'
import { readStaleMemberships } from '../../src/monitoring/states/store/memberships.ts'
import type { Database } from '../../src/ports/database.ts'
import { plantTree } from '../api/large-tree.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { expectSnapshot } from '../api/snapshot.ts'
import { openPorts } from '../hosts/ports.ts'

const stage = await openPorts()
afterAll(() => stage.close())

/** What each settle asks, with what it may read whole: the queue, a table or a partial index whose rows go as they are worked
 * off. */
const ASKED: readonly (readonly [string, string, (database: Database) => Promise<unknown>])[] = [
  ['parents to be counted', 'SCAN q', (database) => readStaleTallies(database, 500)],
  ['objects to be filtered', 'SCAN q', (database) => readStaleMemberships(database, 500)],
  ['containers to be judged', 'SCAN q', (database) => readDueSlcs(database, 1, 500)],
  ['when a container is due', 'SCAN q', readNextAt],
  [
    'alarms that are due',
    'SCAN alarms USING COVERING INDEX alarms_unexplained',
    (database) => readDueAlarms(database, 1, 500),
  ],
]

test('the queries of a pass begin at their queue and scan no table of objects', async () => {
  const { database } = stage.ports
  await plantTree(database, { groups: 5, devices: 20, jobs: 200 })
  // The statistics of an installation that has grown, with empty queues.
  await database.run(sql`analyze`)
  const plans: string[] = []
  for (const [title, queue, ask] of ASKED) {
    const statements: SQL[] = []
    await ask(recording(database, statements))
    for (const statement of statements) {
      const plan = await planOf(database, statement)
      const scans = plan.filter((line) => isScan(line) && !line.startsWith(queue))
      expect([title, scans]).toEqual([title, []])
      plans.push(`${title}\n${plan.map((line) => `  ${line}\n`).join('')}`)
    }
  }
  await expectSnapshot('settle-plans.txt', plans.join('\n'))
})
