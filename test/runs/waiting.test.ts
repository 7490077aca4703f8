import { afterEach, beforeEach, expect, test } from 'bun:test'

import { healthReports } from '../../src/app.ts'
import { readiness } from '../../src/operations/health/service.ts'
import { openRunStage } from './stage.ts'

let stage: Awaited<ReturnType<typeof openRunStage>>
beforeEach(async () => {
  stage = await openRunStage()
})
afterEach(async () => {
  stage.dispatch.close()
  await stage.close()
})

const warning = async () =>
  (await readiness(stage.ports, healthReports)).warnings.find(({ code }) => code === 'no_runner_accepts_jobs')
    ?.detail

test('a run that no runner would take says so, and so does health, until one comes that takes jobs', async () => {
  const script = await stage.script()
  expect(await warning()).toBeUndefined()
  const { id, waitingFor } = await script.order()
  expect(waitingFor).toBe('no runner takes jobs')
  expect(await warning()).toContain('no runner is registered')
  await stage.runner({ name: 'refusing', refusal: 'bubblewrap is not installed' })
  expect((await script.read(id)).waitingFor).toBe('no runner takes jobs')
  expect(await warning()).toContain('1 runners are registered but accept no jobs')
  expect(
    stage.logs.filter((line) => line.includes('accepts no jobs') && line.includes('"warn"')),
  ).toHaveLength(1)
  const runner = await stage.runner()
  expect((await script.read(id)).waitingFor).toBeNull()
  expect(await warning()).toBeUndefined()
  const held = await runner.next()
  await held.begin()
  expect((await script.read(id)).waitingFor).toBeNull()
  await held.finish()
  // Who is not heard of any more takes nothing.
  stage.clock.at += 60_000
  const next = await script.order()
  expect(next.waitingFor).toBe('no runner takes jobs')
  // The same once the clock is set back.
  stage.clock.at -= 120_000
  expect((await script.read(next.id)).waitingFor).toBe('no runner takes jobs')
  expect((await script.read(id)).waitingFor).toBeNull()
})
