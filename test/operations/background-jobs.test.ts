import { afterAll, beforeAll, expect, test } from 'bun:test'

import { runNightly, runPeriodic } from '../../src/background-jobs.ts'
import { openPorts } from '../hosts/ports.ts'

let opened: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  opened = await openPorts()
})
afterAll(() => opened.close())

test('each part of the periodic work that fails is logged, and the other parts run to their end', async () => {
  const { ports, logs } = opened
  const lost = (what: string) => () => Promise.reject(new Error(`${what} is lost`))
  const flow = { ...ports.flow, runDue: lost('the flow'), sweep: lost('the sweep') }
  const deletion = () => {
    throw new Error('the deletion is lost')
  }
  const database = new Proxy(ports.database, {
    get: (target, name): unknown => (name === 'delete' ? deletion : Reflect.get(target, name)),
  })
  await runPeriodic({ ...ports, flow })
  await runNightly({ ...ports, flow, database })
  const failures = { recovery: 'the flow', states: 'the sweep', translations: 'the deletion' }
  const lines = logs.filter((line) => line.includes('a part of the periodic work failed'))
  expect(lines).toHaveLength(3)
  for (const [part, what] of Object.entries(failures))
    expect(lines.find((line) => line.includes(`"part":"${part}"`))).toContain(`${what} is lost`)
})
