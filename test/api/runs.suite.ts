import { expect } from 'bun:test'

import type { JobView, LogView } from '../../src/automation/runs/schema.ts'
import { ABOUT, must, RUNNER_TOKEN } from '../runs/fake-runner.ts'
import type { Client } from './client.ts'
import { bytes } from './file-samples.ts'
import { runLogs } from './runs-logs.ts'
import { configurationOf, formOf, order, read, runnerOf, scriptOf, stageOf } from './runs-stage.ts'
import { anyText, expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const NOWHERE = 'j_00000000000000000000000000'
const JSON_TYPE = { 'content-type': 'application/json' }

const stage = once(async (client) => {
  const script = await scriptOf(client)
  const { id: job } = await order(client, script)
  await good(client.request('POST', `/scripts/${script}/jobs/${job}/cancel`))
  const bare = await good<{ id: number }>(
    client.request('POST', '/scripts', { json: { name: 'nothing runs' } }),
  )
  return { script, job, bare: bare.id }
})

const READS = [
  'GET /scripts/{script}/jobs',
  'GET /scripts/{script}/jobs/status',
  'GET /scripts/{script}/jobs/{job}',
  'GET /scripts/{script}/jobs/{job}/log',
]

const refusals: readonly Row[] = [
  ...[...READS, 'POST /scripts/{script}/run', 'GET /runners', 'DELETE /scripts/{script}/jobs'].map(
    (line): Row => ({
      title: 'nobody',
      call: line,
      as: null,
      answers: 'unauthenticated',
    }),
  ),
  ...(['collector', 'dashboard_viewer'] as const).flatMap((as): Row[] =>
    [
      ...READS,
      'POST /scripts/{script}/run',
      'POST /scripts/{script}/jobs/{job}/cancel',
      'POST /scripts/{script}/jobs/{job}/rerun',
      'DELETE /scripts/{script}/jobs/{job}',
    ].map((line) => ({ title: as, call: line, as, answers: 'forbidden' })),
  ),
  ...(['editor', 'Data_Editor'] as const).flatMap((as): Row[] => [
    ...READS.map((line): Row => ({ title: as, call: line, as, answers: 200 })),
    { title: as, call: 'GET /runners', as, answers: 'forbidden' },
    { title: as, call: 'DELETE /runners/1', as, answers: 'forbidden' },
  ]),
  { title: 'an editor', call: 'DELETE /scripts/{script}/jobs', as: 'editor', answers: 'forbidden' },
  { title: 'no script', call: 'POST /scripts/999999/run', json: {}, answers: 'not_found' },
  { title: 'no script', call: 'GET /scripts/999999/jobs', answers: 'not_found' },
  { title: 'nothing that runs', call: 'POST /scripts/{bare}/run', json: {}, answers: 'no_runner' },
  {
    title: 'a configuration of nobody',
    call: 'POST /scripts/{script}/run',
    json: { runConfigurationId: 999_999 },
    answers: 'not_found',
  },
  {
    title: 'an unknown field',
    call: 'POST /scripts/{script}/run',
    json: { runs: 1 },
    answers: 'invalid',
    pointers: ['/runs'],
  },
  {
    title: 'no JSON',
    call: 'POST /scripts/{script}/run',
    text: '{',
    headers: JSON_TYPE,
    answers: 'malformed_json',
  },
  {
    title: 'another type',
    call: 'POST /scripts/{script}/run',
    text: 'x',
    headers: { 'content-type': 'text/plain' },
    answers: 'unsupported_media_type',
  },
  {
    title: 'too many arguments',
    call: 'POST /scripts/{script}/run',
    json: { arguments: Array.from({ length: 101 }, () => 'x') },
    answers: 'invalid',
    pointers: ['/arguments'],
  },
  {
    title: 'too many parameters',
    call: 'POST /scripts/{script}/run',
    json: { parameters: { x: 'x'.repeat(65_536) } },
    answers: 'invalid',
    pointers: ['/parameters'],
  },
  {
    title: 'a key that is none',
    call: 'POST /scripts/{script}/run',
    json: {},
    headers: { 'idempotency-key': 'x'.repeat(256) },
    answers: 'bad_request',
  },
  ...[
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['state=odd', '?state'],
    ['before=x', '?before'],
  ].map(([query, pointer]): Row => ({
    title: 'a query',
    call: `GET /scripts/{script}/jobs?${query}`,
    answers: 'invalid',
    pointers: [pointer ?? ''],
  })),
  { title: 'the largest page', call: 'GET /scripts/{script}/jobs?limit=100', answers: 200 },
  { title: 'none of each', call: 'GET /scripts/{script}/jobs/status?maxCount=0', answers: 'invalid' },
  { title: 'many of each', call: 'GET /scripts/{script}/jobs/status?maxCount=100', answers: 200 },
  { title: 'too many of each', call: 'GET /scripts/{script}/jobs/status?maxCount=101', answers: 'invalid' },
  { title: 'many lines', call: 'GET /scripts/{script}/jobs/{job}/log?limit=1000', answers: 200 },
  { title: 'too many lines', call: 'GET /scripts/{script}/jobs/{job}/log?limit=1001', answers: 'invalid' },
  ...['', '/log', '/outputs/x'].map((what): Row => ({
    title: 'no job',
    call: `GET /scripts/{script}/jobs/${NOWHERE}${what}`,
    answers: 'not_found',
  })),
  { title: 'the job of another script', call: 'GET /scripts/{bare}/jobs/{job}', answers: 'not_found' },
  { title: 'no output', call: 'GET /scripts/{script}/jobs/{job}/outputs/x', answers: 'not_found' },
  { title: 'what has ended', call: 'POST /scripts/{script}/jobs/{job}/cancel', answers: 'conflict' },
  { title: 'no runner', call: 'DELETE /runners/999999', answers: 'not_found' },
  ...['accept', 'start', 'finish'].map((what): Row => ({
    title: 'nobody',
    call: `PUT /runner/v1/jobs/{job}/${what}`,
    json:
      { start: { isolation: 'full' }, finish: { outcome: 'failed', exitCode: 1, error: null, logLines: 0 } }[
        what
      ] ?? {},
    as: null,
    answers: 'unauthenticated',
  })),
  {
    title: 'a session in place of a runner',
    call: 'POST /runner/v1/poll',
    json: { free: 1, running: [] },
    answers: 'unauthenticated',
  },
  ...[
    ['another token', `${RUNNER_TOKEN}x`],
    ['no token', ''],
  ].map(([title = '', token]): Row => ({
    title,
    call: 'POST /runner/v1/register',
    json: ABOUT,
    as: null,
    headers: { authorization: `Bearer ${token}` },
    answers: 'unauthenticated',
  })),
]

const orders: Scenario[] = [
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
    title: 'what is ordered again under its key is ordered once, and something else is refused',
    async run(client) {
      const script = await scriptOf(client)
      const send = (key: string, json: object) =>
        client.request('POST', `/scripts/${script}/run`, { json, headers: { 'idempotency-key': key } })
      const first = await Promise.all([send('a', {}), send('a', {}), send('a', {})])
      expect(statusesOf(first)).toEqual([202, 202, 202])
      expect(new Set(first.map(({ body }) => body['id'])).size).toBe(1)
      expect(first.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(2)
      expectAnswer(await send('a', { arguments: ['x'] }), { answers: 'idempotency_conflict' })
      expect((await send('b', {})).body['id']).not.toBe(first[0]?.body['id'])
      const mine = await client.request('POST', `/scripts/${script}/run`, {
        json: {},
        headers: { 'idempotency-key': 'a' },
        as: 'editor',
      })
      expect(mine.body['id']).not.toBe(first[0]?.body['id'])
      const jobs = await good<JobView[]>(client.request('GET', `/scripts/${script}/jobs`))
      expect(jobs).toHaveLength(3)
    },
  },
  {
    title: 'pages follow each other, the latest first, and leave what does not fit',
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

const lives: Scenario[] = [
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
      // What is changed now is for the next run.
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

const failures: Scenario[] = [
  {
    title: 'who has lost a job is told so whatever they say of it, and changes nothing',
    async run(client) {
      const { begun, runner, label, read: job } = await stageOf(client, { retries: 1 })
      const held = await begun()
      await must(held.log([{ line: 1, at: 0, stream: 'stdout', text: 'first attempt' }]))
      // It does not name the job: so it has lost it, and gets it anew.
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
      // Whoever did not take it gets it once more, and it is the first attempt still.
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
      expect((await client.request('DELETE', path, { as: 'Data_Editor' })).status).toBe(204)
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

const FILE = { name: 'x.csv', type: 'text/csv', bytes: 'a,b\n' }

/** What comes in a form, and what is said of it. */
const FORMS: readonly (readonly [
  title: string,
  parts: Parameters<typeof formOf>[0],
  answers: Row['answers'],
  pointers?: readonly string[],
])[] = [
  [
    'ten files',
    Array.from({ length: 10 }, (_, at) => ['file', { ...FILE, name: `${at}.csv` }] as const),
    202,
  ],
  [
    'eleven files',
    Array.from({ length: 11 }, (_, at) => ['file', { ...FILE, name: `${at}.csv` }] as const),
    'invalid',
    ['/file'],
  ],
  [
    'a name twice',
    [
      ['file', FILE],
      ['file', FILE],
    ],
    'invalid',
    ['/file'],
  ],
  ['a file called otherwise', [['upload', FILE]], 'invalid', ['/upload']],
  ['an unknown field', [['odd', '1']], 'invalid', ['/odd']],
  ['parameters that are no JSON', [['parameters', '{']], 'invalid', ['/parameters']],
  ['parameters that are no object', [['parameters', '[]']], 'invalid', ['/parameters']],
  ['an id that is none', [['runConfigurationId', 'x']], 'invalid', ['/runConfigurationId']],
  ['a type that no script takes', [['file', { ...FILE, type: 'image/png' }]], 'unsupported_media_type'],
  [
    'a type that this script does not take',
    [['file', { ...FILE, type: 'text/plain' }]],
    'unsupported_media_type',
  ],
  [
    'bytes that are not of the declared type',
    [['file', { ...FILE, bytes: bytes('\x89PNG\r\n\x1a\n\0\0') }]],
    'unsupported_media_type',
  ],
  [
    'text that is declared as a spreadsheet',
    [['file', { ...FILE, type: 'application/pdf' }]],
    'unsupported_media_type',
  ],
  ['a file without a type, by its name', [['file', { ...FILE, type: '' }]], 202],
  ['as much as a file may be', [['file', { ...FILE, bytes: 'x'.repeat(10 * 1024 * 1024) }]], 202],
  ['more than a file may be', [['file', { ...FILE, bytes: 'x'.repeat(10 * 1024 * 1024 + 1) }]], 'too_large'],
]

const forms: Scenario[] = FORMS.map(([title, parts, answers, pointers]) => ({
  title: `${title}: a form with it answers ${answers}`,
  async run(client: Client) {
    const script = await scriptOf(client, { acceptedFiles: ['text/csv', 'application/pdf'] })
    const answer = await client.request('POST', `/scripts/${script}/run`, await formOf(parts))
    expectAnswer(answer, { answers, ...(pointers && { pointers }) })
    if (answers === 'unsupported_media_type')
      expect(answer.body['allowed']).toEqual(['text/csv', 'application/pdf'])
    const jobs = await good<LogView[]>(client.request('GET', `/scripts/${script}/jobs`))
    expect(jobs).toHaveLength(answers === 202 ? 1 : 0)
  },
}))

export const runsSuite: Suite = {
  name: 'runs',
  scenarios: [...table(stage, refusals), ...orders, ...lives, ...runLogs, ...failures, ...forms],
}
