import { Refusal } from '../lib/errors.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The response header of an answer that was given before, and is given again. */
export const REPLAYED = { 'idempotency-replayed': 'true' } as const

/** The request's `Idempotency-Key`; null where it has none. @throws {Refusal} bad_request */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || KEY.test(key)) return key
  throw new Refusal('bad_request', 'An Idempotency-Key has 1 to 255 visible ASCII characters.')
}
