import { syncNow } from '../../src/access/directory/service.ts'
import type { SyncReport } from '../../src/access/directory/schema.ts'
import { createUser, listUsers } from '../../src/access/users/service.ts'
import type { UserView } from '../../src/access/users/schema.ts'
import type { Context, Role } from '../../src/context.ts'
import { parseEnvironment } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import type { Settings } from '../../src/ports/settings.ts'
import { openPorts } from '../hosts/ports.ts'
import { BASE_DN } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'

export const PASSWORD = 'countess of lovelace'

/** A person in LDIF; lines of `more` come on top. */
export function person(uid: string, ...more: readonly string[]): string {
  return `
dn: uid=${uid},${BASE_DN}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid} of the directory
sn: ${uid}
userPassword: ${PASSWORD}
${more.map((line) => `${line}\n`).join('')}`
}

/** A group in LDIF, of these people. */
export function group(name: string, ...uids: readonly string[]): string {
  const members = uids.map((uid) => `member: uid=${uid},${BASE_DN}`)
  return `\ndn: cn=${name},${BASE_DN}\nobjectClass: groupOfNames\ncn: ${name}\n${members.join('\n')}\n`
}

export const dnOf = (uid: string) => `uid=${uid},${BASE_DN}`

/** Settings as these variables make them. */
export function settingsFrom(variables: Readonly<Record<string, string>>): Settings {
  return settingsOf(parseEnvironment(settingsSchema, variables))
}

/** A service without a host, whose directory is this server; one administrator, called `admin`, is there. */
export async function openStage(slapd: Slapd, variables: Readonly<Record<string, string>> = {}) {
  const { ldap } = settingsFrom({ ...slapd.variables, ...variables })
  const opened = await openPorts({ ldap })
  const { ports } = opened
  // Fast: how slow a hash is, is tried elsewhere.
  ports.secrets.scrypt = async (password, salt) => {
    const text = new TextEncoder().encode(password)
    return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array([...salt, ...text])))
  }
  const context: Context = {
    ports,
    caller: { kind: 'user', userId: 1, username: 'admin', role: 'administrator', sessionHash: null },
    requestId: 'test',
  }
  await createUser(context, { username: 'admin', password: PASSWORD, role: 'administrator' })
  return {
    ...opened,
    context,
    sync: (): Promise<SyncReport> => syncNow(context),
    /** Every user by name. */
    async users(): Promise<Readonly<Record<string, UserView>>> {
      return Object.fromEntries(
        (await listUsers(context, { limit: 10_000 })).items.map((user) => [user.username, user]),
      )
    },
    make: (username: string, role: Role = 'editor') =>
      createUser(context, { username, password: PASSWORD, role }),
  }
}
