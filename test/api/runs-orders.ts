import { expect } from 'bun:test'

import type { JobView } from '../../src/automation/runs/schema.ts'
import { must } from '../runs/fake-runner.ts'
import { configurationOf, order, read, scriptOf, stageOf } from './runs-stage.ts'
import { anyText, expectAnswer, good, statusesOf } from './suite.ts'
import type { Scenario } from './suite.ts'

/** The promises of an order of a run. */
export const runOrders: readonly Scenario[] = [
  {
    title: 'a script is called by its name as well, and a job says what was ordered',
    async run(client) {
      const script = await scriptOf(client)
      const { name } = await good<{ name: string }>(client.request('GET', `/scripts/${script}`))
      const answer = await client.request('POST', `/scripts/${encodeURIComponent(name)}/run`, {
        json: { arguments: ['-v'], parameters: { a: [1, null] } },
        as: 'editor',
      })
      expectAnswer(answer, { answers: 202 })
      const job = answer.body as JobView
      expect(job).toMatchObject({
        scriptId: script,
        runConfigurationId: null,
        runConfiguration: 'default',
        trigger: 'manual',
        user: 'editor',
        state: 'queued',
        attempt: 1,
      })
      expect(answer.headers.get('location')).toBe(`/scripts/${script}/jobs/${job.id}`)
      expect(await read(client, script, job.id)).toEqual(job)
    },
  },
  {
    title:
      'a run without a body is one without arguments; what is neither JSON nor a form is told what to send',
    decidedAbovePorts: 'orders of runs',
    async run(client) {
      const script = await scriptOf(client)
      const call = `/scripts/${script}/run`
      const json = { 'content-type': 'application/json' }
      for (const request of [{}, { headers: json }, { headers: { ...json, 'content-length': '0' } }]) {
        const answer = await client.request('POST', call, request)
        expectAnswer(answer, { answers: 202 })
        expect(answer.body).toMatchObject({ trigger: 'manual', state: 'queued' })
      }
      for (const type of ['text/csv', 'application/x-www-form-urlencoded']) {
        const refused = await client.request('POST', call, { text: 'a,b', headers: { 'content-type': type } })
        expectAnswer(refused, { answers: 'unsupported_media_type' })
        expect(refused.body['detail']).toBe(
          'Send application/json, or multipart/form-data with each file in a field `file`.',
        )
      }
    },
  },
  {
    title: 'what is ordered again under its key is ordered once, and something else is refused',
    async run(client) {
      const script = await scriptOf(client)
      const send = (key: string, json: object) =>
        client.request('POST', `/scripts/${script}/run`, { json, headers: { 'idempotency-key': key } })
      const first = await Promise.all([send('run-a', {}), send('run-a', {}), send('run-a', {})])
      expect(statusesOf(first)).toEqual([202, 202, 202])
      expect(new Set(first.map(({ body }) => body['id'])).size).toBe(1)
      expect(first.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(2)
      expectAnswer(await send('run-a', { arguments: ['x'] }), { answers: 'idempotency_conflict' })
      expect((await send('run-b', {})).body['id']).not.toBe(first[0]?.body['id'])
      const mine = await client.request('POST', `/scripts/${script}/run`, {
        json: {},
        headers: { 'idempotency-key': 'run-a' },
        as: 'editor',
      })
      expect(mine.body['id']).not.toBe(first[0]?.body['id'])
      const jobs = await good<JobView[]>(client.request('GET', `/scripts/${script}/jobs`))
      expect(jobs).toHaveLength(3)
    },
  },
  {
    title: 'scripts are listed with their latest runs',
    decidedAbovePorts: 'orders of runs',
    async run(client) {
      const script = await scriptOf(client)
      type Listed = { readonly id: number; readonly lastRun: object | null }
      const lastRun = async (as: 'administrator' | 'editor' = 'administrator') => {
        const all = await good<Listed[]>(client.request('GET', '/scripts?limit=1000', { as }))
        const listed = all.find(({ id }) => id === script)?.lastRun
        const one = await good<Listed>(client.request('GET', `/scripts/${script}`, { as }))
        expect(one.lastRun).toEqual(listed ?? null)
        return listed
      }
      expect(await lastRun()).toBeNull()
      const first = await order(client, script)
      const second = await order(client, script)
      const { id, state, queuedAt, startedAt, finishedAt } = second
      expect(await lastRun('editor')).toEqual({ id, state, queuedAt, startedAt, finishedAt })
      await good(client.request('POST', `/scripts/${script}/jobs/${id}/cancel`))
      expect(await lastRun()).toMatchObject({ id, state: 'cancelled', startedAt: null, finishedAt: anyText })
      await good(client.request('DELETE', `/scripts/${script}/jobs/${id}`))
      expect(await lastRun()).toMatchObject({ id: first.id, state: 'queued', finishedAt: null })
    },
  },
  {
    title: 'pages follow each other, the latest first, and leave what does not fit',
    decidedAbovePorts: 'orders of runs',
    async run(client) {
      const script = await scriptOf(client)
      const ids: string[] = []
      for (let count = 0; count < 5; count++) ids.unshift((await order(client, script)).id)
      const seen: string[] = []
      for (let path = `/scripts/${script}/jobs?limit=2`; path !== '';) {
        const page = await client.request('GET', path)
        seen.push(...(page.body as unknown as JobView[]).map(({ id }) => id))
        path = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
      }
      expect(seen).toEqual(ids)
      const list = async (query: string) =>
        (await good<JobView[]>(client.request('GET', `/scripts/${script}/jobs?${query}`))).length
      expect(await list('state=queued')).toBe(5)
      expect(await list('state=running')).toBe(0)
      expect(await list('runConfigurationId=default')).toBe(5)
      expect(await list('runConfigurationId=999')).toBe(0)
    },
  },
  {
    title: 'the latest jobs of each configuration',
    decidedAbovePorts: 'orders of runs',
    async run(client) {
      const script = await scriptOf(client)
      const bare = await order(client, script)
      const [a, b] = [await configurationOf(client, script), await configurationOf(client, script)]
      for (const id of [a, b, a, a]) await order(client, script, { runConfigurationId: id })
      const status = await good<{ runConfigurationId: number | null; jobs: JobView[] }[]>(
        client.request('GET', `/scripts/${script}/jobs/status?maxCount=2`),
      )
      expect(status.map((one) => [one.runConfigurationId, one.jobs.length])).toEqual([
        [null, 1],
        [a, 2],
        [b, 1],
      ])
      expect(status[0]?.jobs[0]?.id).toBe(bare.id)
      const [newer, older] = status[1]?.jobs ?? []
      expect((newer?.id ?? '') > (older?.id ?? '')).toBe(true)
    },
  },
  {
    title: 'runs are listed with their arguments, and never with secrets',
    decidedAbovePorts: 'orders of runs',
    async run(client) {
      const {
        scriptId,
        configurationId,
        order: run,
        runner,
      } = await stageOf(client, {
        arguments: ['--day', 'today', '--token=abc'],
        envVariables: [{ key: 'API_TOKEN', value: 'hunter2-hunter2' }],
      })
      const own = await run({ arguments: ['--as=hunter2-hunter2', '--password', 'p', 'x'.repeat(201)] })
      expect(own.arguments).toEqual(['--as=***', '--password', '***', `${'x'.repeat(199)}…`])
      const preset = await run()
      expect(preset.arguments).toEqual(['--day', 'today', '--token=***'])
      const many = await run({ arguments: Array.from({ length: 21 }, () => 'y') })
      expect(many.arguments).toEqual(Array.from({ length: 20 }, () => 'y'))

      // A run without arguments of its own takes those of its configuration when a runner gets it.
      await good(
        client.request('PATCH', `/scripts/${scriptId}/runConfigurations/${configurationId}`, {
          json: { arguments: ['--day', 'tomorrow', 'hunter2-hunter2'] },
        }),
      )
      for (const { id } of [own, preset]) {
        const held = await runner.next()
        expect(held.id).toBe(id)
        if (id === own.id) expect(held.assignment.arguments[0]).toBe('--as=hunter2-hunter2')
        await held.begin()
        await must(held.finish({}))
      }
      const list = await client.request('GET', `/scripts/${scriptId}/jobs`)
      expect((list.body as unknown as JobView[]).map((one) => one.arguments)).toEqual([
        many.arguments,
        ['--day', 'tomorrow', '***'],
        own.arguments,
      ])
      expect(list.text).not.toContain('hunter2')
    },
  },
  {
    title: 'a run is skipped while another one of its configuration waits',
    async run(client) {
      const { order: run, read: job } = await stageOf(client, { concurrency: 'skip' })
      const first = await run()
      const second = await run()
      expect([first.state, second.state]).toEqual(['queued', 'cancelled'])
      expect(second).toMatchObject({ error: anyText, finishedAt: anyText })
      expect((await job(first.id)).state).toBe('queued')
    },
  },
  {
    title: 'a run cancels those of its configuration before it, and begins once they have ended',
    async run(client) {
      const {
        order: run,
        read: job,
        begun,
        runner,
      } = await stageOf(client, { concurrency: 'cancel_previous' })
      const held = await begun()
      const waits = await run()
      const last = await run()
      expect((await job(waits.id)).state).toBe('cancelled')
      expect(await job(held.id)).toMatchObject({ state: 'running', cancelRequested: true })
      expect((await must(held.say('POST', 'heartbeat'))).body).toEqual({ cancel: true })
      await must(held.finish({ outcome: 'cancelled', exitCode: null }))
      expect((await job(held.id)).state).toBe('cancelled')
      expect((await runner.next()).id).toBe(last.id)
    },
  },
]
