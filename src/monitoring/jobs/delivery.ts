import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import type { Delivery, Rules, Sender, Value } from '../../ports/job-actors.ts'

const NUMBER = 'returnValue'
const TEXT = 'stringValue'

/** How far ahead of, and behind, the service's clock a delivery may be dated. */
const FUTURE_MAX_MS = 5 * 60_000
const PAST_MAX_MS = 30 * 86_400_000

/** Whether this sender may deliver to the job at all.
 * @throws {Refusal} forbidden */
export function checkSender(rules: Rules, sender: Sender): void {
  if (sender.anyJob || rules.collectorId === 0 || rules.collectorId === sender.userId) return
  throw new Refusal('forbidden', 'This job takes deliveries from another collector.')
}

/** Whether all values are defined on the job.
 * @throws {Refusal} value_not_defined, pointing at each that is not */
export function checkDefined(rules: Rules, delivery: Delivery): void {
  const faults: Fault[] = []
  for (const key in delivery.values) {
    if (!isDefined(rules, key)) faults.push({ pointer: `/${key}`, message: 'is not defined on the job' })
  }
  if (faults.length > 0) throw new Refusal('value_not_defined', 'Define the values on the job first.', faults)
}

function isDefined({ divisors, textCount }: Rules, key: string): boolean {
  if (key.startsWith(NUMBER)) return Number(key.slice(NUMBER.length)) <= divisors.length
  return Number(key.slice(TEXT.length)) <= textCount
}

/** Whether the delivery's timestamp, if any, is within the accepted span around `now`.
 * @throws {Refusal} value_in_future, value_too_old */
export function checkDated(delivery: Delivery, now: number): void {
  const at = delivery.timestampAt
  if (at === null) return
  const fault = [{ pointer: '/timestamp', message: 'is outside the accepted span' }]
  if (at > now + FUTURE_MAX_MS) {
    throw new Refusal('value_in_future', 'The timestamp is more than 5 minutes in the future.', fault)
  }
  if (at < now - PAST_MAX_MS)
    throw new Refusal('value_too_old', 'The timestamp is older than 30 days.', fault)
}

/** A raw value as its user sees it: numbers divided by the value's divisor. */
export function userValue(rules: Rules, key: string, raw: Value): Value {
  if (typeof raw === 'string' || !key.startsWith(NUMBER)) return raw
  return raw / (rules.divisors[Number(key.slice(NUMBER.length)) - 1] ?? 1)
}
