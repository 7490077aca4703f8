import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { AS_DENO, ON_DENO, startProcess } from '../hosts/process.ts'
import { Session } from '../faults/session.ts'

/** A public address, which leads to this machine in a network of its own. */
const PUBLIC_ADDRESS = '1.2.3.4'

/** `npm run test:deno` runs the suites; this finds out whether the service works on Deno at all. */
const folder = await mkdtemp(join(tmpdir(), 'tidemark-deno-'))
afterAll(() => rm(folder, { recursive: true }))

test('Deno serves a login, a delivery, its history, an imported table and the console, and SIGTERM ends it with 0', async () => {
  const command = [...AS_DENO, 'test/hosts/deno-service.ts']
  const host = await startProcess({ command, dataDir: join(folder, 'data') })
  const session = await Session.open(host.url)
  const [jobId = 0] = await session.createJobs(host.url, 1)
  const answer = await session.deliver(host.url, jobId, { returnValue1: 21.5, errorCode: 0 })
  expect(answer.status).toBe(200)
  expect(await session.readSamples(host.url, jobId, 'returnValue1')).toMatchObject([{ value: 21.5 }])
  expect(await importedRows(host.url, session)).toEqual([[1], [2]])
  expect((await fetch(`${host.url}/ui/`)).status).toBe(200)
  host.signal('SIGTERM')
  expect(await host.exited).toBe(0)
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

test('its command loads on Deno', async () => {
  const asked = Bun.spawn([...AS_DENO, 'workers/deno/main.ts', '--version'], { stderr: 'inherit' })
  expect([await asked.stdout.text(), await asked.exited]).toEqual([
    expect.stringMatching(/^tidemark \d/) as string,
    0,
  ])
}, 180_000)

test('a request to a given address names its server, whose certificate must be of that name', async () => {
  const { key, cert } = await certificate()
  const hook = Bun.serve({
    port: 0,
    tls: { key: Bun.file(key), cert: Bun.file(cert) },
    fetch: async (request) => new Response(`${request.headers.get('host')} ${await request.text()}`),
  })
  const ask = (name: string) =>
    Bun.spawn([...AS_DENO, 'test/hosts/deno-fetch.ts', `https://${name}:${hook.port}/`, '127.0.0.1'], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
    }).stdout.text()
  try {
    expect(await ask('hooks.example.org')).toBe(`200 hooks.example.org:${hook.port} x`)
    expect(await ask('other.example.org')).toContain('certificate')
  } finally {
    await hook.stop(true)
  }
}, 180_000)

if (ON_DENO)
  test('a webhook to a public name gets its notification over TLS', async () => {
    const { key, cert } = await certificate()
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

/** Of hooks.example.org, signed by itself. */
async function certificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=hooks.example.org', '-addext', 'subjectAltName=DNS:hooks.example.org']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', key, '-out', cert, '-days', '2']
  await Bun.spawn(['openssl', 'req', '-x509', ...curve, ...files, ...subject], { stderr: 'ignore' }).exited
  return { key, cert }
}
