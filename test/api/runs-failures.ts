import { expect } from 'bun:test'

import type { JobView } from '../../src/automation/runs/schema.ts'
import { must } from '../runs/fake-runner.ts'
import { bytes } from './file-samples.ts'
import { formOf, runnerOf, stageOf } from './runs-stage.ts'
import { anyText, expectAnswer, good } from './suite.ts'
import type { Scenario } from './suite.ts'

/** The outcome of runs whose runners, scripts or users disappear. */
export const runFailures: readonly Scenario[] = [
  {
    title: 'who has lost a job is told so whatever they say of it, and changes nothing',
    async run(client) {
      const { begun, runner, label, read: job } = await stageOf(client, { retries: 1 })
      const held = await begun()
      await must(held.log([{ line: 1, at: 0, stream: 'stdout', text: 'first attempt' }]))
      // The runner does not name the job: so the runner has lost the job, and gets it anew.
      const again = await runner.next()
      expect(again.assignment).toMatchObject({ id: held.id, attempt: 2 })
      const stranger = await runnerOf(client, { name: `${label} stranger` })
      const calls = (one: typeof held) => [
        one.say('PUT', 'accept'),
        one.say('PUT', 'start', { json: { isolation: 'none' } }),
        one.say('POST', 'heartbeat'),
        one.log([{ line: 2, at: 0, stream: 'stdout', text: 'late' }]),
        one.say('POST', 'progress', { json: { value: 1, message: 'late' } }),
        one.say('PUT', 'outputs/late.txt', { bytes: bytes('late') }),
        one.say('GET', 'files/run.sh'),
        one.finish({ outcome: 'failed', exitCode: 1 }),
      ]
      for (const said of await Promise.all(calls(held)))
        expect([said.status, said.code]).toEqual([409, 'fenced'])
      const foreign = await stranger.send('PUT', `/runner/v1/jobs/${held.id}/accept`, {
        attemptToken: again.assignment.attemptToken,
      })
      expect([foreign.status, foreign.code]).toEqual([409, 'fenced'])
      expect(await job(held.id)).toMatchObject({
        state: 'assigned',
        attempt: 2,
        outputs: [],
        log: { lines: 0 },
      })
      await again.begin()
      await must(again.finish())
      await must(again.finish())
      expect(await job(held.id)).toMatchObject({ state: 'succeeded', attempt: 2 })
      const late = await again.say('POST', 'heartbeat')
      expect(late.code).toBe('fenced')
      const tokenless = await runner.send('PUT', `/runner/v1/jobs/${held.id}/accept`)
      expect(tokenless.code).toBe('bad_request')
    },
  },
  {
    title: 'a job that its runner does not know of any more is lost, unless nobody had begun it',
    async run(client) {
      const { begun, order: run, runner, read: job } = await stageOf(client)
      const held = await begun()
      const next = await run()
      const given = await runner.next()
      expect(given.id).toBe(next.id)
      expect(await job(held.id)).toMatchObject({ state: 'lost', error: anyText, finishedAt: anyText })
      // A runner that did not take the job gets it once more, still as the first attempt.
      const again = await runner.next()
      expect(again.assignment).toMatchObject({ id: next.id, attempt: 1 })
      expect(again.assignment.attemptToken).not.toBe(given.assignment.attemptToken)
      expect((await given.say('PUT', 'accept')).code).toBe('fenced')
    },
  },
  {
    title: 'a runner that is removed, or whose name somebody else has taken, is not known any more',
    async run(client) {
      const { begun, runner, label, read: job } = await stageOf(client)
      const held = await begun()
      const runners = await good<{ id: number; name: string }[]>(client.request('GET', '/runners'))
      const { id = 0 } = runners.find(({ name }) => name === label) ?? {}
      expect((await client.request('DELETE', `/runners/${id}`)).status).toBe(204)
      expect((await held.say('POST', 'heartbeat')).status).toBe(401)
      expect((await job(held.id)).state).toBe('lost')
      const former = runner.token
      await runner.register()
      await runner.register()
      const said = await runner.send('POST', '/runner/v1/poll', {
        json: { free: 0, running: [] },
        token: former,
      })
      expect(said.status).toBe(401)
    },
  },
  {
    title: 'a job whose script or user is gone, or that nothing runs any more, does not begin',
    decidedAbovePorts: 'lost runs',
    async run(client) {
      const { scriptId, order: run, runner, read: job } = await stageOf(client)
      const waits = await run()
      await good(client.request('DELETE', `/scripts/${scriptId}/files/run.sh`))
      const leaving = new AbortController()
      const polling = runner.poll(1, [], leaving.signal).catch(() => [])
      while ((await job(waits.id)).state === 'queued') await Bun.sleep(5)
      expect(await job(waits.id)).toMatchObject({ state: 'failed', error: anyText, startedAt: null })
      leaving.abort()
      await polling
    },
  },
  {
    title: 'what has ended is run once more with its files, and removed without anything running',
    async run(client) {
      const { scriptId, configurationId, runner } = await stageOf(client)
      const form = await formOf([
        ['runConfigurationId', String(configurationId)],
        ['arguments', '["-x"]'],
        ['file', { name: 'in.txt', type: 'text/plain', bytes: 'one' }],
      ])
      const first = await good<JobView>(client.request('POST', `/scripts/${scriptId}/run`, form))
      const path = `/scripts/${scriptId}/jobs/${first.id}`
      expectAnswer(await client.request('DELETE', path), { answers: 'conflict' })
      const held = await runner.next()
      await held.begin()
      await must(held.finish({ outcome: 'failed', exitCode: 3, error: 'no' }))
      const again = await client.request('POST', `${path}/rerun`, { as: 'Data_Editor' })
      expectAnswer(again, { answers: 202 })
      expect(again.body).toMatchObject({
        user: 'Data_Editor',
        trigger: 'manual',
        runConfigurationId: configurationId,
      })
      expect((await client.request('DELETE', path)).status).toBe(204)
      expect((await client.request('GET', path)).status).toBe(404)
      const second = await runner.next()
      expect(second.assignment.arguments).toEqual(['-x'])
      expect(new TextDecoder().decode((await must(second.say('GET', 'uploads/in.txt'))).bytes)).toBe('one')
      await second.begin()
      await must(second.finish())
      const removed = await good<{ deleted: number }>(client.request('DELETE', `/scripts/${scriptId}/jobs`))
      expect(removed).toEqual({ deleted: 1 })
      expect(await good<unknown[]>(client.request('GET', `/scripts/${scriptId}/jobs`))).toEqual([])
    },
  },
]
