import { afterAll, beforeAll, expect, test } from 'bun:test'

import { dashboardBody } from '../../src/analytics/dashboards/schema.ts'
import { groupBody } from '../../src/analytics/dashboards/groups/schema.ts'
import { createGroup, updateGroup } from '../../src/analytics/dashboards/groups/service.ts'
import {
  createDashboard,
  detachDashboard,
  moveDashboard,
  updateDashboard,
} from '../../src/analytics/dashboards/service.ts'
import { restoreVersion } from '../../src/analytics/dashboards/versions/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import type { Context } from '../../src/context.ts'
import { refreshBody } from '../../src/data/refreshes/schema.ts'
import { readRefresh, writeRefresh } from '../../src/data/refreshes/service.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { followedBy } from '../hosts/interleaved.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeAll(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
})
afterAll(() => opened.close())

/** The same caller, whose first commit is followed by the work of another caller. */
const before = (other: () => Promise<unknown>): Context => ({
  ...context,
  ports: followedBy(context.ports, other),
})

const bodyOf = (name: string) => dashboardBody.parse({ name, urlName: 'board', definition: {} })

test('the answer to each change of a dashboard is what its commit wrote', async () => {
  const { view: group } = await createGroup(context, groupBody.parse({ name: 'group' }))
  const { view } = await createDashboard(context, bodyOf('made'))
  const { id } = view
  const put = (as: Context, name: string, ifMatch: number) =>
    updateDashboard(as, id, { body: bodyOf(name), ifMatch })
  const changes: readonly [
    change: (as: Context, version: number) => ReturnType<typeof put>,
    shown: object,
  ][] = [
    [(as, version) => put(as, 'ours', version), { name: 'ours' }],
    [(as) => moveDashboard(as, id, group.id), { groupId: group.id }],
    [(as) => restoreVersion(as, { ref: id, number: 1 }), { name: 'made' }],
    [(as) => detachDashboard(as, id), { managedBy: '' }],
  ]
  let version = 1
  for (const [change, shown] of changes) {
    const isManaged = 'managedBy' in shown ? 'a repository' : ''
    await context.ports.database.run(`update dashboards set managed_by = '${isManaged}' where id = ${id}`)
    const ours = await change(
      before(() => put(context, `of another ${version}`, version + 1)),
      version,
    )
    expect(ours).toMatchObject({ version: version + 1, view: shown })
    version += 2
  }
})

test('the answer to a change of a group of dashboards is what its commit wrote', async () => {
  const bodyNamed = (name: string) => groupBody.parse({ name })
  const { view, version } = await createGroup(context, bodyNamed('made'))
  const put = (as: Context, name: string) =>
    updateGroup(as, view.id, { body: bodyNamed(name), ifMatch: null })
  const ours = await put(
    before(() => put(context, 'of another')),
    'ours',
  )
  expect([ours.view.name, ours.version]).toEqual(['ours', version + 1])
})

test('the answer to a change of a refresh is what its commit wrote', async () => {
  const { id: scriptId } = (await createScript(context, scriptBody.parse({ name: 'exports' }))).view
  const { view: dataSource } = await createDataSource(
    context,
    dataSourceBody.parse({ name: 'files', type: 'csv' }),
  )
  const place = { id: dataSource.id, table: 'orders' }
  const put = (as: Context, every: string) => {
    const columns = [{ name: 'id', type: 'string' }]
    const from = { kind: 'script', scriptId, output: 'orders.csv', columns }
    return writeRefresh(as, place, refreshBody.parse({ from, every }))
  }
  // The first commit of a new table is that of its generation.
  const made = await put(context, 'PT1H')
  expect([made.isNew, made.view.every, made.version]).toEqual([true, 'PT1H', 1])
  expect(await readRefresh(context, place)).toEqual({ view: made.view, version: made.version })
  const ours = await put(
    before(() => put(context, 'PT3H')),
    'PT2H',
  )
  expect([ours.isNew, ours.view.every, ours.version]).toEqual([false, 'PT2H', 2])
  expect((await readRefresh(context, place)).view.every).toBe('PT3H')
})
