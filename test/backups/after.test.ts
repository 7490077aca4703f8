import { expect, setDefaultTimeout, test } from 'bun:test'

import { Receiver } from '../notifications/receiver.ts'
import { SECRET } from '../notifications/stage.ts'
import { PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'
import { until } from '../until.ts'

setDefaultTimeout(180_000)
const HEADERS = { 'x-backup-passphrase': encodeURIComponent(PASSPHRASE), 'content-type': 'application/gzip' }
const QUIET_MS = 3_000

type Health = { readonly status: string; readonly warnings: readonly { code: string; detail: string }[] }

async function warningsOf(world: World): Promise<Readonly<Record<string, string>>> {
  const { status, warnings } = await world.good<Health>('GET', '/readyz')
  expect(status).toBe('ok')
  return Object.fromEntries(warnings.map(({ code, detail }) => [code, detail]))
}

test.each(['bun', 'edge'] as const)(
  'after a restore %s notifies no one until an administrator resumes notifications',
  async (name) => {
    const receiver = new Receiver()
    receiver.answer = () => new Response('ok')
    const world = await startWorld(name, undefined, {
      variables: { TIDEMARK_OUTBOUND_ALLOW: '127.0.0.1,localhost' },
    })
    try {
      const make = async (path: string, json: object) =>
        (await world.good<{ id: number }>('POST', path, { json })).id
      const recipientId = await make('/alarmrecipients', {
        name: 'hook',
        type: 'webhook',
        grouping: 'PT0S',
        target: { url: `${receiver.url}/`, secret: SECRET },
      })
      await world.good('PUT', '/groups/1/alarmLinks', { json: { links: [{ recipientId }] } })
      const device = await make('/devices?parentType=group&parentId=1', { name: 'gateway' })
      const job = await make(`/jobs?parentType=device&parentId=${device}`, {
        name: 'load',
        parameters: { returnValue: [{ valueName: 'load' }] },
      })
      const made = await world.good<{ url: string }>('POST', '/backups', { json: { passphrase: PASSPHRASE } })
      const bytes = new Uint8Array(await (await world.ask('GET', made.url)).arrayBuffer())
      expect(await warningsOf(world)).not.toHaveProperty('notifications_paused')
      const pause = () => world.good<object>('GET', '/notifications/pause')
      expect(await pause()).toEqual({ pausedSince: null, waiting: 0 })
      await world.good('POST', '/backups/restore?replace=true', { bytes, headers: HEADERS })
      await world.signIn()
      expect(await warningsOf(world)).toMatchObject({
        notifications_paused: expect.stringContaining('POST /notifications/resume') as string,
      })
      expect(await warningsOf(world)).not.toHaveProperty('restore_unfinished')
      expect(world.host.logs.join('\n')).toContain('backup restored')
      const record = await world.rows(
        `select action from audit where object_type = 'backup' order by id desc limit 1`,
      )
      expect(record).toEqual([{ action: 'restore' }])

      await world.good('POST', `/webcollector/jobs/${job}/values`, {
        json: { returnValue1: 1, errorCode: 1 },
      })
      await Bun.sleep(QUIET_MS)
      expect(receiver.take()).toEqual([])
      const pausedSince = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string
      expect(await pause()).toEqual({ pausedSince, waiting: 1 })
      expect(await world.good('POST', '/notifications/resume')).toMatchObject({ waiting: 1, givenUp: 0 })
      // A notification waits until the answer of its receiver is there.
      await until(async () => Bun.deepEquals(await pause(), { pausedSince: null, waiting: 0 }))
      expect(receiver.take()).toHaveLength(1)
      expect(await warningsOf(world)).not.toHaveProperty('notifications_paused')
    } finally {
      await world.close()
      await receiver.close()
    }
  },
)

test.each(['bun', 'edge'] as const)(
  'a restore on %s that ended after its commit is in /readyz until it is repeated',
  async (name) => {
    const world = await startWorld(name)
    try {
      const made = await world.good<{ url: string }>('POST', '/backups', { json: { passphrase: PASSPHRASE } })
      const bytes = new Uint8Array(await (await world.ask('GET', made.url)).arrayBuffer())
      const restore = () => world.good('POST', '/backups/restore?replace=true', { bytes, headers: HEADERS })
      await restore()
      // As after a process that was killed.
      await world.rows('update restores set finished_at = null')
      await world.signIn()
      expect(await warningsOf(world)).toMatchObject({
        restore_unfinished: expect.stringContaining('restore the same backup again with replace') as string,
      })
      await restore()
      await world.signIn()
      expect(await warningsOf(world)).not.toHaveProperty('restore_unfinished')
    } finally {
      await world.close()
    }
  },
)
