import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { AS_DENO, ON_DENO, startProcess } from '../hosts/process.ts'
import { beginDelivery } from '../faults/begun-delivery.ts'
import { KEPT, Ledger } from '../faults/ledger.ts'
import { Senders } from '../faults/senders.ts'
import { Session } from '../faults/session.ts'
import { until } from '../until.ts'

/** A public address, which leads to this machine in a network of its own. */
const PUBLIC_ADDRESS = '1.2.3.4'

/** The tries to get out of the sandbox, in a process of Deno; `npm run test:deno` runs more files inside of Deno. */
const INSIDE = [
  'test/runner/escapes.test.ts',
  'are refused, each that something in force here is against',
] as const
const KILLS = 2
const SENDERS = 16
const INSIDE_FLAGS = [
  '--v8-flags=--expose-gc',
  '--import-map=test/deno/import-map.json',
  '--preload=test/deno/bun.ts',
]

const folder = await mkdtemp(join(tmpdir(), 'tidemark-deno-'))
afterAll(() => rm(folder, { recursive: true }))

test('Deno serves a login, a delivery, its history, an imported table and the console, and SIGTERM ends it with 0 after what had begun', async () => {
  const command = [...AS_DENO, 'test/hosts/deno-service.ts']
  const host = await startProcess({ command, dataDir: join(folder, 'data') })
  const session = await Session.open(host.url)
  const [jobId = 0] = await session.createJobs(host.url, 1)
  const answer = await session.deliver(host.url, jobId, { returnValue1: 21.5, errorCode: 0 })
  expect(answer.status).toBe(200)
  expect(await session.readSamples(host.url, jobId, 'returnValue1')).toMatchObject([{ value: 21.5 }])
  expect(await importedRows(host.url, session)).toEqual([[1], [2]])
  expect((await fetch(`${host.url}/ui/`)).status).toBe(200)
  const begun = await beginDelivery(session, host, jobId, 22)
  host.signal('SIGTERM')
  expect([await begun.finishWhenStopping(), await host.exited]).toEqual([200, 0])
}, 180_000)

/** Imports a file of two rows, and reads them. */
async function importedRows(url: string, session: Session): Promise<unknown> {
  const source = await session.create(url, '/dataSources', { name: 'files', type: 'csv' })
  const upload = await fetch(`${url}/dataSources/${source}/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'x-session-id': session.id },
    body: 'n\n1\n2\n',
  })
  const { id } = (await upload.json()) as { readonly id: string }
  const order = { upload: id, table: 'numbers', mode: 'create' }
  const imported = await session.send(url, `/dataSources/${source}/import`, order)
  expect(imported.status).toBe(201)
  const rows = await session.send(url, `/dataSources/${source}/tables/numbers/select`, { columns: ['n'] })
  return ((await rows.json()) as { readonly rows: unknown }).rows
}

test('the end waits no longer than it may for a sender that keeps the rest of its body', async () => {
  const draining = Bun.spawn([...AS_DENO, 'test/hosts/deno-drain.ts'])
  expect([await draining.stdout.text(), await draining.exited]).toEqual(['drained', 0])
}, 180_000)

test('its command loads on Deno', async () => {
  const asked = Bun.spawn([...AS_DENO, 'workers/deno/main.ts', '--version'], { stderr: 'inherit' })
  expect([await asked.stdout.text(), await asked.exited]).toEqual([
    expect.stringMatching(/^tidemark \d/) as string,
    0,
  ])
}, 180_000)

test('a request to a given address names its server, whose certificate must be of that name', async () => {
  const certificates = await Promise.all(['other.example.org', 'hooks.example.org'].map(certificate))
  const trusted = join(folder, 'trusted.pem')
  await Bun.write(
    trusted,
    (await Promise.all(certificates.map(({ cert }) => Bun.file(cert).text()))).join(''),
  )
  const [unnamed, named] = certificates.map(({ key, cert }) => ({ key: Bun.file(key), cert: Bun.file(cert) }))
  const hook = Bun.serve({
    port: 0,
    // Without a name the server answers with the first.
    tls: [{ ...unnamed }, { ...named, serverName: 'hooks.example.org' }],
    fetch: async (request) => new Response(`${request.headers.get('host')} ${await request.text()}`),
  })
  const ask = (name: string) =>
    Bun.spawn([...AS_DENO, 'test/hosts/deno-fetch.ts', `https://${name}:${hook.port}/`, '127.0.0.1'], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted },
    }).stdout.text()
  try {
    expect(await ask('hooks.example.org')).toBe(`200 hooks.example.org:${hook.port} x`)
    expect(await ask('another.example.org')).toContain('certificate')
  } finally {
    await hook.stop(true)
  }
}, 180_000)

test('a webhook to a public name gets its notification over TLS', async () => {
  const { key, cert } = await certificate('hooks.example.org')
  const hosts = join(folder, 'hosts')
  await Bun.write(hosts, `127.0.0.1 localhost\n${PUBLIC_ADDRESS} hooks.example.org\n`)
  const inside = `ip link set lo up && ip addr add ${PUBLIC_ADDRESS}/32 dev lo && mount --bind "$0" /etc/hosts && exec "$@"`
  const command = ['unshare', '--map-root-user', '--net', '--mount', 'sh', '-c', inside, hosts]
  const sent = Bun.spawn(
    [...command, process.execPath, 'test/hosts/public-receiver.ts', key, cert, PUBLIC_ADDRESS],
    { stderr: 'inherit' },
  )
  expect(JSON.parse(await sent.stdout.text())).toMatchObject({
    status: 200,
    got: [expect.stringMatching(/^POST hooks\.example\.org /) as string],
  })
}, 180_000)

test('kills under load lose no acknowledged delivery, and store none twice', async () => {
  const command = [...AS_DENO, 'test/hosts/deno-service.ts']
  const dataDir = join(folder, 'killed')
  const ledger = new Ledger()
  let host = await startProcess({ command, dataDir })
  const session = await Session.open(host.url)
  const jobIds = await session.createJobs(host.url, 20)
  for (let kill = 0; kill < KILLS; kill++) {
    const load = new Senders({ session, ledger, url: host.url, jobIds, count: SENDERS })
    await until(() => (load.answers.get(200) ?? 0) > 3 * SENDERS)
    host.signal('SIGKILL')
    await host.exited
    await load.stop()
    host = await startProcess({ command, dataDir })
  }
  const verdict = ledger.compare(await session.readHistories(host.url, jobIds))
  host.signal('SIGTERM')
  await host.exited
  expect(verdict).toMatchObject(KEPT)
  expect(verdict.acknowledged).toBeGreaterThan(KILLS * 3 * SENDERS)
}, 180_000)

test.skipIf(ON_DENO)(
  'the sandbox of the runner on Deno refuses the tries to get out of it',
  async () => {
    const [file, pattern] = INSIDE
    const command = [...AS_DENO, ...INSIDE_FLAGS, 'test/deno/main.ts', '-t', pattern, file]
    expect(await ran(command)).toEqual({ passed: true, code: 0 })
  },
  300_000,
)

/** Runs tests on Deno, prints their report if one fails, and finds out whether there were any. */
async function ran(command: readonly string[]): Promise<{ readonly passed: boolean; readonly code: number }> {
  const tests = Bun.spawn([...command], {
    env: { ...process.env, TIDEMARK_TEST_RUNTIME: 'deno' },
    stderr: 'pipe',
  })
  const report = (await Promise.all([tests.stdout.text(), tests.stderr.text()])).join('')
  const code = await tests.exited
  if (code !== 0) process.stderr.write(report)
  return { passed: /^ *[1-9]\d* pass$/m.test(report), code }
}

/** A certificate of this name, signed by itself. */
async function certificate(name: string): Promise<{ readonly key: string; readonly cert: string }> {
  const [key, cert] = [join(folder, `${name}.key.pem`), join(folder, `${name}.cert.pem`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', key, '-out', cert, '-days', '2']
  await Bun.spawn(['openssl', 'req', '-x509', ...curve, ...files, ...subject], { stderr: 'ignore' }).exited
  return { key, cert }
}
