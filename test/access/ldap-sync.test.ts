import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Attribute, Change, Client } from 'ldapts'

import { listAudit } from '../../src/access/audit/service.ts'
import { logIn } from '../../src/access/session/service.ts'
import { callerOfPersonalToken, callerOfSession } from '../../src/access/session/service/callers.ts'
import { createPersonalToken } from '../../src/access/session/personal/service.ts'
import { createGroup, listMembers, updateMembers } from '../../src/access/user-groups/service.ts'
import { deleteUser, updateUser } from '../../src/access/users/service.ts'
import type { Role } from '../../src/context.ts'
import { rejection } from '../contract/rejection.ts'
import { ADMIN_DN, ADMIN_PASSWORD, BASE_DN, hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { dnOf, group, openStage, PASSWORD, person } from './ldap-stage.ts'

const CROWD = 1_203

let slapd: Slapd
beforeAll(async () => {
  if (hasSlapd) slapd = await startSlapd()
})
afterAll(() => slapd?.close())

/** Puts entries there for a task, and takes all people and groups away after it. */
async function withEntries(ldif: string, task: () => Promise<void>): Promise<void> {
  try {
    await slapd.change((client) => addAll(client, ldif))
    await task()
  } finally {
    await slapd.change(removeAll)
  }
}

async function addAll(client: Client, ldif: string): Promise<void> {
  for (const block of ldif.split('\n\n').map((text) => text.trim())) {
    if (block === '') continue
    const [dn = '', ...lines] = block.split('\n')
    const pairs = lines.map((line) => line.split(': ') as [string, string])
    const attributes = Map.groupBy(pairs, ([name]) => name)
    await client.add(
      dn.slice('dn: '.length),
      [...attributes].map(([type, of]) => new Attribute({ type, values: of.map(([, value]) => value) })),
    )
  }
}

async function removeAll(client: Client): Promise<void> {
  const filter = '(|(objectClass=inetOrgPerson)(objectClass=groupOfNames))'
  const { searchEntries } = await client.search(BASE_DN, { filter, attributes: ['1.1'], paged: true })
  for (const { dn } of searchEntries) await client.del(dn)
}

function replacing(type: string, ...values: string[]): Change {
  return new Change({ operation: 'replace', modification: new Attribute({ type, values }) })
}

describe.skipIf(!hasSlapd)('a sync with OpenLDAP', () => {
  test('creates, updates and leaves as they are, and says so on record', async () => {
    const entries = person('ada', 'mail: ada@example.org', 'telephoneNumber: +44 1') + person('ben')
    await withEntries(entries, async () => {
      const stage = await openStage(slapd)
      expect(await stage.sync()).toMatchObject({
        created: 2,
        updated: 0,
        disabled: 0,
        failed: 0,
        problem: null,
      })
      const { ada } = await stage.users()
      expect(ada).toMatchObject({
        type: 'LDAP_MANAGED',
        role: 'dashboard_viewer',
        fullname: 'ada of the directory',
        email: 'ada@example.org',
        phone: '+44 1',
        disabled: false,
      })
      expect(await stage.sync()).toMatchObject({ created: 0, updated: 0, disabled: 0, unchanged: 2 })
      await slapd.change((client) => client.modify(dnOf('ada'), replacing('mail', 'countess@example.org')))
      expect(await stage.sync()).toMatchObject({ created: 0, updated: 1, disabled: 0, unchanged: 1 })
      expect((await stage.users())['ada']).toMatchObject({ id: ada?.id, email: 'countess@example.org' })

      const { items } = await listAudit(stage.context, {
        limit: 100,
        objectId: String(ada?.id),
        objectType: 'user',
      })
      expect(items.map(({ action, before, after }) => ({ action, before, after }))).toMatchObject([
        { action: 'update', before: { email: 'ada@example.org' }, after: { email: 'countess@example.org' } },
        { action: 'create', before: null, after: { username: 'ada', type: 'LDAP_MANAGED' } },
      ])
      expect(Object.keys(items[0]?.after ?? {})).toEqual(['email'])
      const syncs = await listAudit(stage.context, { limit: 100, objectType: 'directory' })
      expect(syncs.items.map(({ after }) => after)).toMatchObject([
        { created: 0, updated: 1, unchanged: 1 },
        { created: 0, unchanged: 2 },
        { created: 2 },
      ])
      await stage.close()
    })
  })

  test(`takes ${CROWD} people in pages from a server that shows 500 at once`, async () => {
    const crowd = await startSlapd(Array.from({ length: CROWD }, (_, at) => person(`p${at}`)).join(''))
    const stage = await openStage(crowd)
    expect(await stage.sync()).toMatchObject({ created: CROWD, failed: 0 })
    expect(Object.keys(await stage.users())).toHaveLength(CROWD + 1)
    expect(await stage.sync()).toMatchObject({ created: 0, unchanged: CROWD })

    const client = new Client({ url: crowd.url })
    await client.bind(ADMIN_DN, ADMIN_PASSWORD)
    const unpaged = client.search(BASE_DN, { filter: '(objectClass=inetOrgPerson)' })
    expect(await rejection(unpaged)).toMatchObject({ code: 4 })
    await client.unbind()
    await stage.close()
    await crowd.close()
  }, 180_000)

  test('keeps the id of who is renamed, and disables who is gone, who then has no way in', async () => {
    await withEntries(person('ada') + person('ben'), async () => {
      const stage = await openStage(slapd)
      const { ports, context } = stage
      await stage.sync()
      const before = await stage.users()
      const { sessionId } = await logIn(context, { username: 'ada', password: PASSWORD })
      const caller = await callerOfSession(ports, sessionId)
      if (!caller) throw new Error('The session is not open.')
      const made = await createPersonalToken(
        { ...context, caller },
        { name: 'x', scopes: ['read'], expiresAt: '2026-04-01T00:00:00Z' },
      )
      expect(await callerOfPersonalToken(ports, made.token)).toMatchObject({ username: 'ada' })

      for (const table of ['sessions', 'personal_tokens'])
        await ports.database.run(`create table kept_${table} as select * from ${table}`)
      await slapd.change(async (client) => {
        await client.modifyDN(dnOf('ben'), dnOf('benjamin'))
        await client.del(dnOf('ada'))
      })
      expect(await stage.sync()).toMatchObject({ created: 0, updated: 1, disabled: 1, failed: 0 })
      const after = await stage.users()
      expect(after['benjamin']?.id).toBe(before['ben']?.id ?? -1)
      expect(after['ben']).toBeUndefined()
      expect(after['ada']).toMatchObject({ id: before['ada']?.id, disabled: true })
      expect(await callerOfSession(ports, sessionId)).toBeNull()
      expect(await callerOfPersonalToken(ports, made.token)).toBeNull()
      expect(await rejection(logIn(context, { username: 'ada', password: PASSWORD }))).toMatchObject({
        code: 'unauthenticated',
      })
      // Control: they are gone, and nobody would be let in by them.
      for (const table of ['sessions', 'personal_tokens']) {
        expect(await ports.database.all(`select * from ${table}`)).toEqual([])
        await ports.database.run(`insert into ${table} select * from kept_${table}`)
      }
      expect(await callerOfSession(ports, sessionId)).toBeNull()
      expect(await callerOfPersonalToken(ports, made.token)).toBeNull()
      await ports.database.run('update users set disabled_at = null')
      expect(await callerOfSession(ports, sessionId)).toMatchObject({ username: 'ada' })
      expect(await callerOfPersonalToken(ports, made.token)).toMatchObject({ username: 'ada' })
      expect(await stage.sync()).toMatchObject({ updated: 0, disabled: 1, unchanged: 1 })
      expect(await stage.sync()).toMatchObject({ updated: 0, disabled: 0, unchanged: 1 })
      await stage.close()
    })
  })

  test('never takes a local user over, nor the name of who is gone', async () => {
    await withEntries(person('admin') + person('ada') + person('eve'), async () => {
      const stage = await openStage(slapd)
      const own = await stage.make('eve', 'editor')
      expect(await stage.sync()).toMatchObject({ created: 1, failed: 2 })
      expect((await stage.users())['eve']).toEqual(own)
      expect(await logIn(stage.context, { username: 'eve', password: PASSWORD })).toMatchObject({
        owed: null,
      })

      const { ada } = await stage.users()
      await slapd.change(async (client) => {
        await client.del(dnOf('ada'))
        await addAll(client, person('ada'))
      })
      const { failures, disabled } = await stage.sync()
      expect(disabled).toBe(1)
      expect(failures).toContainEqual({ name: dnOf('ada'), message: 'has the name of another user: ada' })
      expect((await stage.users())['ada']).toMatchObject({ id: ada?.id, disabled: true })
      await stage.close()
    })
  })

  test('lets in again who is back', async () => {
    await withEntries(person('ada'), async () => {
      const stage = await openStage(slapd, {
        TIDEMARK_LDAP_USER_FILTER: '(&(objectClass=inetOrgPerson)(!(title=gone)))',
      })
      await stage.sync()
      const { ada } = await stage.users()
      await slapd.change((client) => client.modify(dnOf('ada'), replacing('title', 'gone')))
      expect(await rejection(stage.sync())).toMatchObject({ code: 'conflict' })
      await slapd.change((client) => addAll(client, person('ben')))
      expect(await stage.sync()).toMatchObject({ created: 1, disabled: 1 })
      await slapd.change((client) => client.modify(dnOf('ada'), replacing('title', 'back')))
      expect(await stage.sync()).toMatchObject({ updated: 1, disabled: 0 })
      expect((await stage.users())['ada']).toEqual(ada as never)
      await stage.close()
    })
  })

  test.each(['memberOf', 'member'])(
    'takes roles and user groups from groups, by %s, as they change',
    async (way) => {
      const entries = person('ada') + person('ben') + group('editors', 'ada') + group('ops', 'ada', 'ben')
      await withEntries(entries, async () => {
        const rules = [
          { group: `CN=editors, ${BASE_DN}`, role: 'editor' },
          { group: `cn=ops,${BASE_DN}`, role: 'collector', userGroup: 'Operators' },
          { group: `cn=ops,${BASE_DN}`, userGroup: 'Nobody made it' },
        ]
        const stage = await openStage(slapd, {
          TIDEMARK_LDAP_GROUPS: JSON.stringify(rules),
          TIDEMARK_LDAP_MEMBERSHIP: way,
        })
        const { context, ports } = stage
        const { view: operators } = await createGroup(context, { name: 'Operators' })
        const local = await stage.make('local')
        await updateMembers(context, operators.id, { userIds: [local.id], mode: 'replace' })
        expect(await stage.sync()).toMatchObject({
          created: 2,
          failures: [{ name: 'Nobody made it', message: 'must be the name of a user group' }],
        })
        const members = async () => (await listMembers(context, operators.id)).map(({ username }) => username)
        const roles = async () => {
          const { ada, ben } = await stage.users()
          return [ada?.role, ben?.role]
        }
        expect(await roles()).toEqual(['editor', 'collector'] satisfies Role[])
        expect(await members()).toEqual(['local', 'ada', 'ben'])

        const { sessionId } = await logIn(context, { username: 'ada', password: PASSWORD })
        await slapd.change(async (client) => {
          await client.modify(`cn=editors,${BASE_DN}`, replacing('member', dnOf('ben')))
          await client.modify(`cn=ops,${BASE_DN}`, replacing('member', dnOf('ben')))
        })
        expect(await callerOfSession(ports, sessionId)).toMatchObject({ role: 'editor' })
        expect(await stage.sync()).toMatchObject({ updated: 2 })
        expect(await roles()).toEqual(['dashboard_viewer', 'editor'] satisfies Role[])
        expect(await members()).toEqual(['local', 'ben'])
        expect(await callerOfSession(ports, sessionId)).toBeNull()

        await slapd.change((client) => client.del(`cn=ops,${BASE_DN}`))
        expect(await rejection(stage.sync())).toMatchObject({
          code: 'conflict',
          detail: 'The group of entry 1 (from 0) of TIDEMARK_LDAP_GROUPS does not exist in the directory.',
        })
        expect(await members()).toEqual(['local', 'ben'])
        await stage.close()
      })
    },
  )

  test('finds members whose names are escaped in another way than their entries', async () => {
    const odd = ['Doe\\, John', 'R\\+D', 'Sm\\"ith'].map((cn, place) => ({ cn, uid: `odd ${place}` }))
    const entries = odd.map(
      ({ cn, uid }) =>
        `\ndn: cn=${cn},${BASE_DN}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${cn.replaceAll('\\', '')}\nsn: x\n`,
    )
    const members = odd.map(({ cn }) => `member: cn=${cn},${BASE_DN}`).join('\n')
    const editors = `\ndn: cn=editors,${BASE_DN}\nobjectClass: groupOfNames\ncn: editors\n${members}\n`
    await withEntries(entries.join('') + editors, async () => {
      const stage = await openStage(slapd, {
        TIDEMARK_LDAP_GROUPS: JSON.stringify([{ group: `cn=editors,${BASE_DN}`, role: 'editor' }]),
        TIDEMARK_LDAP_MEMBERSHIP: 'member',
      })
      expect(await stage.sync()).toMatchObject({ created: 3, failures: [] })
      const users = await stage.users()
      expect(odd.map(({ uid }) => users[uid]?.role)).toEqual(['editor', 'editor', 'editor'])
      await stage.close()
    })
  })

  test('leaves the last administrator, and the roles that administrators give where no group has one', async () => {
    await withEntries(person('ada') + person('ben'), async () => {
      const stage = await openStage(slapd)
      await stage.sync()
      await stage.ports.database.run(
        `update users set role = case username when 'ada' then 'administrator' else 'editor' end`,
      )
      await slapd.change((client) => client.del(dnOf('ada')))
      expect(await stage.sync()).toMatchObject({
        disabled: 0,
        unchanged: 1,
        failures: [{ name: 'ada', message: 'is the last administrator and was not changed' }],
      })
      expect((await stage.users())['ben']).toMatchObject({ role: 'editor' })
      await stage.ports.database.run(`update users set role = 'administrator' where username = 'admin'`)
      expect(await stage.sync()).toMatchObject({ disabled: 1, failed: 0 })
      const { admin, ada } = await stage.users()
      const alone = { code: 'last_administrator' }
      expect(await rejection(deleteUser(stage.context, admin?.id ?? 0))).toMatchObject(alone)
      const body = { role: 'editor' } as const
      const demotion = updateUser(stage.context, admin?.id ?? 0, { body, ifMatch: null })
      expect(await rejection(demotion)).toMatchObject(alone)
      await deleteUser(stage.context, ada?.id ?? 0)
      expect(Object.keys(await stage.users())).toEqual(['admin', 'ben'])
      await stage.close()
    })
  })
})
