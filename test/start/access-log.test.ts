import { expect, test } from 'bun:test'

import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'

type Line = Readonly<Record<'method' | 'path' | 'requestId', string>> &
  Readonly<Record<'status' | 'durationMs', number>>

/** The lines of the access log; on workerd they come a little after the answer. */
async function linesOf(logs: readonly string[], count: number): Promise<readonly Line[]> {
  for (;;) {
    const lines = logs
      .map((line) => line.slice(line.indexOf('{"level"')))
      .filter((line) => line.includes('"message":"request"'))
      .map((line) => JSON.parse(line) as Line)
    if (lines.length >= count) return lines
    await Bun.sleep(20)
  }
}

test.each([...HOST_NAMES])(
  'the access log of %s has a line for each request, without secrets',
  async (name) => {
    const host = await startHost(name, { TIDEMARK_ACCESS_LOG: 'on', TIDEMARK_FIRST_OBJECTS: 'on' })
    try {
      const { request, sessionId } = await connectAdministrator(host)
      const before = (await linesOf(host.logs, 1)).length
      const json = { returnValue1: 1, errorCode: 0 }
      await good(request('POST', '/webcollector/jobs/3/values', { json }))
      const { path } = await good<{ path: string }>(
        request('POST', '/jobs/3/pings', { json: { name: 'cron' } }),
      )
      await (await fetch(host.url + path, { headers: { 'x-request-id': 'my-request' } })).text()
      expect((await fetch(`${host.url}/nothing?sessionId=${sessionId}`)).status).toBe(404)

      const lines = (await linesOf(host.logs, before + 4)).slice(-4)
      expect(lines.map(({ method, path: logged, status }) => `${method} ${logged} ${status}`)).toEqual([
        'POST /webcollector/jobs/3/values 200',
        'POST /jobs/3/pings 201',
        'GET /webcollector/ping/… 200',
        'GET /nothing 404',
      ])
      expect(lines[2]?.requestId).toBe('my-request')
      for (const line of lines) expect(line.durationMs).toBeGreaterThanOrEqual(0)
      const token = path.split('/').at(-1) ?? ''
      expect(token.length).toBeGreaterThan(20)
      for (const secret of [token, sessionId]) expect(host.logs.join('\n')).not.toContain(secret)
    } finally {
      await host.close()
    }
  },
  180_000,
)

test('without the setting there is none', async () => {
  const host = await startHost('bun')
  try {
    await (await fetch(`${host.url}/healthz`)).text()
    expect(host.logs.join('\n')).not.toContain('"message":"request"')
  } finally {
    await host.close()
  }
})
