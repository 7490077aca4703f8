import { TtlCache } from '../../lib/ttl-cache.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { sameText } from '../../lib/text.ts'
import type { UserCaller } from '../../context.ts'
import type { Ports } from '../../ports/index.ts'

export type FoundUser = MaybePromise<UserCaller | null>

/** A revoked session or token, or a former password, works on for this long at most in another isolate. */
const CALLER_CACHE_MS = 1_000
/** Of all requests with one session one verifies it anew, and the others do not wait. */
const CALLER_AHEAD_MS = 500
/** The same for requests of programs, where each verification costs a call of the database and runs after the
 * answer: at the edge, where a sender comes too seldom to be known otherwise. */
const SENDER_CACHE_MS = 60_000
const SENDER_AHEAD_MS = 30_000
const CREDENTIALS_CACHE_MS = 60_000
const PROOFS_MAX = 10_000

const callers = new WeakMap<Ports, Callers>()

/** The callers that this process or isolate remembers. */
export function callersOf(ports: Ports): Callers {
  let known = callers.get(ports)
  if (!known) callers.set(ports, (known = new Callers(ports)))
  return known
}

/** The credentials of a request. */
type Way = 'session' | 'token' | 'personal' | 'basic'

/** A cache of verified credentials. Failures are not cached; secrets only in the memory of the process. */
class Callers {
  readonly #proven: Readonly<Record<Way, TtlCache<UserCaller>>>
  readonly #proofs = new Map<string, { readonly passwordHash: string; readonly untilAt: number }>()

  constructor({ inBackground }: Ports) {
    const newSender = () =>
      inBackground ? new TtlCache<UserCaller>(SENDER_CACHE_MS, SENDER_AHEAD_MS, inBackground) : newRecent()
    this.#proven = { session: newRecent(), token: newRecent(), personal: newSender(), basic: newSender() }
  }

  find(way: Way, key: string, now: number, prove: () => Promise<UserCaller | null>): FoundUser {
    return this.#proven[way].find(key, now, prove)
  }

  /** Whether credentials matched this password hash within the last minute. */
  wasProven(key: string, passwordHash: string, now: number): boolean {
    const proof = this.#proofs.get(key)
    return proof !== undefined && sameText(proof.passwordHash, passwordHash) && proof.untilAt > now
  }

  /** Whether these credentials have matched this password hash before: their sender is not guessing. */
  isKnown(key: string, passwordHash: string): boolean {
    const proof = this.#proofs.get(key)
    return proof !== undefined && sameText(proof.passwordHash, passwordHash)
  }

  /** Remembers that credentials match this password hash, so that the slow hash is computed only once. */
  proven(key: string, passwordHash: string, now: number): void {
    if (this.#proofs.size >= PROOFS_MAX) this.#proofs.clear()
    this.#proofs.set(key, { passwordHash, untilAt: now + CREDENTIALS_CACHE_MS })
  }

  /** Makes every caller prove their credentials again, after a change of users or sessions. */
  clear(): void {
    for (const recent of Object.values(this.#proven)) recent.clear()
  }
}

function newRecent(): TtlCache<UserCaller> {
  return new TtlCache(CALLER_CACHE_MS, CALLER_AHEAD_MS)
}
