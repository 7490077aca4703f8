import { afterEach, beforeEach, expect, test } from 'bun:test'

import { createApp } from '../../src/app.ts'
import { saveTreeFile } from '../../src/automation/scripts/files/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import {
  countPowerless,
  createWebhook,
  listWebhooks,
  rotateWebhook,
} from '../../src/automation/webhooks/service.ts'
import type { Context } from '../../src/context.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { insertAdministrator } from './people.ts'

const MINUTE_MS = 60_000

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
let call: (token: string, request?: RequestInit) => Promise<Response>
beforeEach(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
  await insertAdministrator(opened.ports)
  await createScript(context, scriptBody.parse({ name: 's' }))
  await saveTreeFile(context, 's', {
    path: 'run.sh',
    bytes: new TextEncoder().encode('true'),
    condition: () => undefined,
  })
  const { fetch } = createApp(opened.ports)
  call = async (token, request) =>
    fetch(new Request(`http://host/scripts/webhook/${token}`, { method: 'POST', ...request }))
})
afterEach(() => opened.close())

const make = (name: string, expiresAt: string | null = null) =>
  createWebhook(context, 's', { name, expiresAt, runConfigurationId: null, hmac: false })

async function statuses(token: string, count: number): Promise<number[]> {
  const answers: number[] = []
  for (let calls = 0; calls < count; calls++) answers.push((await call(token)).status)
  return answers
}

test('a token takes 60 calls within a minute and no more, each token its own', async () => {
  const [a, b] = [await make('a'), await make('b')]
  expect(await statuses(a.token, 60)).toEqual(Array.from({ length: 60 }, () => 202))
  const refused = await call(a.token)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await statuses(b.token, 1)).toEqual([202])
  opened.clock.at += MINUTE_MS - 1
  expect(await statuses(a.token, 1)).toEqual([429])
  opened.clock.at += 1
  expect(await statuses(a.token, 1)).toEqual([202])
})

test('a token holds until it expires, and one of before until its grace is over', async () => {
  const { clock } = opened
  const expiring = await make('expiring', new Date(clock.at + 1_000).toISOString())
  clock.at += 999
  expect(await statuses(expiring.token, 1)).toEqual([202])
  clock.at += 1
  expect(await statuses(expiring.token, 1)).toEqual([404])
  const { id, token } = await make('rotated')
  const next = await rotateWebhook(context, 's', { id, graceS: 60 })
  expect(next.formerUntil).not.toBeNull()
  clock.at += 59_999
  expect(await statuses(token, 1)).toEqual([202])
  clock.at += 1
  expect([...(await statuses(token, 1)), ...(await statuses(next.token, 1))]).toEqual([404, 202])
})

test('a token whose maker may not run scripts any more runs none', async () => {
  const { database } = opened.ports
  const { token } = await make('of somebody')
  await database.run(`update users set role = 'collector' where id = 1`)
  expect(await statuses(token, 1)).toEqual([403])
  const [view] = await listWebhooks(context, 's')
  expect(view?.problem).toContain('may not run scripts any more')
  expect(await countPowerless(opened.ports)).toBe(1)
  expect(opened.logs.filter((line) => line.includes('webhooks: a call was refused'))).toHaveLength(1)
  await database.run(`update users set role = 'Data_Editor', disabled_at = 1 where id = 1`)
  expect(await statuses(token, 1)).toEqual([403])
  await database.run('delete from users where id = 1')
  expect(await statuses(token, 1)).toEqual([404])
})

test('no log has a token in it, whatever happens', async () => {
  const { token } = await make('logged')
  await call(token)
  await call(token, { body: new Uint8Array([0xff]) })
  await call(`${token.slice(0, -1)}x`)
  await opened.ports.database.run('drop table runs')
  expect((await call(token)).status).toBe(500)
  const logs = opened.logs.join('\n')
  expect(logs).toContain('/scripts/webhook/:token')
  expect(logs).not.toContain(token.slice(4, 30))
  const kept = JSON.stringify(await opened.ports.database.all('select * from webhook_tokens'))
  expect(kept).not.toContain(token.slice(4))
})
