import { Refusal } from '../../src/lib/errors.ts'
import type { Code, Fault } from '../../src/lib/errors.ts'

/** An object's answer. Errors lose their fields on the way between objects, so refusals travel as data. */
export type Reply<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false
      readonly code: Code
      readonly detail: string
      readonly errors: readonly Fault[]
      readonly retryAfterS: number
    }

/** A refusal as a reply. */
export function refused({ code, detail, errors, retryAfterS }: Refusal): Reply<never> {
  return { ok: false, code, detail, errors, retryAfterS }
}

/** The value of a reply. @throws {Refusal} the one it carries */
export function valueOf<Value>(reply: Reply<Value>): Value {
  if (reply.ok) return reply.value
  throw new Refusal(reply.code, reply.detail, reply.errors, reply.retryAfterS)
}
