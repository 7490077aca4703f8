import { Refusal } from '../lib/errors.ts'
import type { JsonAnswer } from './fast-path/json-answer.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The response header of an answer that was given before, and is given again. */
export const REPLAYED = { 'idempotency-replayed': 'true' } as const

/** An answer as JSON text, and whether it was given before. */
export type Repeatable = { readonly text: string; readonly isReplayed: boolean }

/** An answer with the header field that says when it is given again. */
export function showRepeatable({ text, isReplayed }: Repeatable): JsonAnswer {
  return { json: text, headers: isReplayed ? REPLAYED : {} }
}

/** The request's `Idempotency-Key`; null where it has none. @throws {Refusal} bad_request */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || KEY.test(key)) return key
  throw new Refusal('bad_request', 'Idempotency-Key must have 1 to 255 visible ASCII characters.')
}
