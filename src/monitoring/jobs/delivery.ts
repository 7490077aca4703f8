import { Refusal } from '../../lib/errors.ts'
import { divisorOf, isDefined } from '../job-config/value-keys.ts'
import type { Delivery, RefusedSample, SampleSeries, Sender, Value } from '../../domain/delivery.ts'
import type { JobRules } from '../../domain/job-rules.ts'

/** A result without values. */
export const BARE: Delivery = {
  signal: 'result',
  values: {},
  errorCode: null,
  timestampAt: null,
  message: null,
  ttlMs: null,
  runId: null,
}

/** The key of a result's only value, if the result has nothing else but an instant and an error code; else null. */
export function loneKeyOf({ signal, values, message, ttlMs, runId }: Delivery): string | null {
  if (signal !== 'result' || message !== null || ttlMs !== null || runId !== null) return null
  let only: string | null = null
  for (const key in values) {
    if (only !== null) return null
    only = key
  }
  return only
}

/** How far a timestamp may be ahead of or behind the service's clock. */
const FUTURE_MAX_MS = 5 * 60_000
const PAST_MAX_MS = 30 * 86_400_000

/** Whether this sender may deliver to the job. */
export function maySend({ collectorId }: Pick<JobRules, 'collectorId'>, sender: Sender): boolean {
  return sender.anyJob || collectorId === 0 || collectorId === sender.userId
}

/** @throws {Refusal} forbidden */
export function checkSender(job: Pick<JobRules, 'collectorId'>, sender: Sender): void {
  if (maySend(job, sender)) return
  throw new Refusal('forbidden', 'The job accepts deliveries from another collector only.')
}

/** Checks that the job accepts values. @throws {Refusal} job_stopped */
export function checkStarted(rules: JobRules): void {
  if (rules.stopped)
    throw new Refusal('job_stopped', 'The job is stopped and accepts no values until it is started.')
}

/** Checks that the job defines all values, and that each stays a number when it is divided by its divisor.
 * @throws {Refusal} value_not_defined, value_out_of_range, with a pointer to each value */
export function checkValues(rules: JobRules, { values }: Delivery): void {
  const undefinedAt: string[] = []
  const beyondAt: string[] = []
  for (const key in values) {
    if (!isDefined(rules, key)) undefinedAt.push(`/${key}`)
    else if (!isInRange(rules, key, values[key] ?? 0)) beyondAt.push(`/${key}`)
  }
  if (undefinedAt.length > 0) throw notDefined(undefinedAt)
  if (beyondAt.length > 0) throw refusalAs('value_out_of_range', beyondAt)
}

/** Whether the user value is a finite number: a divisor below 1 can exceed the range of a double. */
function isInRange(rules: JobRules, key: string, raw: Value): boolean {
  return typeof raw === 'string' || Number.isFinite(raw / divisorOf(rules, key))
}

/** Checks that the job defines the value of a series. @throws {Refusal} value_not_defined */
export function checkRunDefined(rules: JobRules, run: SampleSeries): void {
  if (!isDefined(rules, run.key)) throw notDefined(['/key'])
}

function notDefined(pointers: readonly string[]): Refusal {
  const faults = pointers.map((pointer) => ({ pointer, message: 'is not defined on the job' }))
  return new Refusal(
    'value_not_defined',
    'The job does not define these values; see errors. Define them on the job first.',
    faults,
  )
}

/** Checks that the timestamp, if any, is within the accepted span around `now`.
 * @throws {Refusal} value_in_future, value_too_old */
export function checkDated(delivery: Delivery, now: number): void {
  if (delivery.timestampAt === null) return
  const fault = misdated(delivery.timestampAt, now)
  if (fault !== null) throw refusalAs(fault, ['/timestamp'])
}

/** The samples of a series that the job accepts at `now`, and those that it rejects.
 * @throws {Refusal} value_in_future, value_too_old, value_out_of_range when it accepts none: the refusal of the
 * first */
export function acceptablePart(
  rules: JobRules,
  run: SampleSeries,
  now: number,
): { readonly run: SampleSeries; readonly refused: readonly RefusedSample[] } {
  const { key, at, values } = run
  const refused: { index: number; code: Unacceptable }[] = []
  for (let index = 0; index < at.length; index++) {
    const code = misdated(at[index] ?? 0, now) ?? (isInRange(rules, key, values[index] ?? 0) ? null : BEYOND)
    if (code !== null) refused.push({ index, code })
  }
  const [first] = refused
  if (!first) return { run, refused }
  if (refused.length === at.length) {
    const columnOf = (code: Unacceptable) => (code === BEYOND ? 'values' : 'timestamps')
    throw refusalAs(
      first.code,
      refused.map(({ index, code }) => `/${columnOf(code)}/${index}`),
    )
  }
  const gone = new Set(refused.map(({ index }) => index))
  const kept = (_: unknown, index: number) => !gone.has(index)
  return { run: { key, at: at.filter(kept), values: values.filter(kept) }, refused }
}

const BEYOND = 'value_out_of_range'
type Misdated = 'value_in_future' | 'value_too_old'
type Unacceptable = Misdated | typeof BEYOND

/** The fault of an instant relative to `now`; null if it is acceptable. */
export function misdated(at: number, now: number): Misdated | null {
  if (at > now + FUTURE_MAX_MS) return 'value_in_future'
  return at < now - PAST_MAX_MS ? 'value_too_old' : null
}

const DETAILS: Readonly<Record<Unacceptable, string>> = {
  value_in_future: 'The timestamp is more than 5 minutes in the future.',
  value_too_old: 'The timestamp is older than 30 days.',
  value_out_of_range: 'Divided by its divisor, the value is beyond the range of a double.',
}

function refusalAs(code: Unacceptable, pointers: readonly string[]): Refusal {
  const message = code === BEYOND ? 'is too large for its divisor' : 'is outside the accepted span'
  return new Refusal(
    code,
    DETAILS[code],
    pointers.map((pointer) => ({ pointer, message })),
  )
}
