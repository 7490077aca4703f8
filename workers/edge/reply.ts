import { Refusal, refusalIn } from '../../src/lib/errors.ts'
import type { Code, Fault } from '../../src/lib/errors.ts'

/** An object's answer. Errors lose their fields on the way between objects, so refusals travel as data. */
export type Reply<Value> = { readonly ok: true; readonly value: Value } | RefusalReply

type RefusalReply = {
  readonly ok: false
  readonly code: Code
  readonly detail: string
  readonly errors: readonly Fault[]
  readonly retryAfterS: number
}

/** A refusal as a reply. */
export function refused({ code, detail, errors, retryAfterS }: Refusal): RefusalReply {
  return { ok: false, code, detail, errors, retryAfterS }
}

/** The outcome of some work as a reply. @throws every error that is not a refusal and has no refusal for a cause */
export async function replyOf<Value>(work: () => Promise<Value>): Promise<Reply<Value>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) return refused(refusal)
    throw error
  }
}

/** The value of a reply, or its refusal. */
export function outcomeOf<Value>(reply: Reply<Value>): Value | Refusal {
  return reply.ok ? reply.value : refusalOf(reply)
}

/** The value of a reply. @throws {Refusal} the refusal of the reply */
export function valueOf<Value>(reply: Reply<Value>): Value {
  if (reply.ok) return reply.value
  throw refusalOf(reply)
}

function refusalOf({ code, detail, errors, retryAfterS }: RefusalReply): Refusal {
  return new Refusal(code, detail, errors, retryAfterS)
}
