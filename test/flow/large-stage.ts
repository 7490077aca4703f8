import { sql } from 'drizzle-orm'

import { plantTree } from '../api/large-tree.ts'
import { openPorts } from '../hosts/ports.ts'

export const SIZE = { groups: 100, devices: 2_000, jobs: 100_000 }

/** Ports over a tree of 100,000 jobs in which everything is counted. */
export async function openLargeStage() {
  const stage = await openPorts()
  const { database, flow } = stage.ports
  await plantTree(database, SIZE)
  await database.run(sql`insert into stale_tallies select id, 1 from objects where type <> 'job'`)
  await flow.runDue()
  return stage
}
