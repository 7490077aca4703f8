import { refusalIn } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Letter } from '../../../ports/mail.ts'
import type { Target } from '../recipients/target.ts'
import { textOf } from '../texts/message.ts'
import { callOf } from './calls.ts'
import type { HttpTarget } from './calls.ts'
import { failed } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import type { Notification } from './notification.ts'
import { beginningOf, inTime } from './answers.ts'
import { outcomeOf, outcomeOfMail, retryAfterOf } from './replies.ts'
import { ordered } from './service/script-runs.ts'

/** The final target of a notification: a script, mail addresses, or an HTTP endpoint. */
export type Destination = Exclude<Target, { type: 'user' | 'group' }>

const TOO_LATE = 'The receiver did not answer in time.'
/** One text for all hosts, because some give no cause. */
const UNREACHABLE =
  'The receiver could not be reached: check the host and port of its URL, its certificate, and that it accepts connections from here.'

/** Sends a notification once and returns the outcome; never throws for an error of the receiver. */
export async function sendTo(ports: Ports, to: Destination, notification: Notification): Promise<Outcome> {
  const signal = AbortSignal.timeout(ports.settings.notificationTimeoutMs)
  if (to.type !== 'script' && to.type !== 'email') return called(ports, to, notification, signal)
  const sending =
    to.type === 'script' ? ordered(ports, to, notification) : mailed(ports, to, notification, signal)
  return (await inTime(signal, sending)) ?? failed(TOO_LATE)
}

async function mailed(
  { mail }: Ports,
  { addresses }: Extract<Target, { type: 'email' }>,
  { key, items, manner }: Notification,
  signal: AbortSignal,
): Promise<Outcome> {
  const { subject, lines } = textOf(items, manner)
  const letter = { to: addresses, subject, text: `${lines.join('\n\n')}\n`, id: key }
  return outcomeOfMail(await mail.send(letter, signal))
}

/** Sends a mail once and returns the outcome; never throws for an error of the server. */
export async function sendLetter({ mail, settings }: Ports, letter: Letter): Promise<Outcome> {
  const signal = AbortSignal.timeout(settings.notificationTimeoutMs)
  const reply = await inTime(signal, mail.send(letter, signal))
  return reply ? outcomeOfMail(reply) : failed(TOO_LATE)
}

async function called(
  { network, clock, log }: Ports,
  target: HttpTarget,
  notification: Notification,
  signal: AbortSignal,
): Promise<Outcome> {
  const { url, headers, body } = callOf(target, notification, clock.now())
  try {
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const response = await inTime(signal, network.fetchOutside(request))
    if (!response) return failed(TOO_LATE)
    const { status } = response
    const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), clock.now())
    return outcomeOf(target.type, { status, retryAfterMs, ...(await beginningOf(response, signal)) })
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal?.code === 'forbidden') return failed(refusal.detail, { isFinal: true })
    // The error text of a host may contain the URL, which is a secret.
    log.warn('notifications: a receiver could not be reached; check its URL and the network', {
      host: new URL(url).host,
      cause: nameOf(error),
    })
    return failed(UNREACHABLE)
  }
}

function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}
