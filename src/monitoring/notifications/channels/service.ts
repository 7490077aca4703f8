import { readBytes } from '../../../http/bytes.ts'
import { refusalIn } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Target } from '../recipients/target.ts'
import { textOf } from '../texts/message.ts'
import { callOf } from './calls.ts'
import type { HttpTarget } from './calls.ts'
import { failed } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import type { Parcel } from './parcel.ts'
import { outcomeOf, outcomeOfMail, retryAfterOf } from './replies.ts'
import { ordered } from './service/ordering.ts'

/** What is read of an answer: enough to see what it says. */
const ANSWER_MAX_BYTES = 16 * 1024

/** Where a parcel goes in the end: a script, addresses, or a target that is reached over HTTP. */
export type Destination = Exclude<Target, { type: 'user' | 'group' }>

/** Tells a parcel once, and says what became of it; never throws for what a receiver does. */
export async function tell(ports: Ports, to: Destination, parcel: Parcel): Promise<Outcome> {
  // Also for what a host does after it was told to stop.
  const signal = AbortSignal.timeout(ports.settings.notificationTimeoutMs)
  const late = new Promise<Outcome>((resolve) => {
    signal.addEventListener('abort', () => resolve(failed('It took too long to answer.')), { once: true })
  })
  return Promise.race([toldBy(ports, to, parcel, signal), late])
}

function toldBy(ports: Ports, to: Destination, parcel: Parcel, signal: AbortSignal): Promise<Outcome> {
  if (to.type === 'script') return ordered(ports, to, parcel)
  if (to.type === 'email') return mailed(ports, to, parcel, signal)
  return called(ports, to, parcel, signal)
}

async function mailed(
  { mail }: Ports,
  { addresses }: Extract<Target, { type: 'email' }>,
  { key, told, manner }: Parcel,
  signal: AbortSignal,
): Promise<Outcome> {
  const { subject, lines } = textOf(told, manner)
  const letter = { to: addresses, subject, text: `${lines.join('\n\n')}\n`, id: key }
  return outcomeOfMail(await mail.send(letter, signal))
}

async function called(
  { network, clock }: Ports,
  target: HttpTarget,
  parcel: Parcel,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { url, headers, body } = callOf(target, parcel, clock.now())
    const response = await network.fetchOutside(
      new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
    )
    const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), clock.now())
    const text = new TextDecoder().decode(await readBytes(response, ANSWER_MAX_BYTES))
    return outcomeOf(target.type, { status: response.status, body: text, retryAfterMs })
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal?.code === 'forbidden') return failed(refusal.detail, { isFinal: true })
    if (refusal) return failed('Its answer is too long.')
    // The words of a host may have the URL in them, which is a secret.
    return failed(`It could not be reached (${nameOf(error)}).`)
  }
}

function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}
