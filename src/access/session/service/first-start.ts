import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { base64url } from '../../../lib/text.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { UserView } from '../../users/schema.ts'
import { countUsers, createUser } from '../../users/service.ts'
import { requireStrong } from '../../users/service/passwords.ts'
import { weaknessOf } from '../../users/strength.ts'
import type { SetupBody } from '../schema.ts'
import * as store from '../store.ts'

const SETUP_LIFETIME_MS = 30 * 60_000

/** Makes the first sign-in possible: creates `admin` when a password is configured, else a one-time token for the
 * set-up page. Both only while there is no user.
 * @throws {RangeError} when the configured password is weak */
export async function prepareFirstStart(
  ports: Ports,
): Promise<{ isFirstStart: boolean; setupToken: string | null }> {
  if ((await countUsers(ports)) > 0) return { isFirstStart: false, setupToken: null }
  const { adminPassword } = ports.settings
  if (adminPassword !== null) {
    const weakness = weaknessOf(
      { username: 'admin', password: adminPassword },
      ports.settings.passwords.lengthMin,
    )
    if (weakness !== null) throw new RangeError(`TIDEMARK_ADMIN_PASSWORD ${weakness}.`)
    const context: Context = { ports, caller: { kind: 'anonymous' }, requestId: 'first start' }
    await createUser(context, { username: 'admin', password: adminPassword, role: 'administrator' })
    return { isFirstStart: true, setupToken: null }
  }
  const setupToken = base64url(ports.secrets.random(32))
  const now = ports.clock.now()
  await commit(ports.database, [
    store.deleteExpiredSetups(ports.database, now),
    store.insertSetup(ports.database, { hash: await sha256(setupToken), expiresAt: now + SETUP_LIFETIME_MS }),
  ])
  return { isFirstStart: true, setupToken }
}

/** Functions of rooms above this one that a set-up calls; `app.ts` gives them. */
export type SetupHooks = {
  /** The writes that make a language the default of the installation. */
  readonly languageWrites: (context: Context, language: string) => Promise<readonly Write[]>
  /** The writes that begin the making of the demo plant. */
  readonly demoWrites: (context: Context) => readonly Write[]
  /** Starts the making after the commit. */
  readonly continueDemo: (ports: Ports) => void
}

/** Creates the first administrator with the one-time token, and stores the choices of the set-up in the same commit, which also
 * uses up the token.
 * @throws {Refusal} forbidden when the token is not, or no longer, valid; invalid for a weak password; overloaded */
export async function setUp(context: Context, input: SetupBody, hooks: SetupHooks): Promise<UserView> {
  const { ports } = context
  const { token, content, ...user } = input
  const { username, password, language } = user
  requireStrong(ports, { username, password })
  const setup = { hash: await sha256(token), username, now: ports.clock.now() }
  // Before the password is hashed, which takes time.
  if (!(await store.isSetupOpen(ports.database, setup.hash, setup.now))) throw setupUsed()
  const isDemo = content === 'demo'
  const also = [
    // First: the other writes of a second set-up would fail for reasons of their own.
    ...store.useSetup(ports.database, setup),
    ...(language === undefined ? [] : await hooks.languageWrites(context, language)),
    ...(isDemo ? hooks.demoWrites(context) : []),
  ]
  try {
    const created = await createUser(context, { ...user, role: 'administrator' }, also)
    if (isDemo) hooks.continueDemo(ports)
    return created
  } catch (error) {
    throw store.isSetupUsed(error) ? setupUsed() : error
  }
}

function setupUsed(): Refusal {
  return new Refusal(
    'forbidden',
    'This set-up link was used or has expired. Restart the service to get a new one.',
  )
}
