import { afterEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import packageJson from '../../package.json'
import { startHost } from './command-line.ts'

const ROOT = join(import.meta.dir, '../..')
const dirs: string[] = []

afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true })
})

test('the first start shows a set-up link and a first job, and both work as printed', async () => {
  const service = await start({})
  const link = /http\S+\/session\/setup\?token=\S+/.exec(service.welcome)?.[0] ?? ''
  const target = /http\S+\/webcollector\/jobs\/\d+\/values/.exec(service.welcome)?.[0] ?? ''

  expect((await fetch(link)).headers.get('content-type')).toStartWith('text/html')
  const token = new URL(link).searchParams.get('token')
  const json = { 'content-type': 'application/json' }
  const setup = {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ token, username: 'admin', password: 'secret of mine' }),
  }
  const url = link.slice(0, link.indexOf('?'))
  expect((await fetch(url, setup)).status).toBe(201)
  expect((await fetch(url, setup)).status).toBe(403)

  const delivered = await fetch(target, {
    method: 'POST',
    headers: { ...json, authorization: `Basic ${btoa('admin:secret of mine')}` },
    body: '{"returnValue1": 21.5, "errorCode": 0}',
  })
  expect(await delivered.json()).toMatchObject({ accepted: 1, state: 'ok' })
  await service.stop()
}, 180_000)

test('a second start on the same data shows neither', async () => {
  const dataDir = await newDir()
  const first = await start({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_ADMIN_PASSWORD: 'secret of mine' })
  expect(first.welcome).not.toContain('/session/setup')
  expect(first.welcome).toContain('/webcollector/jobs/')
  await first.stop()

  const second = await start({ TIDEMARK_DATA_DIR: dataDir })
  expect(second.welcome).not.toContain('/session/setup')
  expect(second.welcome).not.toContain('/webcollector/jobs/')
  await second.stop()
}, 180_000)

test('every wrong setting is named at once, and nothing is started', async () => {
  const service = spawn({
    TIDEMARK_PORT: '70000',
    TIDEMARK_TIME_ZONE: 'Mars/Olympus',
    TIDEMARK_DATABASE_URL: 'oracle:x',
  })

  expect(await service.exited).toBe(78)
  const text = await new Response(service.stderr).text()
  for (const name of ['TIDEMARK_PORT', 'TIDEMARK_TIME_ZONE', 'TIDEMARK_DATABASE_URL'])
    expect(text).toContain(name)
}, 180_000)

test('a port that was asked for and is taken is refused; without one the next is tried', async () => {
  const first = await start({ TIDEMARK_ADMIN_PASSWORD: 'secret of mine' })
  const { port } = new URL(first.url)
  const second = spawn({ TIDEMARK_PORT: port, TIDEMARK_DATA_DIR: await newDir() })

  expect(await second.exited).toBe(68)
  expect(await new Response(second.stderr).text()).toContain(port)
  await first.stop()
}, 180_000)

test('without a port that was asked for the next free one is taken, and the first line says so', async () => {
  const other = takePort(8080)
  const host = startHost({ TIDEMARK_PORT: '', TIDEMARK_DATA_DIR: await newDir() })
  await host.until('Ctrl-C')
  host.kill('SIGTERM')
  const { stdout } = await host.ended
  await other?.stop(true)
  const [first = ''] = stdout.trim().split('\n')
  expect(first).toMatch(/listens at http:\/\/127\.0\.0\.1:80[89]\d \(port 8080 is in use\)$/)
}, 180_000)

test('the start names release, schema, directory, zone and process, and warns of what is amiss', async () => {
  const dataDir = await newDir()
  const host = startHost({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_TIME_ZONE: 'Europe/Zurich' })
  await host.until('Ctrl-C')
  host.kill('SIGTERM')
  const { stderr } = await host.ended
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const started = lines.find(({ message }) => message === 'started')
  expect(started).toMatchObject({ dataDir, timeZone: 'Europe/Zurich', pid: host.pid, jobs: 1 })
  expect(started?.['version']).toBe(packageJson.version)
  expect(started?.['schema']).toMatch(/^\d{4}_\w+$/)
  expect(started?.['migrations']).toBeGreaterThan(0)
  expect(lines.map(({ code }) => code)).toContain('alarms_without_recipient')
}, 180_000)

/** Null when another program has it already. */
function takePort(port: number) {
  try {
    return Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() })
  } catch {
    return null
  }
}

function spawn(environment: Readonly<Record<string, string>>) {
  return Bun.spawn(['sh', 'workers/run.sh', 'serve'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      TIDEMARK_PORT: '0',
      TIDEMARK_RUNNER: 'off',
      ...environment,
    },
    stderr: 'pipe',
  })
}

async function start(environment: Readonly<Record<string, string>>) {
  const service = spawn({ TIDEMARK_DATA_DIR: await newDir(), ...environment })
  let welcome = ''
  for await (const chunk of service.stdout) {
    welcome += new TextDecoder().decode(chunk)
    if (welcome.includes('Ctrl-C')) break
  }
  const url = /listens at (\S+)/.exec(welcome)?.[1] ?? ''
  return {
    welcome,
    url,
    async stop() {
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
    },
  }
}

async function newDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-start-'))
  dirs.push(dir)
  return dir
}
