import { afterAll, beforeAll, expect, test } from 'bun:test'
import { syncNow } from '../../src/access/directory/service.ts'
import { startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { openPorts } from '../hosts/ports.ts'
import { parseEnvironment, settingsOf, settingsSchema } from '../../src/ports/settings.ts'

let slapd: Slapd
beforeAll(async () => {
  slapd = await startSlapd(`dn: uid=ada,dc=example,dc=org
objectClass: inetOrgPerson
uid: ada
cn: Ada Lovelace
sn: Lovelace
mail: ada@example.org
userPassword: countess
`)
})
afterAll(() => slapd.close())
test('smoke', async () => {
  const { ldap } = settingsOf(parseEnvironment(settingsSchema, slapd.variables))
  const opened = await openPorts({ ldap })
  const context = { ports: opened.ports, caller: { kind: 'nobody' }, requestId: 'x' } as const
  try {
  console.log(await syncNow(context))
  } catch (e) { console.log(e, (e as Error).cause) }
  console.log(await opened.ports.database.all('select * from users'))
  console.log(await opened.ports.database.all('select * from audit'))
})
