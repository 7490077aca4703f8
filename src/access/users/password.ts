import type { Ports } from '../../ports/index.ts'
import type { ScryptCost, Secrets } from '../../ports/secrets.ts'
import { semaphoreFor } from '../../lib/semaphore.ts'
import { base64url, fromBase64url, sameText } from '../../lib/text.ts'

/** scrypt at 16 MiB of memory, which fits a Worker (OWASP Password Storage Cheat Sheet: N = 2^14, r = 8, p = 5). */
const COST: ScryptCost = { n: 16_384, r: 8, p: 5 }
const SALT_BYTES = 16
/** Hashes at the same time, and how many more may wait: logins must not take the processor away from deliveries. */
const AT_ONCE = 1
const WAITING_MAX = 32
/** A request that takes longer has lost its client. */
const LOST_MS = 60_000

const slotsOf = semaphoreFor<Secrets>(AT_ONCE, WAITING_MAX, LOST_MS)

type HashPorts = Pick<Ports, 'secrets' | 'clock'>
/** The turn of one slow hash, with the work around it. */
export type HashTurn = {
  readonly run: <Result>(task: (verify: Verify) => Promise<Result>) => Promise<Result>
  readonly leave: () => void
}

type Verify = (password: string, stored: string | null) => Promise<boolean>

/** A self-describing hash of the password: `scrypt$N$r$p$salt$hash`, the last two in base64url.
 * @throws {Refusal} overloaded */
export async function hashPassword({ secrets, clock }: HashPorts, password: string): Promise<string> {
  const salt = secrets.random(SALT_BYTES)
  const hash = await slotsOf(secrets).run(clock, () => secrets.scrypt(normal(password), salt, COST))
  return ['scrypt', COST.n, COST.r, COST.p, base64url(salt), base64url(hash)].join('$')
}

/** Whether the password matches the hash. Takes as long without a hash, so that the time does not reveal which users exist.
 * @throws {Refusal} overloaded */
export function verifyPassword(ports: HashPorts, ...input: Parameters<Verify>): Promise<boolean> {
  return enterTurn(ports).run((verify) => verify(...input))
}

/** A place in the queue for one slow hash; a refused caller has cost nothing yet. The caller must leave the queue at the end.
 * @throws {Refusal} overloaded */
export function enterTurn({ secrets, clock }: HashPorts): HashTurn {
  const { run, leave } = slotsOf(secrets).enter(clock)
  return {
    run: (task) => run(() => task((password, stored) => verifyNow(secrets, password, stored))),
    leave,
  }
}

async function verifyNow(secrets: Secrets, password: string, stored: string | null): Promise<boolean> {
  const parts = stored?.split('$') ?? []
  const [scheme, n, r, p, salt = '', hash = ''] = parts
  if (scheme !== 'scrypt') {
    await secrets.scrypt(normal(password), new Uint8Array(SALT_BYTES), COST)
    return false
  }
  const cost = { n: Number(n), r: Number(r), p: Number(p) }
  return sameText(base64url(await secrets.scrypt(normal(password), fromBase64url(salt), cost)), hash)
}

function normal(password: string): string {
  return password.normalize('NFKC')
}
