import { afterEach, expect, test } from 'bun:test'

import type { Log } from '../../src/ports/log.ts'
import { rejection } from '../../test/contract/rejection.ts'
import { jsonLog } from '../json-log.ts'
import { Client, Refused } from './client.ts'

type Line = {
  readonly level: string
  readonly message: string
  readonly status: number
  readonly detail: string
  readonly remedy: string
}

let server: ReturnType<typeof Bun.serve> | null = null
afterEach(async () => {
  await server?.stop(true)
  server = null
})

function clientOf(url: string, log: Log, signal: AbortSignal): Client {
  const about = {
    name: 'x',
    isolation: 'none',
    refusal: null,
    slots: 1,
    os: 'linux',
    version: '1',
  } as const
  return new Client({
    url,
    registrationToken: 'x'.repeat(32),
    about: { ...about, labels: [], capabilities: [] },
    log,
    signal,
  })
}

/** Lets a runner ask for jobs until it has said something. @returns what it said, and how its call ended where it did */
async function saidTo(
  url: string,
): Promise<{ readonly line: Line; readonly count: number; readonly thrown: unknown }> {
  const lines: Line[] = []
  const ending = new AbortController()
  const log = jsonLog((line) => lines.push(JSON.parse(line) as Line))
  const client = clientOf(url, log, ending.signal)
  const polling = client.poll({ free: 1, running: [] }).catch((error: unknown) => {
    if (error instanceof Refused) client.complain(error.status, error.detail)
    return error
  })
  while (lines.length === 0) await Bun.sleep(20)
  // More tries say nothing more for a while.
  await Bun.sleep(600)
  ending.abort()
  const thrown = await polling
  const [line] = lines
  if (!line) throw new TypeError('Something was said.')
  return { line, count: lines.length, thrown }
}

const answering = (status: number, body: object) => {
  server = Bun.serve({ port: 0, fetch: () => Response.json(body, { status }) })
  return `http://127.0.0.1:${server.port}`
}

test('a service that takes no runners is named with its answer and what to set', async () => {
  const detail = 'Runners cannot register: TIDEMARK_RUNNER_TOKEN of the service is not set.'
  const { line, count } = await saidTo(answering(501, { code: 'not_configured', detail }))
  expect(line).toMatchObject({ level: 'warn', status: 501, detail })
  expect(line.message).toContain('runner: the service refuses this runner')
  expect(line.remedy).toContain('Set TIDEMARK_RUNNER_TOKEN of the service')
  expect(count).toBe(1)
})

test('so is one that does not know the token of the runner', async () => {
  const detail = 'The registration token is wrong.'
  const { line, thrown } = await saidTo(answering(401, { code: 'unauthenticated', detail }))
  expect(line).toMatchObject({ level: 'warn', status: 401, detail })
  expect(line.remedy).toContain('TIDEMARK_RUNNER_TOKEN of this runner')
  expect(thrown).toBeInstanceOf(Refused)
})

test('and one that does not answer, with the cause', async () => {
  const url = answering(200, {})
  await server?.stop(true)
  const { line, count } = await saidTo(url)
  expect(line).toMatchObject({ level: 'warn', status: 0, url })
  expect(line.message).toContain('runner: the service does not answer')
  expect(line.detail).not.toBe('')
  expect(line.remedy).toContain('TIDEMARK_RUNNER_URL')
  expect(count).toBe(1)
})

test('an answer is read up to its bound, and a larger one is refused', async () => {
  const registered = { runnerId: 1, token: 't', pollMs: 1, heartbeatMs: 1, leaseMs: 1 }
  const answers: Readonly<Record<string, string>> = {
    '/runner/v1/register': JSON.stringify(registered),
    '/runner/v1/jobs/j/uploads/input': 'bytes',
    '/runner/v1/jobs/j/accept': JSON.stringify({ cancel: false }).padEnd(1024 * 1024 + 1),
  }
  server = Bun.serve({ port: 0, fetch: ({ url }) => new Response(answers[new URL(url).pathname]) })
  const { signal } = new AbortController()
  const client = clientOf(
    server.url.origin,
    jsonLog(() => undefined),
    signal,
  )
  const attempt = client.attempt(
    { id: 'j', attemptToken: 'a' },
    { signal, onCancel: () => undefined, onFenced: () => undefined },
  )
  const input = await attempt.upload({ path: 'input', sizeBytes: 5 })
  expect(new TextDecoder().decode(input)).toBe('bytes')
  const larger = attempt.upload({ path: 'input', sizeBytes: 4 })
  expect(await rejection(larger)).toMatchObject({ status: 200, detail: 'The answer has more than 4 bytes.' })
  expect(await rejection(attempt.accept())).toMatchObject({
    detail: 'The answer has more than 1048576 bytes.',
  })
})
