import type { MailReply } from '../../../ports/mail.ts'
import type { TargetType } from '../recipients/target.ts'
import { failed, sent } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import type { Reply } from './notification.ts'

/** Statuses that reject the message for good; all others may pass with time. */
const FINAL = new Set([400, 410, 413, 414, 415, 422])
/** Replies of a mail server about an address or a mail, not about the server or its client (RFC 5321 section 4.2.3). */
const FINAL_MAIL = new Set([501, 550, 551, 552, 553, 554])

/** The outcome of a receiver's answer. Some receivers answer 200 and report the failure in the body, which is checked
 * if the whole body has arrived. */
export function outcomeOf(type: TargetType, { status, body, isWhole, retryAfterMs }: Reply): Outcome {
  if (status >= 200 && status < 300) {
    const failure = isWhole ? FAILURES_IN_BODY[type]?.(body) : null
    return failure ?? sent(`The receiver answered ${status}.`)
  }
  if (status >= 300 && status < 400)
    return failed(`The receiver answered ${status}: redirects are not followed.`)
  return failed(`The receiver answered ${status}: ${body}`, { isFinal: FINAL.has(status), retryAfterMs })
}

/** The outcome of a mail server's reply. */
export function outcomeOfMail({ code, text }: MailReply): Outcome {
  return code === 250 ? sent(text) : failed(text, { isFinal: FINAL_MAIL.has(code) })
}

/** The failure that the body of a good status names; else null. */
const FAILURES_IN_BODY: Partial<Record<TargetType, (body: string) => Outcome | null>> = {
  // A workflow answers with an empty body, older connectors with 1; failures behind either are reported in words.
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

/** The delay of a `Retry-After` header, ms; null without a valid one (RFC 9110 section 10.2.3). */
export function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
