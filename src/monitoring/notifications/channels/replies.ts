import type { MailReply } from '../../../ports/mail.ts'
import type { TargetType } from '../recipients/target.ts'
import { failed, sent } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import type { Reply } from './notification.ts'

/** What is said of the message itself, or that nobody will ever take any: everything else may be set right in time. */
const FINAL = new Set([400, 410, 413, 414, 415, 422])
/** What a mail server says of an address or a mail, and not of itself or of us (RFC 5321 section 4.2.3). */
const FINAL_MAIL = new Set([501, 550, 551, 552, 553, 554])

/** What a receiver's answer means. A good status is not believed where the receiver is known to say in the body that it
 * has failed, as long as all of the body has come. */
export function outcomeOf(type: TargetType, { status, body, isWhole, retryAfterMs }: Reply): Outcome {
  if (status >= 200 && status < 300) {
    const lie = isWhole ? LIES[type]?.(body) : null
    return lie ?? sent(`The receiver answered ${status}.`)
  }
  if (status >= 300 && status < 400)
    return failed(`The receiver answered ${status}: redirects are not followed.`)
  return failed(`The receiver answered ${status}: ${body}`, { isFinal: FINAL.has(status), retryAfterMs })
}

/** What a mail server's reply means. */
export function outcomeOfMail({ code, text }: MailReply): Outcome {
  return code === 250 ? sent(text) : failed(text, { isFinal: FINAL_MAIL.has(code) })
}

/** What a good status hides; null where it is true. */
const LIES: Partial<Record<TargetType, (body: string) => Outcome | null>> = {
  // A workflow answers nothing, older connectors 1; what goes wrong behind either is told in words.
  teams: (body) => (/\b(?:error|failed)\b/i.test(body) ? failed(`The receiver answered: ${body}`) : null),
  telegram(body) {
    const answer = fieldsOf(body)
    if (answer['ok'] === true) return null
    const parameters = answer['parameters'] as { retry_after?: unknown } | undefined
    const retryAfterS = Number(parameters?.retry_after)
    return failed(`The receiver answered: ${body}`, {
      isFinal: FINAL.has(Number(answer['error_code'])),
      retryAfterMs: Number.isFinite(retryAfterS) ? retryAfterS * 1_000 : null,
    })
  },
  ntfy: (body) =>
    typeof fieldsOf(body)['id'] === 'string' ? null : failed(`The receiver answered: ${body}`),
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** How long a `Retry-After` asks to wait, ms; null for none that can be read (RFC 9110 section 10.2.3). */
export function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
