import type { Role } from '../../../src/context.ts'
import { ADMIN } from '../../hosts/host.ts'
import type { Client } from '../client.ts'
import { good, once } from '../suite.ts'

/** The scopes that a personal token can have. */
const TOKEN_SCOPES = ['read', 'write', 'execute', 'backup'] as const

/** Credentials that are good for a part of what the role of their user allows. */
export type Limited = {
  readonly name: string
  readonly role: Role
  readonly scopes: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** A personal token of each scope, one of all scopes, and a session that owes a second factor. */
export const limitedOf = once(async (client: Client): Promise<readonly Limited[]> => {
  const limited: Limited[] = []
  for (const scopes of [...TOKEN_SCOPES.map((scope) => [scope]), TOKEN_SCOPES]) {
    const name = `a token to ${scopes.join(' ')}`
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const json = { name, scopes, expiresAt }
    const made = await good(client.request('POST', '/session/personal-tokens', { json }))
    limited.push({
      name,
      role: 'administrator',
      scopes,
      headers: { authorization: `Bearer ${String(made['token'])}` },
    })
  }
  return [...limited, await owingSession(client)]
})

async function owingSession(client: Client): Promise<Limited> {
  const user = { username: 'owes a factor', password: ADMIN.password }
  // Other suites count administrators.
  const json = { ...user, role: 'editor' }
  const { id } = await good(client.request('POST', '/users', { json }))
  await good(client.request('PUT', `/users/${Number(id)}/mfa`, { json: { isEnforced: true } }))
  const login = await good(client.request('POST', '/session/login', { json: user, as: null }))
  const headers = { 'x-session-id': String(login['sessionId']) }
  return { name: 'a session that owes a second factor', role: 'editor', scopes: ['account'], headers }
}
