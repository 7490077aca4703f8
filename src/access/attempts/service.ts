import { sha256 } from '../../lib/digest.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { nameKey } from '../../lib/text.ts'
import { networkOf } from './networks.ts'
import * as store from './store.ts'

const WINDOW_MS = 15 * 60_000
const ACCOUNT_MAX = 10
const NETWORK_MAX = 100
const CODE_MAX = 5

/** The kinds of attempts, and the failures of each that are allowed within 15 minutes. */
export type Trial = { readonly key: string; readonly max: number; readonly isShared: boolean }

/** Guessing the password of one account, whether there is one or not, from one network. */
export async function passwordTrials(
  { network }: Ports,
  username: string,
  request: Request | undefined,
): Promise<readonly Trial[]> {
  // Names have any length, and unknown ones may be passwords in the wrong field.
  const account = { key: `account ${await sha256(nameKey(username))}`, max: ACCOUNT_MAX, isShared: false }
  const address = request ? networkOf(network.addressOf(request)) : ''
  return address === '' ? [account] : [account, { key: `from ${address}`, max: NETWORK_MAX, isShared: true }]
}

/** Coming back from the OpenID Connect provider with an answer that is not right, from one network. */
export function providerTrials({ network }: Ports, request: Request | undefined): readonly Trial[] {
  const address = request ? networkOf(network.addressOf(request)) : ''
  return address === '' ? [] : [{ key: `provider ${address}`, max: NETWORK_MAX, isShared: true }]
}

/** Guessing a user's codes. */
export function codeTrials(userId: number): readonly Trial[] {
  return [{ key: `code ${userId}`, max: CODE_MAX, isShared: false }]
}

/** Counts a try before it is known how it ends, so that tries at the same time count as well. A refused try counts under
 * none of its keys: a full account leaves the network free, and the reverse.
 * @param windowMs the time within which they count, 15 minutes unless said otherwise
 * @throws {Refusal} too_many_attempts */
export async function attempt(
  { database, clock }: Ports,
  trials: readonly Trial[],
  windowMs = WINDOW_MS,
): Promise<void> {
  if (trials.length === 0) return
  const now = clock.now()
  const untilAt = await store.countAttempts(database, trials, { now, windowMs })
  if (untilAt === null) return
  throw new Refusal(
    'too_many_attempts',
    'There were too many failed attempts. Try again later.',
    [],
    Math.max(1, Math.ceil((untilAt - now) / 1000)),
  )
}

/** Nobody could tell how the try ends: it does not count. */
export async function undecided({ database }: Ports, trials: readonly Trial[]): Promise<void> {
  if (trials.length === 0) return
  await store.forgetAttempts(database, { all: [], back: trials.map(({ key }) => key) })
}

/** The write that forgets all tries, of something that its commit removes. */
export function triesForgotten({ database }: Ports, trials: readonly Trial[]): Write {
  return store.deleteAttempts(
    database,
    trials.map(({ key }) => key),
  )
}

/** The try was right: what failed before on the same account is forgotten. */
export async function succeeded({ database }: Ports, trials: readonly Trial[]): Promise<void> {
  if (trials.length === 0) return
  const keys = (isShared: boolean) => trials.filter((one) => one.isShared === isShared).map(({ key }) => key)
  await store.forgetAttempts(database, { all: keys(false), back: keys(true) })
}
