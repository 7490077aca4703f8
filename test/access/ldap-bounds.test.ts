import { expect, test } from 'bun:test'

import { syncNow } from '../../src/access/directory/service.ts'
import { isPasswordOf } from '../../src/access/directory/service/password.ts'
import { readPeople } from '../../src/access/directory/service/entries.ts'
import type { Directory, DirectoryConnection, DirectoryEntry } from '../../src/ports/directory.ts'
import { rejection } from '../contract/rejection.ts'
import { openPorts } from '../hosts/ports.ts'
import { ADMIN_DN, ADMIN_PASSWORD, BASE_DN } from '../hosts/slapd.ts'
import { dnOf, settingsFrom } from './ldap-stage.ts'

const VARIABLES = {
  TIDEMARK_LDAP_URL: 'ldaps://localhost',
  TIDEMARK_LDAP_BIND_DN: ADMIN_DN,
  TIDEMARK_LDAP_BIND_PASSWORD: ADMIN_PASSWORD,
  TIDEMARK_LDAP_BASE_DN: BASE_DN,
}

/** A connection to a directory that has these entries, and takes every password. */
function connectionTo(entries: readonly DirectoryEntry[]): DirectoryConnection {
  return {
    async *search() {
      for (let from = 0; from < entries.length; from += 500) yield entries.slice(from, from + 500)
    },
    bind: () => Promise.resolve(true),
  }
}

function entriesOf(count: number, attribute = 'uid'): readonly DirectoryEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    dn: dnOf(`p${at}`),
    values: new Map([
      [attribute, [`p${at}`]],
      ['entryuuid', [`${at}`]],
    ]),
  }))
}

async function openWith(directory: Directory) {
  const opened = await openPorts({ ldap: settingsFrom(VARIABLES).ldap })
  Object.assign(opened.ports, { directory })
  return opened
}

test.each([
  [0, 'The directory has no users. Check TIDEMARK_LDAP_BASE_DN and TIDEMARK_LDAP_USER_FILTER.'],
  [10_000, null],
  [10_001, 'The directory has more than 10000 users. Narrow TIDEMARK_LDAP_USER_FILTER.'],
])('of %p people the answer is %p', async (count, detail) => {
  const { ldap } = settingsFrom(VARIABLES)
  if (!ldap) throw new Error('There is no directory.')
  const read = readPeople(connectionTo(entriesOf(count)), ldap, { dns: [], members: [] })
  if (detail === null) expect(await read).toHaveLength(count)
  else expect(await rejection(read)).toMatchObject({ code: 'conflict', detail })
})

test.each([
  [100, 100],
  [101, 100],
])('of %p failures %p are told', async (count, told) => {
  const { ports, ...opened } = await openWith({
    connected: (task) => task(connectionTo(entriesOf(count, 'cn'))),
  })
  const report = await syncNow({ ports, caller: { kind: 'anonymous' }, requestId: 'test' })
  expect([report.failed, report.failures.length]).toEqual([count, told])
  await opened.close()
})

test('of forty-one logins at a time eight ask, thirty-two wait and one is refused', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  let asking = 0
  let most = 0
  const { ports, ...opened } = await openWith({
    async connected(task) {
      most = Math.max(most, ++asking)
      await released
      asking--
      return task(connectionTo(entriesOf(1)))
    },
  })
  const logins = Array.from({ length: 40 }, () =>
    isPasswordOf(ports, { username: 'p0', directoryId: '0' }, 'password'),
  )
  const one = isPasswordOf(ports, { username: 'p0', directoryId: '0' }, 'password')
  expect(await rejection(one)).toMatchObject({ code: 'overloaded' })
  expect(asking).toBe(8)
  release(undefined)
  expect(new Set(await Promise.all(logins))).toEqual(new Set([true]))
  expect(most).toBe(8)
  await opened.close()
})
