import { expect, test } from 'bun:test'

import { RESERVED_BYTES_MAX } from '../../../src/http/body-budget.ts'
import { DIES, DIES_WITHOUT_ALARM } from '../dying-values.ts'
import { startEdgeProcess } from '../edge-process.ts'
import { Session } from '../session.ts'

test('while D1 is away requests are refused with 503, a time to wait and a problem; what is broken is 500', async () => {
  const losing = await startEdgeProcess('loses-its-database')
  const signIn = async (username: string) => {
    const answer = await fetch(`${losing.host.url}/session/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'x'.repeat(20) }),
    })
    const { code } = (await answer.json()) as { code: string }
    return [answer.status, code, answer.headers.get('retry-after'), answer.headers.get('content-type')]
  }
  const problem = 'application/problem+json'
  expect(await signIn('the connection is lost')).toEqual([503, 'unavailable', '1', problem])
  expect(await signIn('the table is lost')).toEqual([500, 'internal', null, problem])
  expect(await signIn('nobody')).toEqual([401, 'unauthenticated', null, problem])
  await losing.end()
}, 180_000)

test('requests wait for no other one, which may have ended: none is taken for hung, also after senders have left', async () => {
  const busy = await startEdgeProcess('light-hashes')
  const { url } = busy.host
  const own = await Session.open(url)
  const [jobId = 0] = await own.createJobs(url, 1)
  const target = `${url}/webcollector/jobs/${jobId}/values`
  const statuses = new Set<string>()
  for (let round = 0; round < 4; round++) {
    const senders = [`${import.meta.dir}/../rude-senders.ts`, target, own.id, '16', '3000']
    const { stdout } = Bun.spawn([process.execPath, ...senders], { stdout: 'pipe' })
    for (const status of Object.keys((await new Response(stdout).json()) as object)) statuses.add(status)
  }
  expect([...statuses]).toEqual(['200'])
  await busy.end()
}, 180_000)

test('room for large bodies comes back from senders who leave in the middle of theirs', async () => {
  const left = await startEdgeProcess('light-hashes')
  const { url } = left.host
  const own = await Session.open(url)
  const [jobId] = await own.createJobs(url, 1)
  const { host: name, hostname, port } = new URL(url)
  const head = [
    'POST /webcollector/values HTTP/1.1',
    `Host: ${name}`,
    `X-Session-Id: ${own.id}`,
    'Content-Type: application/json',
    `Content-Length: ${RESERVED_BYTES_MAX / 8}`,
  ]
  const senders = await Promise.all(
    Array.from({ length: 8 }, () =>
      Bun.connect({ hostname, port: Number(port), socket: { data: () => undefined } }),
    ),
  )
  for (const sender of senders) sender.write(`${head.join('\r\n')}\r\n\r\n{"deliveries":[`)
  // Each request has begun by then.
  await Bun.sleep(1_000)
  for (const sender of senders) sender.terminate()
  const deliveries = Array.from({ length: 1_000 }, () => ({ jobId, returnValue1: 1, errorCode: 0 }))
  const statuses: number[] = []
  do {
    statuses.push((await own.send(url, '/webcollector/values', { deliveries })).status)
    // The service notices ended requests while it answers others.
    for (let read = 0; read < 200; read++) await own.ask(url, '/groups/1')
  } while (statuses.at(-1) !== 200 && statuses.length < 30)
  expect(statuses[0]).toBe(503)
  expect(statuses.at(-1)).toBe(200)
  await left.end()
}, 180_000)

test('an object that dies between its commit and its answer finds an earlier deadline by itself; one that lost its alarm is found by cron', async () => {
  const dying = await startEdgeProcess('dies-after-a-commit')
  const { url } = dying.host
  const own = await Session.open(url)
  const jobIds = await own.createJobs(url, 2, { timeout: 'PT1H' })
  // These requests never get an answer.
  const asked = [DIES, DIES_WITHOUT_ALARM].map((message, index) =>
    fetch(`${url}/webcollector/jobs/${jobIds[index]}/values`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': own.id },
      body: JSON.stringify({ returnValue1: 1, errorCode: 0, ttl: 'PT4S', message }),
    }).catch(() => null),
  )
  await Bun.sleep(2_000)
  await dying.become('light-hashes')
  await Promise.all(asked)
  const after = dying.host
  const codeOf = async (id = 0) =>
    ((await own.get(after.url, `/jobs/${id}`)) as { errorCode: number }).errorCode
  for (let tried = 0; tried < 60 && (await codeOf(jobIds[0])) !== 5; tried++) await Bun.sleep(250)
  // Without the alarm of before the commit nobody would have looked.
  expect(await Promise.all(jobIds.map(codeOf))).toEqual([5, 0])
  after.signal('SIGHUP')
  for (let tried = 0; tried < 60 && (await codeOf(jobIds[1])) !== 5; tried++) await Bun.sleep(250)
  const codes = await Promise.all(jobIds.map(codeOf))
  after.signal('SIGUSR2')
  await Bun.sleep(200)
  const logs = after.logs.join('\n')
  await dying.end()
  expect(logs).toContain('the trigger was pulled')
  expect(logs).toContain('"jobs: wake-up timers were lost and have been set again","jobs":1')
  expect(codes).toEqual([5, 5])
}, 180_000)
