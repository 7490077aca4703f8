import { expect } from 'bun:test'

import type { JobView } from '../../src/automation/runs/schema.ts'
import { must } from '../runs/fake-runner.ts'
import { bytes } from './file-samples.ts'
import { configurationOf, formOf, order, read, runnerOf, stageOf } from './runs-stage.ts'
import { good } from './suite.ts'
import type { Scenario } from './suite.ts'

/** The life of a run without faults. */
export const runLives: readonly Scenario[] = [
  {
    title: 'a job has all it needs, tells how it goes, and leaves what it made',
    async run(client) {
      const {
        scriptId,
        configurationId,
        label,
        runner,
        read: job,
      } = await stageOf(client, {
        arguments: ['--full'],
        timeout: 60,
        envVariables: [
          { key: 'REGION', value: 'eu' },
          { key: 'DB_PASSWORD', value: 'very secret', secret: true },
        ],
        network: ['db.example.org:5432'],
      })
      await good(client.request('PUT', `/scripts/${scriptId}/files/lib%2Fa%20b.py`, { text: 'x = 1\n' }))
      const form = await formOf([
        ['runConfigurationId', String(configurationId)],
        ['parameters', '{"day": 1}'],
        ['file', { name: 'in.csv', type: 'text/csv', bytes: 'a,b\n1,2\n' }],
      ])
      const ordered = await good<JobView>(client.request('POST', `/scripts/${scriptId}/run`, form))
      const held = await runner.next()
      const { assignment } = held
      expect(assignment).toMatchObject({
        id: ordered.id,
        attempt: 1,
        script: { id: scriptId, runner: 'shell', runnerFile: 'run.sh', dependencyManager: 'none' },
        arguments: ['--full'],
        timeoutMs: 60_000,
        network: ['db.example.org:5432'],
        directories: ['lib'],
        env: {
          REGION: 'eu',
          DB_PASSWORD: 'very secret',
          SVC_JOB_ID: ordered.id,
          SVC_PARAMETERS: '{"day":1}',
          SVC_BASE_URL: client.host.url,
          SVC_USER_USERGROUP_IDS: '',
        },
      })
      expect(assignment.secretNames).toContain('DB_PASSWORD')
      expect(assignment.files.map(({ path }) => path).sort()).toEqual(['lib/a b.py', 'run.sh'])
      await must(held.say('PUT', 'accept'))
      expect((await job(held.id)).state).toBe('preparing')
      // A change now applies to the next run.
      await good(client.request('PUT', `/scripts/${scriptId}/files/run.sh`, { text: 'false\n' }))
      const file = await must(held.say('GET', 'files/run.sh'))
      expect(new TextDecoder().decode(file.bytes)).toBe('true\n')
      const inner = await must(held.say('GET', 'files/lib%2Fa%20b.py'))
      expect(new Bun.CryptoHasher('sha256').update(inner.bytes).digest('hex')).toBe(
        assignment.files.find(({ path }) => path === 'lib/a b.py')?.sha256 ?? '',
      )
      expect((await held.say('GET', 'files/other.py')).status).toBe(404)
      expect(assignment.uploads).toMatchObject([{ path: 'in.csv', sizeBytes: 8 }])
      expect(new TextDecoder().decode((await must(held.say('GET', 'uploads/in.csv'))).bytes)).toBe(
        'a,b\n1,2\n',
      )
      await must(held.say('PUT', 'start', { json: { isolation: 'full' } }))
      await must(held.say('POST', 'progress', { json: { value: 0.42, message: 'row 42000' } }))
      await must(held.log([{ line: 1, at: 1_770_000_000_000, stream: 'stdout', text: 'hello' }]))
      await must(held.say('PUT', 'outputs/r%C3%A9sult.csv', { bytes: bytes('a\n1\n') }))
      await must(held.say('PUT', 'outputs/r%C3%A9sult.csv', { bytes: bytes('a\n22\n') }))
      expect(await job(held.id)).toMatchObject({
        state: 'running',
        isolation: 'full',
        runner: label,
        progress: { value: 0.42, message: 'row 42000' },
        outputs: [{ name: 'résult.csv', size: 5, mimeType: 'text/csv' }],
      })
      await must(held.finish({ logLines: 1 }))
      const done = await job(held.id)
      expect(done).toMatchObject({ state: 'succeeded', exitCode: 0, log: { lines: 1, dropped: 0 } })
      expect(done.durationMs).toBeGreaterThanOrEqual(0)
      const output = await client.request('GET', done.outputs[0]?.url ?? '')
      expect(output.text).toBe('a\n22\n')
      expect(output.headers.get('content-disposition')).toContain('attachment')
      const etag = output.headers.get('etag') ?? ''
      const part = await client.request('GET', done.outputs[0]?.url ?? '', {
        headers: { range: 'bytes=2-3' },
      })
      expect([part.status, part.text]).toEqual([206, '22'])
      const fresh = await client.request('GET', done.outputs[0]?.url ?? '', {
        headers: { 'if-none-match': etag },
      })
      expect(fresh.status).toBe(304)
      const all = JSON.stringify([
        (await client.request('GET', `/scripts/${scriptId}/jobs`)).text,
        (await client.request('GET', '/audit?limit=200')).text,
        client.host.logs,
      ])
      for (const secret of ['very secret', assignment.attemptToken, assignment.env['SVC_SESSION_ID'] ?? '-'])
        expect(all).not.toContain(secret)
    },
  },
  {
    title: 'its session is its user’s, but not for the account, and ends with it',
    async run(client) {
      const { scriptId, configurationId, runner } = await stageOf(client)
      await good(
        client.request('POST', `/scripts/${scriptId}/run`, {
          json: { runConfigurationId: configurationId },
          as: 'editor',
        }),
      )
      const held = await runner.next()
      await held.begin()
      const headers = { 'x-session-id': held.assignment.env['SVC_SESSION_ID'] ?? '' }
      const ask = async (call: string) => {
        const [method = '', path = ''] = call.split(' ')
        return (await client.request(method, path, { as: null, headers })).status
      }
      expect(await ask('GET /groups/1')).toBe(200)
      expect(await ask('GET /audit')).toBe(403)
      expect(await ask('POST /session/token')).toBe(403)
      expect(await ask('PUT /users/1')).toBe(403)
      await must(held.finish())
      expect(await ask('GET /groups/1')).toBe(401)
    },
  },
  {
    title: 'one runs at a time of each configuration, and configurations in parallel',
    async run(client) {
      const { scriptId, label, runner, order: run } = await stageOf(client)
      const other = await configurationOf(client, scriptId, { runnerLabels: [label] })
      const [first, second] = [await run(), await run()]
      const beside = await order(client, scriptId, { runConfigurationId: other })
      const given = new Set<string>()
      while (given.size < 2) for (const { id } of await runner.poll(4, [...given])) given.add(id)
      expect([...given].sort()).toEqual([first.id, beside.id].sort())
      expect((await read(client, scriptId, second.id)).state).toBe('queued')
    },
  },
  {
    title: 'jobs go to whom they fit',
    async run(client) {
      const { runner, label, order: run } = await stageOf(client)
      const odd = [
        await runnerOf(client, { name: `${label} bare` }),
        await runnerOf(client, { name: `${label} talend`, labels: [label], capabilities: ['talend'] }),
        await runnerOf(client, { name: `${label} refuses`, labels: [label], refusal: 'no bubblewrap' }),
      ]
      const waiting = odd.map((one) => one.poll(4))
      const { id } = await run()
      expect((await runner.next()).id).toBe(id)
      // A second poll ends the first.
      const leaving = new AbortController()
      const again = odd.map((one) => one.poll(0, [], leaving.signal).catch(() => []))
      for (const jobs of await Promise.all(waiting)) expect(jobs).toEqual([])
      leaving.abort()
      await Promise.all(again)
      const health = await good<{ scripts: object }>(client.request('GET', '/readyz', { as: null }))
      expect(health.scripts).toMatchObject({ isolation: 'full' })
      const runners = await good<{ name: string; refusal: string | null; running: number }[]>(
        client.request('GET', '/runners'),
      )
      expect(runners.find(({ name }) => name === `${label} refuses`)).toMatchObject({
        refusal: 'no bubblewrap',
        present: true,
      })
      expect(runners.find(({ name }) => name === label)).toMatchObject({ running: 1 })
    },
  },
  {
    title: 'a job is cancelled while it waits at once, and while it runs as soon as its runner hears of it',
    async run(client) {
      const { scriptId, begun, order: run, read: job } = await stageOf(client)
      const held = await begun()
      const waits = await run()
      const cancel = (id: string) =>
        good<JobView>(client.request('POST', `/scripts/${scriptId}/jobs/${id}/cancel`))
      expect((await cancel(waits.id)).state).toBe('cancelled')
      expect(await cancel(held.id)).toMatchObject({ state: 'running', cancelRequested: true })
      expect(await cancel(held.id)).toMatchObject({ state: 'running', cancelRequested: true })
      expect((await must(held.log([]))).body).toEqual({ cancel: true })
      await must(held.finish({ outcome: 'cancelled', exitCode: null, error: null }))
      expect(await job(held.id)).toMatchObject({ state: 'cancelled', exitCode: null })
    },
  },
]
