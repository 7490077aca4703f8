import { BARE } from '../../src/monitoring/jobs/delivery.ts'
import type { Delivery, Sender } from '../../src/domain/delivery.ts'
import type { Condition, JobRules } from '../../src/domain/job-rules.ts'

/** Where the clocks of tests begin: 2026-03-02T08:00Z. */
export const BEGIN_AT = Date.UTC(2026, 2, 2, 8)
export const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export const ANYBODY: Sender = { userId: 1, anyJob: true }

/** The rules of a new job: any error code is a warning. */
export const FAILED: Condition = {
  key: 'errorCode',
  operator: '<>',
  value: 0,
  repetition: 1,
  predicted: false,
  recovery: null,
}

export function conditionWith(part: Partial<Condition> = {}): Condition {
  return { ...FAILED, key: 'returnValue1', operator: '>', value: 200, ...part }
}

/** A job with a timeout of a minute, two numbers (the second in thousandths) and a string. */
export function rulesWith(part: Partial<JobRules> = {}): JobRules {
  return {
    revision: 1,
    collectorId: 0,
    timeoutMs: MINUTE_MS,
    graceMs: null,
    intervalMs: 0,
    divisors: [1, 1000],
    textCount: 1,
    thresholds: [{ level: 'warning', mode: 'or', conditions: [FAILED] }],
    stopped: false,
    forced: null,
    healsOnData: false,
    retention: { rawMs: 400 * DAY_MS, minutesMs: 800 * DAY_MS, hoursMs: 3_660 * DAY_MS },
    flapping: null,
    ...part,
  }
}

export function deliveryWith(part: Partial<Delivery> = {}): Delivery {
  return { ...BARE, ...part }
}

/** As much as some thousand samples make, so that a test need not wait for more. */
export const SMALL_BLOB_BYTES = 8 * 1024
