import { sql } from 'drizzle-orm'

import { dashboardBody } from '../../src/analytics/dashboards/schema.ts'
import { createDashboard } from '../../src/analytics/dashboards/service.ts'
import type { Context } from '../../src/context.ts'
import type { BucketsAnswer } from '../../src/domain/series.ts'
import { jobBody } from '../../src/monitoring/jobs/schema.ts'
import { createJob } from '../../src/monitoring/jobs/service.ts'
import { deviceBody } from '../../src/monitoring/tree/schema.ts'
import { createDevice } from '../../src/monitoring/tree/devices/service.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const ROOT = 1
const EMPTY: BucketsAnswer = {
  buckets: [],
  aggregate: { min: null, max: null, avg: null, last: null, count: 0, sum: null },
}

/** An installation with jobs, whose histories a function answers. */
export async function openBoards(jobs: number, read: JobActors['bucketsAll']) {
  const opened = await openPorts()
  const jobActors = {
    ...opened.ports.jobActors,
    configure: () => Promise.resolve(),
    snapshot: () => Promise.resolve(null),
    bucketsAll: read,
  }
  const context: Context = administratorOf({ ...opened.ports, jobActors })
  const { device } = await createDevice(context, ROOT, deviceBody.parse({ name: 'device' }))
  const ids: number[] = []
  for (let index = 0; index < jobs; index++) {
    const body = { name: `job ${index}`, parameters: { returnValue: [{ valueName: 'value' }] } }
    ids.push((await createJob(context, device.id, jobBody.parse(body))).job.id)
  }
  const makeBoard = async (widgets: Readonly<Record<string, object>>): Promise<number> => {
    const body = dashboardBody.parse({ name: 'Board', definition: { widgets } })
    return (await createDashboard(context, body)).view.id
  }
  /** A viewer with a grant on all dashboards. */
  const viewer = async (): Promise<Context> => {
    const { database } = context.ports
    await database.run(
      sql`insert into dashboard_grants (dashboard_id, write, execute) select id, 0, 0 from dashboards`,
    )
    const caller = {
      kind: 'user',
      userId: 2,
      username: 'viewer',
      role: 'dashboard_viewer',
      sessionHash: null,
    } as const
    return { ports: context.ports, caller, requestId: 'test' }
  }
  return { context, clock: opened.clock, ids, makeBoard, viewer, close: () => opened.close() }
}

/** No values of each series. */
export const noValues: JobActors['bucketsAll'] = (series) => Promise.resolve(series.map(() => EMPTY))
