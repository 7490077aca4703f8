import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { commit } from '../../../ports/database.ts'
import type { OidcSettings } from '../../../ports/oidc-settings.ts'
import { audited } from '../../audit/service.ts'
import { listGroups, listGroupsOf, updateGroupsOf } from '../../user-groups/service.ts'
import { usernameSchema } from '../../users/schema.ts'
import { adoptUser, createUser } from '../../users/service.ts'
import { forgetCallers, removePassword, revokeTokensOf } from '../../users/service/passwords.ts'
import type { Profile } from '../mapping.ts'
import * as store from '../store.ts'
import type { Identity } from '../store.ts'

/** The user of an identity at the provider: the linked one, the only local one with the verified
 * address, or a new one, the latter two if they are configured. The provider's claims are stored.
 * @throws {Refusal} forbidden for an identity without a user, last_administrator */
export async function accountFor(
  context: Context,
  oidc: OidcSettings,
  { subject, profile }: { readonly subject: string; readonly profile: Profile },
): Promise<number> {
  if (oidc.mapping !== null && profile.role === null)
    throw new Refusal(
      'forbidden',
      'None of your claims at the OpenID Connect provider maps to a role. Ask an administrator to change TIDEMARK_OIDC_MAPPING.',
    )
  const identity = { issuer: oidc.issuer, subject }
  const { database } = context.ports
  const userId =
    (await store.findUserId(database, identity)) ??
    (oidc.linksByEmail ? await linkByEmail(context, identity, profile) : null)
  if (userId === null && !oidc.createsUsers)
    throw new Refusal('forbidden', 'You have no user here. Ask an administrator to create one.')
  const known = userId ?? (await create(context, identity, profile))
  if (userId !== null) await adoptProfile(context, known, profile)
  await followGroups(context, known, profile)
  return known
}

/** Creates a user without a password. An existing user of this name is not taken over. */
async function create(context: Context, identity: Identity, profile: Profile): Promise<number> {
  const { username, fullname, email, language, role } = profile
  const name = usernameSchema.safeParse(username)
  if (!name.success || role === null)
    throw new Refusal(
      'forbidden',
      'The claims of the OpenID Connect provider lack a valid username or a role, so no user can be created.',
    )
  try {
    const user = {
      username: name.data,
      role,
      ...(fullname !== null && { fullname }),
      ...(email !== null && { email }),
      ...(language !== null && { language }),
    }
    const link = store.insertIdentity(context.ports.database, identity, { username: name.data })
    return (await createUser(context, user, [link])).id
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'name_taken') throw error
    // Another login of this identity can have created the user in the meantime.
    const created = await store.findUserId(context.ports.database, identity)
    if (created !== null) return created
    throw new Refusal(
      'forbidden',
      'A user with your username already exists. Ask an administrator to link it to you.',
    )
  }
}

/** Only this identity may sign in as this user from now on: sessions and tokens end, and the password is removed. */
async function linkByEmail(context: Context, identity: Identity, profile: Profile): Promise<number | null> {
  const { ports } = context
  if (profile.email === null || !profile.isEmailVerified) return null
  const [found, another] = await store.findByEmail(ports.database, profile.email)
  if (!found || another || found.role === 'administrator') return null
  const entry = audited(context, {
    action: 'link by email',
    objectType: 'identity',
    objectId: found.userId,
    after: identity,
  })
  try {
    await commit(ports.database, [
      store.insertIdentity(ports.database, identity, { id: found.userId }),
      ...removePassword(ports, found.userId),
      revokeTokensOf(ports, found.userId),
      entry,
    ])
  } catch (error) {
    if (!store.isLinked(error)) throw error
    // Another login has linked the user in the meantime, perhaps one of this identity.
    return store.findUserId(ports.database, identity)
  }
  forgetCallers(ports)
  return found.userId
}

async function adoptProfile(context: Context, userId: number, profile: Profile): Promise<void> {
  const { fullname, email, role } = profile
  await adoptUser(context, userId, {
    ...(fullname !== null && { fullname }),
    ...(email !== null && { email }),
    ...(role !== null && { role }),
  })
}

/** Adds a user to the user groups of the profile, and removes the user from the other user groups that the mapping names. */
async function followGroups(context: Context, userId: number, { userGroups }: Profile): Promise<void> {
  if (userGroups.of.length === 0) return
  const all = await listGroups(context)
  const missing = userGroups.of.filter((name) => !all.some((group) => group.name === name))
  if (missing.length > 0)
    context.ports.log.warn(
      'OpenID Connect: TIDEMARK_OIDC_MAPPING names user groups that do not exist; create them or correct the mapping',
      { missing: missing.join(', ') },
    )
  const idsOf = (names: readonly string[]) =>
    all.filter(({ name }) => names.includes(name)).map(({ id }) => id)
  const present = new Set((await listGroupsOf(context, userId)).map(({ id }) => id))
  const wanted = new Set(idsOf(userGroups.in))
  const joined = [...wanted].filter((id) => !present.has(id))
  const left = idsOf(userGroups.of).filter((id) => present.has(id) && !wanted.has(id))
  if (joined.length > 0) await updateGroupsOf(context, userId, { groupIds: joined, mode: 'merge' })
  if (left.length > 0) await updateGroupsOf(context, userId, { groupIds: left, mode: 'remove' })
}
