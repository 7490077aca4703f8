import { expect } from 'bun:test'

import { until } from '../until.ts'
import type { JobView as WatchedView } from '../../src/monitoring/jobs/schema.ts'
import { must } from '../runs/fake-runner.ts'
import type { Client } from './client.ts'
import { order, stageOf } from './runs-stage.ts'
import { expectAnswer, good } from './suite.ts'
import type { Scenario } from './suite.ts'

let watched = 0

/** A webhook job of its own, with one value. */
async function jobOf(client: Client) {
  const name = `watched ${++watched}`
  const device = await good<{ id: number }>(
    client.request('POST', '/devices?parentType=group&parentId=1', { json: { name } }),
  )
  const { id } = await good<{ id: number }>(
    client.request('POST', `/jobs?parentType=device&parentId=${device.id}`, {
      json: { name, parameters: { returnValue: [{ valueName: 'seconds' }] } },
    }),
  )
  return { id, read: () => good<WatchedView>(client.request('GET', `/jobs/${id}?values=true`)) }
}

/** The reports of runs to a webhook job. */
export const runReports: readonly Scenario[] = [
  {
    title:
      'a run that fails is an alarm of the job that its configuration reports to, and one that succeeds ends it',
    decidedAbovePorts: 'reports of runs',
    async run(client) {
      const job = await jobOf(client)
      const { runner, begun, read, scriptId } = await stageOf(client, { reportTo: { jobId: job.id } })
      const alarms = async () =>
        (
          await good<{ items: { object: { id: number }; endAt: unknown }[] }>(
            client.request('GET', '/alarms?limit=1000'),
          )
        ).items.filter(({ object }) => object.id === job.id)
      const failed = await begun()
      expect((await read(failed.id)).report).toEqual({ jobId: job.id, state: null })
      const error = 'The script ended with exit code 3.'
      await must(failed.finish({ outcome: 'failed', exitCode: 3, error }))
      await until(async () => (await read(failed.id)).report?.state === 'delivered')
      expect(await job.read()).toMatchObject({
        errorCode: 3,
        currentState: 'warning',
        message: `Run ${failed.id}: ${error}`,
        values: { returnValue1: { value: expect.any(Number) as number } },
      })
      await until(async () => (await alarms()).length === 1)
      const good2 = await begun()
      await must(good2.finish())
      await until(async () => (await read(good2.id)).report?.state === 'delivered')
      expect(await job.read()).toMatchObject({ errorCode: 0, currentState: 'ok' })
      const late = await begun()
      await must(late.finish({ outcome: 'timed_out', exitCode: 143, error: 'It took too long.' }))
      await until(async () => (await read(late.id)).report?.state === 'delivered')
      expect((await job.read()).errorCode).toBe(124)
      // A cancelled run is not reported: its user knows of it.
      const waits = await begun()
      await good(client.request('POST', `/scripts/${scriptId}/jobs/${waits.id}/cancel`))
      await must(waits.finish({ outcome: 'cancelled', exitCode: null }))
      expect((await read(waits.id)).report).toEqual({ jobId: job.id, state: null })
      expect((await job.read()).errorCode).toBe(124)
      expect(runner.token).not.toBe('')
    },
  },
  {
    title: 'who names a job that runs report to may execute it, and so must who orders a run',
    decidedAbovePorts: 'reports of runs',
    async run(client) {
      const job = await jobOf(client)
      const { scriptId, configurationId, runner, read, label } = await stageOf(client)
      const path = `/scripts/${scriptId}/runConfigurations/${configurationId}`
      const before = await good<object>(client.request('GET', path))
      const put = (jobId: number, as: 'administrator' | 'editor' | 'Data_Editor' = 'administrator') =>
        client.request('PUT', path, { json: { ...before, reportTo: { jobId } }, as })
      const pointers = ['/reportTo/jobId']
      expectAnswer(await put(999_999), { answers: 'invalid', pointers })
      expectAnswer(await put(1), { answers: 'invalid', pointers })
      expectAnswer(await put(job.id, 'Data_Editor'), { answers: 'forbidden', pointers })
      expect(await good<object>(client.request('GET', path))).toEqual(before)
      await good(put(job.id))
      // Others may leave what is there.
      await good(put(job.id, 'Data_Editor'))
      const ordered = await good<{ id: string }>(
        client.request('POST', `/scripts/${scriptId}/run`, {
          json: { runConfigurationId: configurationId },
          as: 'Data_Editor',
        }),
      )
      const held = await runner.next()
      await held.begin()
      await must(held.finish({ outcome: 'failed', exitCode: 1, error: 'no' }))
      await until(async () => (await read(ordered.id)).report?.state === 'forbidden')
      expect(await job.read()).toMatchObject({ errorCode: 0, lastReceivedAt: null })
      expect(label).not.toBe('')
    },
  },
  {
    title: 'a run that cannot even begin is reported as well',
    decidedAbovePorts: 'reports of runs',
    async run(client) {
      const job = await jobOf(client)
      const { scriptId, configurationId, runner, read } = await stageOf(client, {
        reportTo: { jobId: job.id },
      })
      const { id } = await order(client, scriptId, { runConfigurationId: configurationId })
      await good(client.request('DELETE', `/scripts/${scriptId}/files/run.sh`))
      await runner.poll(1, [], AbortSignal.timeout(2_000)).catch(() => [])
      await until(async () => (await read(id)).report?.state === 'delivered')
      expect(await job.read()).toMatchObject({ errorCode: 1, currentState: 'warning' })
    },
  },
]
