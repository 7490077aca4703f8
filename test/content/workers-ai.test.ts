import { join } from 'node:path'

import { expect, test } from 'bun:test'

import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { startEdge } from '../hosts/edge.ts'

test('the Worker translates with Workers AI where it is bound, and says that it can', async () => {
  const host = await startEdge({ entry: join(import.meta.dir, '../hosts/ai-worker.ts') })
  try {
    const { request } = await connectAdministrator(host)
    const json = { source: 'en', targets: ['de'], texts: [{ key: 'k', text: 'Hello ${name}' }] }
    expect(await good(request('POST', '/translations/auto', { json }))).toEqual({
      results: { de: [{ key: 'k', text: 'en-de Hello ${name}', cached: false }] },
      provider: 'workers-ai',
      characters: 'Hello [[0]]'.length,
    })
    expect(await good(request('GET', '/settings.json'))).toMatchObject({
      features: { automaticTranslation: true },
    })
  } finally {
    await host.close()
  }
}, 180_000)

test('the Worker says that nobody translates where it is not', async () => {
  const host = await startEdge()
  try {
    const { request } = await connectAdministrator(host)
    const json = { source: 'en', targets: ['de'], texts: [{ key: 'k', text: 'Hello' }] }
    const answer = await request('POST', '/translations/auto', { json })
    expect({ status: answer.status, code: answer.body['code'] }).toEqual({
      status: 501,
      code: 'not_configured',
    })
    expect(await good(request('GET', '/settings.json'))).toMatchObject({
      features: { automaticTranslation: false },
    })
  } finally {
    await host.close()
  }
}, 180_000)
