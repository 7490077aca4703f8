import { afterAll, beforeAll, expect, test } from 'bun:test'

import { auditQuery } from '../../src/access/audit/schema.ts'
import { listAudit } from '../../src/access/audit/service.ts'
import { newUserBody } from '../../src/access/users/schema.ts'
import { countUsers, createUser, deleteUser } from '../../src/access/users/service.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

let opened: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  opened = await openPorts()
})
afterAll(() => opened.close())

test('of two administrators deleted at once one stays, and the audit log has one deletion', async () => {
  const context = administratorOf(opened.ports)
  const make = (username: string) =>
    createUser(context, newUserBody.parse({ username, password: 'Tide-and-time-1', role: 'administrator' }))
  const ids = [await make('first'), await make('second')].map(({ id }) => id)
  const ends = await Promise.allSettled(ids.map((id) => deleteUser(context, id)))
  const refused = ends.filter((end) => end.status === 'rejected')
  expect(refused.map(({ reason }) => reason as unknown)).toEqual([
    expect.objectContaining({ code: 'last_administrator' }),
  ])
  expect(await countUsers(opened.ports)).toBe(1)
  const { items } = await listAudit(context, auditQuery.parse({ action: 'delete' }))
  expect(items).toHaveLength(1)
})
