import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'

import { parse } from 'yaml'

import { tidemark } from '../../clients/typescript/client.ts'
import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { healthReports } from '../../src/app.ts'
import { runCommand, usageOf } from '../../workers/bun/commands/action.ts'
import { COMMANDS } from '../../workers/bun/commands/commands.ts'
import { REPAIRS } from '../../workers/bun/commands/doctor.ts'
import { startServer } from '../../workers/bun/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { fromBase32 } from '../access/base32.ts'
import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { rejection } from '../contract/rejection.ts'
import { FAST_DIR } from '../hosts/fast-dir.ts'
import { ADMIN } from '../hosts/host.ts'
import type { Host } from '../hosts/host.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { SELF_SIGNED } from '../hosts/self-signed.ts'
import { readUntil } from '../until.ts'
import { Directories, startCommand } from './command-line.ts'

const CREDENTIALS = { TIDEMARK_USERNAME: ADMIN.username, TIDEMARK_PASSWORD: ADMIN.password }
const EXPIRES_AT = new Date(Date.now() + 3_600_000).toISOString()
const TOKEN = { name: 'laptop', scopes: ['read'], expiresAt: EXPIRES_AT }
const TEST_MAX_MS = 180_000
const MAIN = ['bun', 'workers/bun/main.ts']

const directories = new Directories()
afterAll(() => directories.remove())

type Step = { readonly run: string; readonly env: Readonly<Record<string, string>> }
const ACTION = join(import.meta.dir, '../../clients/github-action')

/** Runs the step of the action, as GitHub does: with its variables, by bash. */
async function runAction(inputs: Readonly<Record<string, string>>) {
  const { runs } = parse(await Bun.file(join(ACTION, 'action.yml')).text()) as {
    readonly runs: { readonly steps: readonly [Step] }
  }
  const [step] = runs.steps
  const empty = Object.fromEntries(Object.keys(step.env).map((name) => [name, '']))
  return startCommand(['bash', '-c', step.run], { ...empty, GITHUB_ACTION_PATH: ACTION, ...inputs }).ended
}

const run = (line: string, environment: Record<string, string>, ...more: readonly string[]) => {
  const [name, ...args] = line.split(' ')
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) throw new Error(`There is no command ${name}.`)
  return runCommand(command, [...args, ...more], { environment })
}

describe.each([...HOST_NAMES])('the commands against %s', (hostName) => {
  let host: Host
  let environment: Record<string, string>
  let device = 0
  beforeAll(async () => {
    host = await startHost(hostName)
    environment = { ...CREDENTIALS, TIDEMARK_URL: host.url }
    const { request } = await connectAdministrator(host)
    device = (await good<{ id: number }>(request('POST', '/devices?parentId=1', { json: { name: 'web' } })))
      .id
  }, TEST_MAX_MS)
  afterAll(() => host.close())
  const text = async (line: string, ...more: readonly string[]) =>
    (await run(line, environment, ...more)).text

  test(
    'a job is created, gets values, raises an alarm, which is acknowledged, and is maintained and deleted',
    async () => {
      expect(await text(`job create --device ${device} --timeout PT1H --value duration nightly`)).toMatch(
        /^Job (\d+) "nightly" is created/,
      )
      const { items } = JSON.parse(await text('job list --json')) as { items: { id: number }[] }
      const id = items[0]?.id ?? 0
      expect(await text(`deliver ${id} returnValue1=21.5 --message`, 'all well')).toMatch(
        new RegExp(`^Job ${id} is ok. It times out at 20`),
      )
      expect(await text(`job show ${id}`)).toMatch(/message +all well\n/)
      expect(await text(`deliver ${id} --error-code 3 --json`)).toContain('"errorCode": 3')
      expect(await text('job list')).toMatch(
        new RegExp(`^ID +STATE +DEVICE +NAME\n${id} +warning +web +nightly\n$`),
      )
      expect(await text('job list --state ok')).toBe('There are no such jobs.\n')

      let alarms = await text('alarm list')
      for (let tries = 0; !alarms.includes('nightly') && tries < 100; tries++) {
        await Bun.sleep(50)
        alarms = await text('alarm list')
      }
      const alarm = /^(\d+) +open/m.exec(alarms)?.[1] ?? 'none'
      expect(await text(`alarm acknowledge ${alarm} --comment`, 'I look at it.')).toBe(
        `Alarm ${alarm} is acknowledged.\n`,
      )
      expect(await text(`alarm comment ${alarm}`, 'The disk was full.')).toContain('is stored')
      expect(await text(`alarm show ${alarm}`)).toMatch(/status +assigned\n/)
      const refused = await run('alarm acknowledge 999', environment)
      expect(refused).toMatchObject({
        exitCode: 1,
        text: expect.stringContaining('Alarm 999 is unchanged: ') as unknown,
      })

      expect(await text(`maintain plan job/${id} --for PT2H --name update`)).toMatch(
        /^Maintenance window \d+ of job/,
      )
      const window =
        /^(\d+) +maintenance +running/m.exec(await text(`maintain list job/${id}`))?.[1] ?? 'none'
      expect(await text(`maintain end job/${id} ${window}`)).toContain('has ended')

      expect(await text(`job stop ${id}`)).toBe(`Job ${id} is stopped.\n`)
      expect(await text(`job start ${id}`)).toBe(`Job ${id} is started.\n`)
      expect(await text(`job delete ${id}`)).toContain('is deleted')
      expect(await text('job list')).toBe('There are no such jobs.\n')
    },
    TEST_MAX_MS,
  )

  test(
    'dashboards are pulled into files, compared and pushed, and one of Grafana is imported',
    async () => {
      const directory = await mkdtemp(join(FAST_DIR, 'boards-'))
      try {
        const { request } = await connectAdministrator(host)
        const words = { kind: 'text', markdown: 'before' }
        const body = { name: 'Hall', urlName: 'hall', definition: { widgets: { words } } }
        await good(request('POST', '/dashboards', { json: body }))
        expect(await text('dashboard pull', directory)).toBe('1 dashboards.\n')
        expect((await run('dashboard diff', environment, directory)).exitCode).toBe(0)
        const code = join(directory, 'hall.json')
        expect(await rejection(run('dashboard diff', environment, code))).toMatchObject({ exitCode: 65 })
        expect(await rejection(run('dashboard pull', environment, code))).toMatchObject({
          exitCode: 73,
          message: expect.stringContaining(`${code} cannot be written: `) as unknown,
        })
        const file = join(directory, 'hall.json')
        await Bun.write(file, (await Bun.file(file).text()).replace('before', 'after'))
        const changed = await run('dashboard diff', environment, directory)
        expect(changed.exitCode).toBe(1)
        expect(changed.text).toMatch(/hall +changed +definition\/widgets\/words\/markdown/)
        await text('dashboard push', directory, '--dry-run')
        expect((await run('dashboard diff', environment, directory)).exitCode).toBe(1)
        expect(await text('dashboard push', directory, '--managed-by', 'git')).toMatch(/hall +update +2 +0/)
        expect((await run('dashboard diff', environment, directory)).exitCode).toBe(0)
        const read = await good<{ readonly managedBy: string }>(request('GET', '/dashboards/hall'))
        expect(read.managedBy).toBe('git')
        const empty = join(directory, 'empty.json')
        await Bun.write(empty, 'null')
        const refused = { exitCode: 65, message: `${empty} is not a dashboard: a dashboard is an object.` }
        expect(await rejection(run('dashboard push', environment, directory))).toMatchObject(refused)
        await rm(empty)
        const node = join(directory, 'node')
        const panels = [{ id: 1, type: 'stat', title: 'Load', targets: [{ expr: 'node_load1' }] }]
        await Bun.write(node, JSON.stringify({ title: 'Node of Grafana', panels }))
        expect(await text('dashboard grafana', node, '--dry-run')).toMatch(/Load +stat +placeholder/)
        expect((await request('GET', '/dashboards/node-of-grafana')).status).toBe(404)
        await text('dashboard grafana', node)
        expect((await request('GET', '/dashboards/node-of-grafana')).status).toBe(200)
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
    TEST_MAX_MS,
  )

  test(
    'the typed client reads and delivers, and rejects with the problem of a refusal',
    async () => {
      const { request } = await connectAdministrator(host)
      const body = { name: 'client', scopes: ['read', 'write', 'execute'], expiresAt: EXPIRES_AT }
      const { token } = await good<{ token: string }>(
        request('POST', '/session/personal-tokens', { json: body }),
      )
      const { GET, POST, PUT } = tidemark({ url: `${host.url}/`, token })
      const made = await POST('/jobs', {
        params: { query: { parentId: device } },
        body: { name: 'typed', parameters: { returnValue: [{ valueName: 'size' }] } },
      })
      const jobId = made.data?.id ?? 0
      const delivered = await POST('/webcollector/jobs/{jobId}/values', {
        params: { path: { jobId } },
        body: { returnValue1: 21.5, signal: 'result' },
      })
      expect(delivered.data).toMatchObject({ state: 'ok' })
      const { data: job } = await GET('/jobs/{id}', {
        params: { path: { id: jobId }, query: { values: true } },
      })
      expect(JSON.stringify(job?.values)).toContain('21.5')
      const lost = await rejection(GET('/jobs/{id}', { params: { path: { id: 999_999 } } }))
      expect(lost).toMatchObject({ name: 'TidemarkError', status: 404, problem: { code: 'not_found' } })
      if (!job) throw new Error('The job was not read.')
      const params = { path: { id: jobId }, header: { 'If-Match': '"0"' } }
      const stale = await rejection(PUT('/jobs/{id}', { params, body: job as never }))
      expect(stale).toMatchObject({ status: 412 })
    },
    TEST_MAX_MS,
  )

  test(
    'the action for GitHub delivers the status of a workflow, once, by a token and by a ping URL',
    async () => {
      const { request } = await connectAdministrator(host)
      const json = { name: 'workflow', parameters: { returnValue: [{ valueName: 'size' }] } }
      const { id } = await good<{ id: number }>(request('POST', `/jobs?parentId=${device}`, { json }))
      const ping = await good<{ url: string }>(request('POST', `/jobs/${id}/pings`, { json: { name: 'ci' } }))
      const scopes = ['execute']
      const { token } = await good<{ token: string }>(
        request('POST', '/session/personal-tokens', { json: { name: 'ci', scopes, expiresAt: EXPIRES_AT } }),
      )
      const job = async () =>
        (await request('GET', `/jobs/${id}?values=true`)).body as Record<string, unknown> & {
          message: string
        }
      const act = (inputs: Readonly<Record<string, string>>, runId = '1') =>
        runAction({ GITHUB_RUN_ID: runId, ...inputs })
      const credentials = { URL: `${host.url}/`, TOKEN: token, JOB: String(id) }

      const failed = await act({ ...credentials, STATUS: 'failure', GITHUB_WORKFLOW: 'build "all"' })
      expect(failed.code).toBe(0)
      expect(failed.stdout).toContain('"errorCode":1')
      expect((await job()).message).toBe('build all #0: failure')
      // A repetition of the same step is answered as before, and one with values has a key of its own.
      expect((await act({ ...credentials, STATUS: 'failure', GITHUB_WORKFLOW: 'build "all"' })).stdout).toBe(
        failed.stdout,
      )
      const values = await act({ ...credentials, STATUS: 'success', BODY: '{"returnValue1": 3}' }, '2')
      expect(values.code).toBe(0)
      // So have another job of the workflow, and another job of its matrix.
      const other = { ...credentials, STATUS: 'success', BODY: '{"returnValue1": 4}', GITHUB_JOB: 'other' }
      expect((await act(other, '2')).code).toBe(0)
      expect((await act({ ...other, BODY: '{"returnValue1": 3}', JOB_INDEX: '1' }, '2')).code).toBe(0)
      expect(JSON.stringify((await job())['values'])).toContain('3')
      expect((await act({ PING_URL: ping.url, STATUS: 'success' })).stdout).toContain('"errorCode":0')
      expect((await act({ PING_URL: ping.url, STATUS: 'failure' })).code).toBe(0)
      expect((await job()).message).toBe('workflow #0: failure')

      const refused = await act({ ...credentials, TOKEN: 'wrong', STATUS: 'success' }, '3')
      expect(refused.code).toBe(22)
      expect(refused.stdout).toContain('unauthenticated')
      const headers = { location: 'https://tidemark.example.org/' }
      using redirect = Bun.serve({ port: 0, fetch: () => new Response('moved', { status: 301, headers }) })
      for (const inputs of [
        { ...credentials, URL: redirect.url.origin },
        { PING_URL: `${redirect.url.origin}/webcollector/ping/x` },
      ]) {
        const moved = await act({ ...inputs, STATUS: 'success' }, '4')
        expect(moved.code).toBe(1)
        expect(moved.stdout).toContain('::error::The service answered with status 301.')
      }
      const incomplete = await act({ URL: host.url, STATUS: 'success' })
      expect([incomplete.code, incomplete.stdout]).toEqual([
        1,
        '::error::Set ping-url, or url, token and job.\n',
      ])
    },
    TEST_MAX_MS,
  )

  test(
    'exec delivers the exit code, the duration and the last output of a command, and passes its exit code on',
    async () => {
      await text(`job create --device ${device} --value duration --grace PT1H nightly-import`)
      const { items } = JSON.parse(await text('job list --json')) as { items: { id: number; name: string }[] }
      const id = items.find(({ name }) => name === 'nightly-import')?.id ?? 0
      const exec = (...words: readonly string[]) =>
        startCommand([...MAIN, 'exec', '--job', String(id), '--', ...words], environment).ended
      const failed = await exec('sh', '-c', 'echo out; echo no space left >&2; exit 7')
      expect(failed).toMatchObject({ code: 7, stdout: 'out\n', stderr: 'no space left\n' })
      const job = JSON.parse(await text(`job show ${id} --json`)) as { errorCode: number; message: string }
      expect(job.errorCode).toBe(7)
      expect(job.message).toMatch(/^exit code 7 after \d+\.\d s\nno space left$/)
      expect((await exec('sleep', '0.3')).code).toBe(0)
      const { request } = await connectAdministrator(host)
      const { values } = await good<{ values: { returnValue1: { value: number } } }>(
        request('GET', `/jobs/${id}?values=true`),
      )
      // In seconds: in milliseconds it would be 300 at least.
      expect(values.returnValue1.value).toBeGreaterThanOrEqual(0.3)
      expect(values.returnValue1.value).toBeLessThan(300)
      expect((await exec('no-such-program')).code).toBe(127)
      expect((await exec('sh', '-c', 'kill -9 $$')).code).toBe(137)

      // A process that the command leaves behind holds neither its end nor its duration.
      const leaving = ['exec', '--job', String(id), '--', 'sh', '-c', 'sleep 60 >/dev/null & echo $!; exit 5']
      const left = startCommand([...MAIN, ...leaving], environment)
      await left.until('\n')
      const message = async () =>
        (await good<{ message: string }>(request('GET', `/jobs/${id}`))).message.split('\n')[0]
      expect(await readUntil(message, (one) => one?.startsWith('exit code 5') === true)).toMatch(
        / [0-4]?\d\.\d s$/,
      )
      process.kill(Number(left.stdout))
      expect((await left.ended).code).toBe(5)

      // The job has no timeout: only the start of a run lets it time out, by its grace, until the run ends.
      const timesOut = async () => (await good(request('GET', `/jobs/${id}`)))['nextTimeoutAt'] !== null
      expect(await timesOut()).toBe(false)
      const read = `curl -s -u "$TIDEMARK_USERNAME:$TIDEMARK_PASSWORD" "$TIDEMARK_URL/jobs/${id}"`
      const awaitStart = `for try in $(seq 300); do ${read} | grep -q '"nextTimeoutAt":"' && exit 0; sleep 0.1; done; exit 9`
      expect((await exec('sh', '-c', awaitStart)).code).toBe(0)
      expect(await timesOut()).toBe(false)
    },
    TEST_MAX_MS,
  )

  test(
    'users and tokens are created and listed, and a token that is revoked works no more',
    async () => {
      expect(await text('user create --role editor ada')).toMatch(
        /^User \d+ "ada" is created.\nPassword: \S{24}\n$/,
      )
      expect(await text('user list')).toMatch(/\d+ +ada +editor +no\n/)
      const token = (await text('token create --scope read ci')).trim()
      const asToken = { TIDEMARK_URL: host.url, TIDEMARK_TOKEN: token }
      expect((await run('job list', asToken)).text).toMatch(/import|no such jobs/)
      const id = /^(\d+) +ci +read/m.exec(await text('token list'))?.[1] ?? 'none'
      expect(await text(`token revoke ${id}`)).toBe(`Token ${id} is revoked.\n`)
      expect(
        String(await rejection(run('job list', { TIDEMARK_URL: host.url, TIDEMARK_TOKEN: token }))),
      ).toContain('GET /jobs failed with status 401')
    },
    TEST_MAX_MS,
  )

  test(
    'doctor reports a service that works, and names the repair of wrong credentials and of a wrong address',
    async () => {
      const well = await run('doctor', environment)
      expect(well.text).toMatch(/^ok {6}service: answers at/)
      expect(well.text).toContain(`credentials: the service accepts them: ${ADMIN.username}, administrator`)
      expect(well.exitCode).toBe(0)
      const wrong = await run('doctor', { TIDEMARK_URL: host.url, TIDEMARK_TOKEN: 'tm_wrong' })
      expect(wrong.text).toMatch(/FAILED {2}credentials: .*\n {10}Set TIDEMARK_TOKEN/)
      expect(wrong.exitCode).toBe(1)
      const token = (await text('token create --scope read doctor')).trim()
      const asToken = await run('doctor', { TIDEMARK_URL: host.url, TIDEMARK_TOKEN: token })
      expect(asToken.text).toContain('credentials: the service accepts them: a personal token\n')
      expect(asToken.exitCode).toBe(0)
      const away = await run('doctor', { ...environment, TIDEMARK_URL: 'http://127.0.0.1:1' })
      expect(away.text).toMatch(/^FAILED {2}service: No service answers[^]*\n {10}Start it/)
      expect(away.exitCode).toBe(1)
    },
    TEST_MAX_MS,
  )
})

test(
  'a lost password is reset without a service and without a login; sessions end, and a running service is not disturbed',
  async () => {
    const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-reset-'))
    const environment = { TIDEMARK_DATA_DIR: dataDir, TIDEMARK_PORT: '0', TIDEMARK_RUNNER: 'off' }
    const start = () =>
      startServer(readServerSettings({ ...environment, TIDEMARK_ADMIN_PASSWORD: ADMIN.password }), {
        log: jsonLog(() => undefined),
      })
    const post = (url: string, path: string, json: object, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(json),
      })
    const login = async (url: string, password: string) =>
      (await post(url, '/session/login', { username: 'admin', password })).status
    try {
      const first = await start()
      expect(await rejection(run('user reset-password admin', environment))).toMatchObject({
        exitCode: 75,
        message: expect.stringContaining('Another Tidemark') as unknown,
      })
      const session = await post(first.url, '/session/login', { username: 'admin', password: ADMIN.password })
      expect(session.status).toBe(200)
      const { sessionId } = (await session.json()) as { readonly sessionId: string }
      const headers = { 'x-session-id': sessionId }
      const mfa = await post(first.url, '/session/mfa', {}, headers)
      const { secret } = (await mfa.json()) as { readonly secret: string }
      const code = await codeOf(fromBase32(secret), stepAt(Date.now()))
      expect((await post(first.url, '/session/mfa/confirmation', { code }, headers)).status).toBe(200)
      const created = await post(first.url, '/session/personal-tokens', TOKEN, headers)
      const { token } = (await created.json()) as { readonly token: string }
      const statuses = (url: string) =>
        Promise.all(
          [headers, { authorization: `Bearer ${token}` }].map(
            async (one) => (await fetch(`${url}/jobs`, { headers: one })).status,
          ),
        )
      expect(await statuses(first.url)).toEqual([200, 200])
      await first.close()
      expect(String(await rejection(run('user reset-password nemo', environment)))).toContain(
        'There is no user "nemo".',
      )
      const secondFactors = () => {
        using database = new Database(join(dataDir, 'config.db'), { readonly: true })
        return database.query("select 1 from mfa where secret <> ''").values().length
      }
      await run('user reset-password admin', environment)
      expect(secondFactors()).toBe(1)
      const { text } = await run('user reset-password admin --remove-mfa', environment)
      expect(secondFactors()).toBe(0)
      const password = /^Password: (\S{24})$/m.exec(text)?.[1] ?? ''
      const second = await start()
      expect(await statuses(second.url)).toEqual([401, 401])
      expect(await login(second.url, ADMIN.password)).toBe(401)
      expect(await login(second.url, password)).toBe(200)
      await second.close()
      const nowhere = { ...environment, TIDEMARK_DATA_DIR: join(dataDir, 'nowhere') }
      expect(await rejection(run('user reset-password admin', nowhere))).toMatchObject({
        exitCode: 73,
        message: expect.stringContaining('has no data of Tidemark') as unknown,
      })
    } finally {
      await rm(dataDir, { recursive: true })
    }
  },
  TEST_MAX_MS,
)

test.each([
  ['no service answers', 'No service answers', 'http://127.0.0.1:1'],
  ['another program answers', 'answered text/html instead of JSON', null],
])(
  'exec runs a command although %s, and prints why nothing was delivered',
  async (_, reason, address) => {
    const html = { headers: { 'content-type': 'text/html' } }
    using other = Bun.serve({ port: 0, fetch: () => new Response('<p/>', html) })
    const url = address ?? other.url.origin
    const words = ['exec', '--job', '1', '--url', url, '--', 'sh', '-c', 'echo done; exit 3']
    const ended = await startCommand([...MAIN, ...words], CREDENTIALS).ended
    expect(ended).toMatchObject({ code: 3, stdout: 'done\n' })
    expect(ended.stderr).toMatch(new RegExp(`tidemark: not delivered: .*${reason}`))
  },
  TEST_MAX_MS,
)

test.each([
  ['deliver', 'An argument is missing: <job>'],
  ['deliver x', '"x" is not the id of a job'],
  ['deliver 1 21.5', '"21.5" is not <key>=<value>'],
  ['deliver 1 returnValue1=warm', 'returnValue1 must be a number'],
  ['deliver 1 --error-code -x', 'error-code'],
  ['deliver 1 --error-code 1.5', 'must be a whole number'],
  ['exec -- true', 'Name the job'],
  ['job', 'An action is missing.'],
  ['job dance', 'Unknown action dance.'],
  ['job create x', 'is not the id of a device'],
  ['maintain plan 7 --for PT1H', 'name it as job/42'],
  ['maintain plan job/7', 'Pass either --for <duration> or --until <instant>.'],
  ['maintain plan job/7 --for 2h', 'a duration such as PT2H'],
  ['query run 1 region', 'is not <parameter>=<value>'],
  ['user create ada', 'Pass --role'],
  ['completions cmd', 'bash, zsh or fish'],
])('"%s" is refused with exit code 2: %s', async (line, message) => {
  const error = await rejection(run(line, { TIDEMARK_TOKEN: 'x' }))
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) as unknown })
})

test('a command ends with 69 where no service answers', async () => {
  const error = await rejection(run('job list', { TIDEMARK_TOKEN: 'x', TIDEMARK_URL: 'http://127.0.0.1:1' }))
  expect(error).toMatchObject({ exitCode: 69 })
})

test.each([
  [
    'is a redirect',
    'HTTP/1.1 301 Moved\r\nlocation: https://tidemark.example.org/\r\ncontent-length: 0\r\n\r\n',
    'leads to https://tidemark.example.org/: pass the address',
  ],
  [
    'comes from another program',
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p/>',
    'answered text/html instead of JSON: another program answers there.',
  ],
  [
    'never comes',
    '',
    'closed the connection before it answered POST /users. The service may have carried the request out',
  ],
  [
    'is cut off',
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id": 1,',
    'was cut off. The service may have carried the request out',
  ],
])('a command ends with 69 where an answer %s', async (_, answer, message) => {
  using server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.end(answer) },
  })
  const environment = { TIDEMARK_TOKEN: 'x', TIDEMARK_URL: `http://127.0.0.1:${server.port}` }
  expect(await rejection(run('user create ada --role editor', environment))).toMatchObject({
    exitCode: 69,
    message: expect.stringContaining(message) as unknown,
  })
})

test('a command refuses an address and a token that are none, and prints no credentials', async () => {
  const failure = async (url: string, token: string) =>
    rejection(run(`job list --url ${url}`, { TIDEMARK_TOKEN: token }))
  for (const url of [
    '127.0.0.1:1',
    'ftp://127.0.0.1',
    'http://ada:secret@127.0.0.1:1',
    'http://127.0.0.1:1/?a',
  ])
    expect(await failure(url, 'x')).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^The address of the service must be like (?!.*secret)/) as unknown,
    })
  expect(String(await failure('http://127.0.0.1:1', 'ké'))).toContain('TIDEMARK_TOKEN has characters')
  const basic = { ...CREDENTIALS, TIDEMARK_TOKEN: '', HTTP_PROXY: 'http://127.0.0.1:1' }
  expect(String(await rejection(run('job list --url http://127.0.0.1:1', basic)))).toContain(
    'No service answers at http://127.0.0.1:1 (HTTP_PROXY is set): the connection was refused.',
  )
})

test('a command names a certificate that it does not trust', async () => {
  using server = Bun.serve({ port: 0, tls: SELF_SIGNED, fetch: () => new Response('') })
  const environment = { TIDEMARK_TOKEN: 'x', TIDEMARK_URL: `https://localhost:${server.port}` }
  expect(String(await rejection(run('job list', environment)))).toMatch(
    /The certificate of https:\/\/localhost:\d+ is refused: .*\. NODE_EXTRA_CA_CERTS names/,
  )
})

test('a command whose reader leaves ends without a message', async () => {
  const words = [
    'bash',
    '-c',
    `(sleep 0.2; ${process.execPath} workers/bun/main.ts completions bash; echo $? >&2) | true`,
  ]
  expect((await startCommand(words, {}).ended).stderr).toBe('141\n')
})

test('exec delivers the end of a command although nobody reads its messages', async () => {
  const delivered: unknown[] = []
  using service = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (request.method === 'POST') delivered.push(await request.json())
      return Response.json({})
    },
  })
  const line = `${process.execPath} workers/bun/main.ts exec --job 3 -- sh -c "sleep 0.3; echo x >&2; sleep 0.3; echo y >&2; exit 4"`
  const environment = { TIDEMARK_TOKEN: 'x', TIDEMARK_URL: service.url.origin }
  const { stdout } = await startCommand(
    ['bash', '-c', `{ ${line}; echo $? >&3; } 3>&1 2> >(true)`],
    environment,
  ).ended
  expect(stdout).toBe('4\n')
  expect(delivered.at(-1)).toMatchObject({ errorCode: 4, message: expect.stringContaining('y') as unknown })
})

test('a command whose output finds a full disk ends with 73 and a sentence', async () => {
  const words = ['sh', '-c', `${process.execPath} workers/bun/main.ts completions bash >/dev/full`]
  expect(await startCommand(words, {}).ended).toMatchObject({
    code: 73,
    stderr: 'Standard output cannot be written: ENOSPC: no space left on device, write.\n',
  })
})

test('bash completes commands, actions and options', async () => {
  const { text } = await run('completions bash', {})
  const complete = (...words: readonly string[]) => {
    const script = `${text}\nCOMP_WORDS=(tidemark ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _tidemark; echo "\${COMPREPLY[@]}"`
    return Bun.spawnSync(['bash', '-c', script]).stdout.toString().trim()
  }
  expect(complete('de')).toBe('deliver demo')
  expect(complete('alarm', 'a')).toBe('acknowledge')
  expect(complete('alarm', 'acknowledge', '--u')).toBe('--until --url')
  expect(complete('deliver', '42', '--m')).toBe('--message')
  expect(complete('s')).toBe('serve script')
  expect(complete('serve', '--')).toBe('--once --help')
  expect(complete('completions', '')).toBe('bash zsh fish')
  // Files are completed by the shell, with their spaces.
  expect(complete('restore', './pack')).toBe('')
  expect(text).toContain('complete -o default -F _tidemark tidemark\n')
})

test.skipIf(Bun.which('zsh') === null)('zsh completes commands at its prompt', async () => {
  const file = join(await directories.make(), 'completions.zsh')
  await Bun.write(file, (await run('completions zsh', {})).text)
  // In a terminal of its own; reads until the text is there.
  const script = `zmodload zsh/zpty; zpty z zsh -f -i
    zpty -w z "PS1='ready''> '; source $1"; zpty -r z seen '*ready> *'
    zpty -w -n z $'tidemark mai\\t'; zpty -r z seen '*tidemark maintain*'; print -r -- $seen; zpty -d z`
  const zsh = Bun.spawn(['zsh', '-f', '-c', script, 'zsh', file], { stdout: 'pipe', timeout: 60_000 })
  expect(await zsh.stdout.text()).toContain('tidemark maintain')
})

test.skipIf(Bun.which('fish') === null)('fish completes commands, actions and options', async () => {
  const file = join(await directories.make(), 'completions.fish')
  await Bun.write(file, (await run('completions fish', {})).text)
  const complete = (line: string) => {
    const script = `source ${file}; complete -C '${line}'`
    return Bun.spawnSync(['fish', '--no-config', '-c', script]).stdout.toString().trim().split('\n')
  }
  expect(complete('tidemark de')).toEqual(['deliver', 'demo'])
  expect(complete('tidemark alarm a')).toContain('acknowledge')
  expect(complete('tidemark alarm acknowledge --u')).toEqual(['--until', '--url'])
  expect(complete('tidemark s')).toEqual(['script', 'serve'])
  expect(complete('tidemark job list --')).toEqual(['--help', '--json', '--state', '--url'])
  expect(complete('tidemark completions ')).toEqual(['bash', 'fish', 'zsh'])
  expect(complete('tidemark deliver job acknow')).toEqual([''])
})

test('every usage names each action with its options', () => {
  for (const command of COMMANDS)
    for (const [name, { options }] of Object.entries(command.actions)) {
      expect(usageOf(command)).toContain(`tidemark ${command.name}${name === '' ? '' : ` ${name}`}`)
      for (const option of Object.keys(options)) expect(usageOf(command)).toContain(`[--${option}`)
    }
  const usages = COMMANDS.map(usageOf).join('')
  // What follows `--` is passed on.
  expect(usages).toContain('tidemark exec [--job <id>] [--url <address>] -- <command> [<argument>…]\n')
  expect(usages).toMatch(/tidemark script run <script> .* \[-- <argument>…\]\n/)
})

test('every action has --json and --url, but those that print no response of the service', () => {
  const without = COMMANDS.flatMap(({ name, actions }) =>
    Object.entries(actions)
      .filter(([, { options }]) => !('json' in options && 'url' in options))
      .map(([action]) => `${name} ${action}`.trim()),
  )
  expect(without).toEqual([
    'exec',
    'export',
    'import healthchecks',
    'import uptime-kuma',
    'user reset-password',
    'completions',
    'version',
  ])
})

test('a list of several pages is read to its end', async () => {
  const asked: string[] = []
  using service = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url)
      const isFirst = !searchParams.has('cursor')
      asked.push(`${pathname}?${searchParams.toString()}`)
      const headers = isFirst ? { link: '</base/scripts?limit=1000&cursor=b%3D>; rel="next"' } : {}
      return Response.json([{ id: isFirst ? 1 : 2, name: 'a', runner: null, lastRun: null }], { headers })
    },
  })
  const environment = { TIDEMARK_URL: `${service.url.href}base`, TIDEMARK_TOKEN: 'x' }
  const { text } = await run('script list --json', environment)
  expect((JSON.parse(text) as readonly { id: number }[]).map(({ id }) => id)).toEqual([1, 2])
  expect(asked).toEqual(['/base/scripts?limit=1000', '/base/scripts?limit=1000&cursor=b%3D'])
})

test('a state that no job has is refused with the states', async () => {
  const refused = await rejection(run('job list --state bogus', { TIDEMARK_TOKEN: 'x' }))
  expect(refused).toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^"bogus" is not a state of a job: major, minor,/) as unknown,
  })
})

test('restore refuses what is no file, and a file that becomes shorter while it is sent', async () => {
  const folder = await directories.make()
  const environment = {
    ...CREDENTIALS,
    TIDEMARK_BACKUP_PASSPHRASE: 'correct horse battery',
    TIDEMARK_CALLED_FROM: folder,
  }
  for (const path of ['.', 'nothing.gz'])
    for (const into of [[], ['--into', 'new']])
      expect(await rejection(run('restore', environment, path, ...into))).toMatchObject({ exitCode: 65 })
  const file = join(folder, 'cut.gz')
  await Bun.write(file, new Uint8Array(64 * 1024 * 1024))
  using service = Bun.serve({
    port: 0,
    maxRequestBodySize: 128 * 1024 * 1024,
    fetch: async ({ body }) => {
      for await (const _ of body ?? []) await truncate(file, 1)
      return Response.json({})
    },
  })
  const cut = await rejection(run('restore cut.gz --dry-run --url', environment, service.url.origin))
  expect(cut).toMatchObject({
    exitCode: 65,
    message: expect.stringContaining('cut.gz became shorter while it was sent') as unknown,
  })
})

test('doctor names the repair of a wrong clock, a failed check, another release and a runner that is away', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    '/healthz': { status: 'ok' },
    '/readyz': {
      checks: { database: { status: 'failed', detail: 'locked' } },
      warnings: [{ code: 'refreshes_late', detail: 'by an hour' }],
    },
    '/version': { tidemark: '0.0.9' },
    '/session': { user: { username: 'admin', role: 'administrator' } },
    '/runners': [
      { name: 'one', refusal: null, present: false },
      { name: 'two', refusal: null, present: true },
    ],
  }
  using service = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      const headers = { date: new Date(Date.now() - 60_000).toUTCString() }
      return Response.json(answers[pathname], { status: pathname === '/readyz' ? 503 : 200, headers })
    },
  })
  const environment = { TIDEMARK_URL: service.url.href.slice(0, -1), TIDEMARK_TOKEN: 'x' }
  const { text, exitCode } = await run('doctor', environment, '--json')
  expect(exitCode).toBe(1)
  const findings = JSON.parse(text) as readonly { check: string; status: string; repair: string | null }[]
  expect(findings.map(({ check, status, repair }) => [check, status, repair?.split(/[ .:]/)[0]])).toEqual([
    ['clock', 'warning', 'Check'],
    ['database', 'failed', 'Read'],
    ['refreshes_late', 'warning', 'Refresh'],
    ['release', 'warning', 'Use'],
    ['credentials', 'ok', undefined],
    ['runner one', 'warning', 'Start'],
  ])
})

test.each([
  ['does not answer', () => new Promise<Response>(() => {}), 'it did not answer in time'],
  ['answers 502', () => new Response('away', { status: 502 }), 'GET /healthz failed with status 502'],
] as const)(
  'doctor reports a service that %s',
  async (_, fetch, detail) => {
    using service = Bun.serve({ port: 0, idleTimeout: 0, fetch })
    const { text, exitCode } = await run('doctor', { TIDEMARK_URL: service.url.origin, TIDEMARK_TOKEN: 'x' })
    expect(text).toStartWith('FAILED  service: ')
    expect(text).toContain(detail)
    expect(exitCode).toBe(1)
  },
  30_000,
)

test('doctor has a repair for every check and warning of readyz', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/operations/monitoring-tidemark.md')).text()
  const codes = [...page.matchAll(/^\| `([a-z]+(?:_[a-z]+)+)` \|/gm)].map(([, code = '']) => code)
  expect(codes).toContain('refreshes_late')
  expect(codes.length).toBe(healthReports.warnings.length)
  expect(Object.keys(REPAIRS).toSorted()).toEqual(['database', 'blobs', 'values', ...codes].toSorted())
})
