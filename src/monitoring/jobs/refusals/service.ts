import type { Caller, Context } from '../../../context.ts'
import type { DeliverySender, RefusedDelivery } from '../../../domain/refused-delivery.ts'
import { isOurFault, statusOf } from '../../../http/problem.ts'
import { refusalIn } from '../../../lib/errors.ts'
import type { Refusal } from '../../../lib/errors.ts'
import { cutText, storable } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import { TokenBucket } from '../../../lib/token-bucket.ts'
import type { Ports } from '../../../ports/index.ts'
import { requireObject } from '../../tree/service.ts'
import { excerptOf, owned } from './excerpt.ts'
import type { RefusalView } from './schema.ts'

/** Refusals of one request that are recorded. */
export const RECORDED_PER_REQUEST_MAX = 50

/** Refusals of strangers that a process or isolate records, over all jobs. */
const STRANGERS = { burst: 20, perSecond: 1 }
const STRANGER_STATUSES: ReadonlySet<number> = new Set([401, 403, 404])

const ERRORS_MAX = 10
const TEXT_MAX = 300

const strangers = new WeakMap<Ports, TokenBucket>()

/** A request that delivers; absent parts are not known. */
export type Attempt = {
  readonly ports: Ports
  readonly request?: Request | undefined
  readonly caller?: Caller | undefined
  readonly pingName?: string | undefined
}

/** Records a refused delivery to a job. Leaves out refusals through a fault of the service, and refusals of strangers that come faster
 * than one a second.
 * @param input the parsed body or item; undefined if it was not read */
export function recordRefusal(attempt: Attempt, jobId: number, refusal: Refusal, input: unknown): void {
  const { ports } = attempt
  const { code, detail, errors } = refusal
  if (isOurFault(code)) return
  const at = ports.clock.now()
  const isStranger = STRANGER_STATUSES.has(statusOf(code))
  if (isStranger && !bucketOf(ports).take(at)) return
  ports.refusedDeliveries.record(jobId, {
    at,
    code,
    detail: bounded(detail),
    errors: errors
      .slice(0, ERRORS_MAX)
      .map(({ pointer, message }) => ({ pointer: bounded(pointer), message: bounded(message) })),
    sender: senderOf(attempt),
    excerpt: excerptOf(input),
    isStranger,
  })
}

/** Records a failed delivery to a job if it was refused; waits for the body, which was read before. */
export async function recordFailure(
  attempt: Attempt,
  jobId: number,
  { error, input }: { readonly error: unknown; readonly input: Promise<unknown> | null },
): Promise<void> {
  const body = await input?.catch(() => undefined)
  const refusal = refusalIn(error)
  if (refusal) recordRefusal(attempt, jobId, refusal, body)
}

/** The latest refused deliveries of a job, latest first. The network address and the user agent of senders are for callers that may
 * write the job. @throws {Refusal} not_found */
export async function listRefusals(context: Context, jobId: number): Promise<RefusalView[]> {
  const { ports } = context
  const { permissions } = await requireObject(context, jobId, { type: 'job', right: 'read' })
  const format = timeFormat(ports.settings.timeZone)
  const refused = await ports.refusedDeliveries.list(jobId)
  return refused.map((one) => viewOf(one, format(one.at), permissions.write))
}

function viewOf(
  { code, detail, errors, sender, excerpt }: RefusedDelivery,
  at: string,
  maySeeAddress: boolean,
): RefusalView {
  const hidden = maySeeAddress ? {} : { address: null, agent: null }
  return { at, code, detail, errors: [...errors], sender: { ...sender, ...hidden }, excerpt }
}

function senderOf({ ports, request, caller, pingName }: Attempt): DeliverySender {
  const where = {
    address: request ? boundedOrNull(ports.network.addressOf(request)) : null,
    agent: boundedOrNull(request?.headers.get('user-agent')),
  }
  if (caller?.kind !== 'user') return { userId: null, username: null, tokenName: pingName ?? null, ...where }
  const { userId, username, tokenName = null } = caller
  return { userId, username, tokenName, ...where }
}

function boundedOrNull(text: string | null | undefined): string | null {
  return text ? bounded(text) : null
}

function bounded(text: string): string {
  return owned(cutText(storable(text), TEXT_MAX))
}

function bucketOf(ports: Ports): TokenBucket {
  let bucket = strangers.get(ports)
  if (!bucket) strangers.set(ports, (bucket = new TokenBucket(STRANGERS)))
  return bucket
}
