import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Session } from '../faults/session.ts'
import { AS_DENO, startProcess } from './process.ts'

// Runs in a network of its own, where the public address of hooks.example.org is this machine (`/etc/hosts`, the loopback
// device): starts a receiver with this key and certificate, and the service on Deno, and has the service send it a test
// notification. Prints the answer and what the receiver got.
const [key = '', cert = '', address = ''] = process.argv.slice(2)
const got: string[] = []
const receiver = Bun.serve({
  port: 443,
  hostname: address,
  tls: { key: Bun.file(key), cert: Bun.file(cert) },
  async fetch(request) {
    const { type } = (await request.json()) as { readonly type: string }
    got.push(`${request.method} ${request.headers.get('host')} ${type}`)
    return new Response(null, { status: 204 })
  },
})
const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-receiver-'))
const host = await startProcess({
  command: [...AS_DENO, 'test/hosts/deno-service.ts'],
  dataDir,
  environment: { NODE_EXTRA_CA_CERTS: cert },
})
try {
  const session = await Session.open(host.url)
  const recipient = await session.create(host.url, '/alarmrecipients', {
    name: 'hook',
    type: 'webhook',
    target: { url: 'https://hooks.example.org/alarms' },
  })
  const answer = await session.send(host.url, `/alarmrecipients/${recipient}/test`, {})
  process.stdout.write(JSON.stringify({ status: answer.status, answer: await answer.json(), got }))
} finally {
  host.signal('SIGTERM')
  await host.exited
  await receiver.stop(true)
  await rm(dataDir, { recursive: true })
}
