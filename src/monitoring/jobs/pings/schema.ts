import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { Refusal } from '../../../lib/errors.ts'
import { startOf } from '../../../lib/text.ts'
import { parseInstant } from '../../../lib/time.ts'
import { positiveDuration } from '../../job-config/schema.ts'
import { deliveryBody, instant, runIdText, TEXT_MAX, valueFault } from '../schema.ts'
import type { DeliveryBody } from '../schema.ts'

export const pingBody = z
  .strictObject({
    name: storableText.min(1).max(255),
    expiresAt: instant.nullable().default(null).describe('When the token expires; null for never.'),
  })
  .meta({ id: 'NewPing' })

const view = {
  id: z.int(),
  name: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
}

export const pingView = z.object(view).meta({ id: 'Ping' })

export const newPingView = z
  .object({
    ...view,
    token: z.string().describe('The secret part of the URL; shown only in this answer.'),
    url: z
      .string()
      .describe('The URL to ping. Append /start, /fail, /log or an exit status to report more than success.'),
    path: z.string().describe('The URL without scheme and host.'),
  })
  .meta({ id: 'CreatedPing' })

export type PingBody = z.infer<typeof pingBody>

const token = z.string().regex(/^[\w-]{43}$/)

export const pingPath = z.object({ token })

export const pingSignalPath = z.object({
  token,
  signal: z.string().meta({
    description:
      'start, fail, log, or an exit status from 0 to 255; an empty text counts as 0. A trailing slash is allowed.',
  }),
})

const SIGNAL = /^(?:start|fail|log|\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])?$/

/** The signal at the end of a path. @throws {Refusal} not_found, with the signals that are allowed */
export function signalOf(path: string): string {
  const signal = path.replace(/\/$/, '')
  if (SIGNAL.test(signal)) return signal === '' ? '0' : signal
  const allowed =
    'A ping URL must end with its token, or with /start, /fail, /log or an exit status from /0 to /255.'
  throw new Refusal('not_found', `${allowed} Send the signal again with one of these.`)
}

/** The query of a ping: values, run and time to live; all of it fits a URL. Unknown parameters are ignored, because
 * senders and proxies add their own. */
export const pingQuery = z
  .object({
    runId: runIdText.optional(),
    rid: runIdText.optional().describe('Another name for runId.'),
    ttl: positiveDuration.optional(),
  })
  .catchall(z.unknown())
  .superRefine((query, issues) => {
    for (const key in query) {
      if (KNOWN.has(key) || !isOurs(key)) continue
      const fault = valueFault(key, valueOf(key, query[key]), false)
      if (fault !== null) issues.addIssue({ code: 'custom', path: [key], message: fault })
    }
  })
  .meta({ description: 'Values are sent as returnValue1, stringValue1 and so on.' })

const KNOWN = new Set(['runId', 'rid', 'ttl'])

export type PingQuery = z.infer<typeof pingQuery>

const SIGNALS: Readonly<Record<string, object>> = {
  start: { signal: 'start' },
  log: { signal: 'log' },
  fail: { errorCode: 1 },
}

/** The body of a delivery from a ping. @throws {Refusal} invalid when values come with a start or a log line */
export function bodyOfPing(signal: string, query: PingQuery, text: string): DeliveryBody {
  const { runId, rid, ttl, ...others } = query
  const values = Object.entries(others).filter(([key]) => isOurs(key))
  const message = startOf(text.trim(), TEXT_MAX)
  const result = deliveryBody.safeParse({
    ...(SIGNALS[signal] ?? { errorCode: Number(signal) }),
    ...Object.fromEntries(values.map(([key, value]) => [key, valueOf(key, value)])),
    runId: runId ?? rid,
    ttl,
    message: message === '' ? undefined : message,
  })
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, message: words }) => ({
    pointer: `?${path.join('/')}`,
    message: words,
  }))
  throw new Refusal('invalid', 'The query is invalid; see errors.', faults)
}

/** Epoch ms of a validated instant. */
export function instantOf(text: string | null): number | null {
  return text === null ? null : parseInstant(text)
}

/** Whether a parameter is meant for the job: a value, or a delivery field that a ping URL does not accept. */
function isOurs(key: string): boolean {
  return /^(?:(?:returnValue|stringValue).*|errorCode|timestamp|message|signal)$/.test(key)
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A number in JSON's notation; any other text stays a text and is rejected as one. */
function valueOf(key: string, given: unknown): unknown {
  if (typeof given !== 'string' || !key.startsWith('returnValue') || !NUMBER.test(given)) return given
  const number = Number(given)
  return Number.isFinite(number) ? number : given
}
