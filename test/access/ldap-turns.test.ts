import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Client } from 'ldapts'

import { latestSync, syncNow, syncWhenDue } from '../../src/access/directory/service.ts'
import { listAudit } from '../../src/access/audit/service.ts'
import { createUser } from '../../src/access/users/service.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Directory } from '../../src/ports/directory.ts'
import { rejection } from '../contract/rejection.ts'
import { precededBy } from '../hosts/interleaved.ts'
import { openPorts } from '../hosts/ports.ts'
import { ADMIN_DN, ADMIN_PASSWORD, BASE_DN, hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { openStage, person } from './ldap-stage.ts'

const MINUTE_MS = 60_000
/** The commits of a sync that fails: it takes the lease, and stores its report. */
const REPORT = 2

let referred = 0
const elsewhere = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open: (socket) => {
      referred++
      socket.end()
    },
    data: () => undefined,
  },
})

let slapd: Slapd
beforeAll(async () => {
  if (!hasSlapd) return
  slapd = await startSlapd(`${person('ada')}${person('ben')}
dn: ou=elsewhere,${BASE_DN}
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://127.0.0.1:${elsewhere.port}/ou=elsewhere,${BASE_DN}
`)
})
afterAll(async () => {
  elsewhere.stop(true)
  if (hasSlapd) await slapd.close()
})

/** Runs a statement behind the back of each sync, between what it reads and what it writes. */
function meddle({ ports }: Awaited<ReturnType<typeof openStage>>, statement: string): void {
  const { directory } = ports
  if (!directory) throw new Error('There is no directory.')
  const meddling: Directory = {
    async connected(task) {
      const result = await directory.connected(task)
      await ports.database.run(statement)
      return result
    },
  }
  Object.assign(ports, { directory: meddling })
}

describe.skipIf(!hasSlapd)('syncs', () => {
  test('come by themselves every hour, are on record where they changed something, and after a failure in 5 minutes', async () => {
    const stage = await openStage(slapd)
    const { ports, clock, context } = stage
    const begun = async () => Date.parse((await latestSync(context)).beganAt)
    expect(await rejection(latestSync(context))).toMatchObject({ code: 'not_found' })
    const firstAt = clock.at
    await syncWhenDue(ports)
    expect(await latestSync(context)).toMatchObject({ created: 2, problem: null })
    clock.at = firstAt + 60 * MINUTE_MS - 1
    await syncWhenDue(ports)
    expect(await begun()).toBe(firstAt)
    clock.at++
    await syncWhenDue(ports)
    expect(await begun()).toBe(clock.at)
    expect(await latestSync(context)).toMatchObject({ created: 0, unchanged: 2 })
    const { items } = await listAudit(context, { limit: 100, objectType: 'directory' })
    expect(items).toMatchObject([{ userId: 0, username: '', action: 'sync', after: { created: 2 } }])

    await slapd.stop()
    try {
      clock.at += 60 * MINUTE_MS
      await syncWhenDue(ports)
      expect(await latestSync(context)).toMatchObject({
        created: 0,
        problem: 'The directory is unavailable. Try again later.',
      })
    } finally {
      await slapd.start()
    }
    const failedAt = clock.at
    clock.at = failedAt + 5 * MINUTE_MS - 1
    await syncWhenDue(ports)
    expect(await begun()).toBe(failedAt)
    clock.at++
    await syncWhenDue(ports)
    expect(await latestSync(context)).toMatchObject({ unchanged: 2, problem: null })
    expect(stage.logs.join('\n')).toContain('directory: sync failed')
    expect(stage.logs.join('\n')).not.toContain(ADMIN_PASSWORD)
    await stage.close()
  })

  test('wait for the first administrator, who is not of the directory', async () => {
    const stage = await openStage(slapd)
    const { database } = stage.ports
    await database.run('delete from users')
    await syncWhenDue(stage.ports)
    expect(await stage.users()).toEqual({})
    await stage.make('admin', 'administrator')
    await syncWhenDue(stage.ports)
    expect(Object.keys(await stage.users())).toEqual(['admin', 'ada', 'ben'])
    await stage.close()
  })

  test('come one at a time', async () => {
    const stage = await openStage(slapd)
    const both = await Promise.allSettled([stage.sync(), stage.sync()])
    const codes = both.map((one) =>
      one.status === 'fulfilled' ? 'done' : (one.reason as { code: string }).code,
    )
    expect(codes.sort()).toEqual(['conflict', 'done'])
    expect(await stage.sync()).toMatchObject({ unchanged: 2 })
    await stage.close()
  })

  test('are over after ten minutes, whoever began them', async () => {
    const stage = await openStage(slapd)
    const { database } = stage.ports
    await stage.sync()
    await database.run(`update directory_syncs set held_until_at = ${stage.clock.at + 10 * MINUTE_MS}`)
    stage.clock.at += 10 * MINUTE_MS - 1
    expect(await rejection(stage.sync())).toMatchObject({ code: 'conflict' })
    stage.clock.at++
    expect(await stage.sync()).toMatchObject({ unchanged: 2 })
    await stage.close()
  })

  test('are given up after five minutes, and change nothing then', async () => {
    const stage = await openStage(slapd)
    const { ports } = stage
    const { directory } = ports
    if (!directory) throw new Error('There is no directory.')
    const slow = (tookMs: number): Directory => ({
      connected: (task) =>
        directory.connected(async (connection) => {
          stage.clock.at += tookMs
          return task(connection)
        }),
    })
    Object.assign(ports, { directory: slow(5 * MINUTE_MS + 1) })
    expect(await rejection(stage.sync())).toMatchObject({ code: 'unavailable' })
    expect(Object.keys(await stage.users())).toEqual(['admin'])
    Object.assign(ports, { directory: slow(5 * MINUTE_MS) })
    expect(await stage.sync()).toMatchObject({ created: 2 })
    await stage.close()
  })

  test('that fail are refused for their own reason, also if their report cannot be stored', async () => {
    const stage = await openStage(slapd)
    const away = { connected: () => Promise.reject(new Refusal('unavailable', 'The directory is away.')) }
    const ports = precededBy(
      { ...stage.ports, directory: away },
      () => Promise.reject(new Error('The disk is full.')),
      REPORT,
    )
    expect(await rejection(syncNow({ ...stage.context, ports }))).toMatchObject({ code: 'unavailable' })
    expect(stage.logs.join('\n')).toContain('directory: storing the report of a failed sync failed')
    await stage.close()
  })

  test('do not follow referrals', async () => {
    const client = new Client({ url: slapd.url })
    await client.bind(ADMIN_DN, ADMIN_PASSWORD)
    const { searchReferences } = await client.search(BASE_DN, { filter: '(objectClass=inetOrgPerson)' })
    await client.unbind()
    expect(searchReferences).toHaveLength(1)
    const stage = await openStage(slapd)
    expect(await stage.sync()).toMatchObject({ created: 2, failed: 0 })
    expect(referred).toBe(0)
    await stage.close()
  })

  test('take users who were entered by hand for the people of their names', async () => {
    const stage = await openStage(slapd)
    const entered = { role: 'editor', type: 'LDAP_MANAGED' } as const
    const ada = await createUser(stage.context, { ...entered, username: 'ada' })
    await createUser(stage.context, { ...entered, username: 'nobody' })
    expect(await stage.sync()).toMatchObject({ created: 1, updated: 1, disabled: 1 })
    const users = await stage.users()
    expect(users['ada']).toMatchObject({ id: ada.id, role: 'editor', fullname: 'ada of the directory' })
    expect(users['nobody']).toMatchObject({ disabled: true })
    await stage.close()
  })

  test('leave users be who were changed meanwhile', async () => {
    const stage = await openStage(slapd)
    await stage.sync()
    const { ports } = stage
    await ports.database.run(`update users set email = 'old', version = 7 where username = 'ada'`)
    meddle(stage, `update users set version = 8 where username = 'ada'`)
    expect(await rejection(stage.sync())).toMatchObject({ code: 'conflict' })
    expect((await stage.users())['ada']).toMatchObject({ email: 'old' })
    await stage.close()
  })

  test('leave the last administrator, also where the other one goes meanwhile', async () => {
    const stage = await openStage(slapd)
    await createUser(stage.context, { username: 'former', role: 'administrator', type: 'LDAP_MANAGED' })
    meddle(stage, `delete from users where username = 'admin'`)
    expect(await rejection(stage.sync())).toMatchObject({ code: 'conflict' })
    expect(await stage.users()).toMatchObject({ former: { role: 'administrator', disabled: false } })
    await stage.close()
  })
})

test('without a directory nobody syncs', async () => {
  const opened = await openPorts()
  const { ports } = opened
  const context = { ports, caller: { kind: 'anonymous' }, requestId: 'test' } as const
  expect(await rejection(syncNow(context))).toMatchObject({ code: 'conflict' })
  await syncWhenDue(ports)
  expect(await rejection(latestSync(context))).toMatchObject({ code: 'not_found' })
  await opened.close()
})
