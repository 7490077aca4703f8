import * as fc from 'fast-check'

import type { Delivery } from '../../src/domain/delivery.ts'
import type { Condition, JobRules, Thresholds } from '../../src/domain/job-rules.ts'
import type { State } from '../../src/domain/state.ts'
import { conditionWith, deliveryWith, FAILED, MINUTE_MS, rulesWith } from './rules.ts'

/** The events of a job, with times relative to instants that are known only when they happen. All of them survive JSON. */
export type Act =
  /** `offsetMs` is how far the timestamp lies from the clock; null sends none. */
  | {
      readonly kind: 'deliver'
      readonly afterMs: number
      readonly offsetMs: number | null
      readonly delivery: Delivery
    }
  | { readonly kind: 'wake'; readonly afterMs: number }
  /** Time passes until so much after the deadline, if there is one; then the host wakes. */
  | { readonly kind: 'sleep'; readonly pastMs: number }
  /** Nothing can be received for so long, from so much before now. */
  | { readonly kind: 'ingest gap'; readonly beforeMs: number; readonly forMs: number }
  | { readonly kind: 'configure'; readonly afterMs: number; readonly rules: JobRules }

const FUTURE_MS = 5 * MINUTE_MS
const PAST_MS = 30 * 86_400_000

/** Short spans that meet each other and the timeouts again and again; rarely the clock is set back. */
const afterMs = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1, 499, 500, 1_000, 1_999, 2_000) },
  { weight: 1, arbitrary: fc.constantFrom(-1_700, -5_000, MINUTE_MS) },
)
const offsetMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.constantFrom(0, -1, -500, -1_000, -3_000, 1, 800) },
  { weight: 1, arbitrary: fc.constantFrom(FUTURE_MS, FUTURE_MS + 1, -PAST_MS, -PAST_MS - 1) },
)
const number = fc.constantFrom(0, 1, 2, 3, 1_500, 2_500)
const text = fc.constantFrom('a', 'b', 'ab', '')
const errorCode = fc.constantFrom(0, 0, 1, 5, 7)
const runId = fc.option(fc.constantFrom('x', 'y'))

const values = fc.record(
  { returnValue1: number, returnValue2: number, stringValue1: text },
  { requiredKeys: [], noNullPrototype: true },
)
const undefinedValues = fc.constantFrom({ returnValue3: 1 }, { returnValue1: 1, stringValue2: 'a' })

const delivery: fc.Arbitrary<Delivery> = fc
  .record({
    signal: fc.constantFrom('result', 'result', 'result', 'result', 'result', 'start', 'log'),
    values: fc.oneof({ weight: 20, arbitrary: values }, { weight: 1, arbitrary: undefinedValues }),
    errorCode: fc.option(errorCode),
    message: fc.option(fc.constantFrom('fine', 'slow', 'broken'), { freq: 2 }),
    ttlMs: fc.option(fc.constantFrom(1, 700, 5_000), { freq: 5 }),
    runId,
  })
  // Only results carry values.
  .map((part) => deliveryWith(part.signal === 'result' ? part : { ...part, values: {} }))

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    key: fc.constantFrom('returnValue1', 'returnValue2'),
    operator: fc.constantFrom('>', '>=', '<', '<=', '=', '<>'),
    value: fc.constantFrom(0, 1, 2),
    repetition: fc.integer({ min: 0, max: 3 }),
    predicted: fc.constantFrom(false, false, false, true),
    recovery: fc.option(
      fc.record({ value: fc.constantFrom(0, 1), repetition: fc.integer({ min: 0, max: 2 }) }),
    ),
  }),
  fc.record({
    key: fc.constant('stringValue1'),
    operator: fc.constantFrom('=', '<>', 'contains', 'not_contains', 'starts_with', 'ends_with', 'matches'),
    value: fc.constantFrom('a', 'b', 'a*'),
    repetition: fc.integer({ min: 0, max: 2 }),
    predicted: fc.constant(false),
    recovery: fc.constant(null),
  }),
  fc
    .record({
      operator: fc.constantFrom('<>', '=', '>', '<='),
      value: fc.constantFrom(0, 1, 5, 6),
      repetition: fc.integer({ min: 0, max: 3 }),
      predicted: fc.constantFrom(false, false, false, true),
      recovery: fc.option(
        fc.record({ value: fc.constantFrom(0, 5), repetition: fc.integer({ min: 0, max: 2 }) }),
        { freq: 2 },
      ),
    })
    .map((part): Condition => ({ ...FAILED, ...part })),
  fc.constant(conditionWith({ value: 2 })),
)

const thresholds: fc.Arbitrary<Thresholds> = fc
  .record(
    {
      major: fc.array(condition, { minLength: 1, maxLength: 3 }),
      minor: fc.array(condition, { minLength: 1, maxLength: 2 }),
      warning: fc.array(condition, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  .chain((levels) =>
    fc
      .tuple(fc.constantFrom('or', 'and'), fc.constantFrom('or', 'and'), fc.constantFrom('or', 'and'))
      .map((modes) =>
        (['major', 'minor', 'warning'] as const).flatMap((level, index) => {
          const conditions = levels[level]
          return conditions ? [{ level, mode: modes[index] ?? 'or', conditions }] : []
        }),
      ),
  )

/** Rules of a job with two numbers and a string. */
const rules: fc.Arbitrary<JobRules> = fc
  .record({
    revision: fc.constant(0),
    collectorId: fc.constantFrom(0, 7),
    timeoutMs: fc.option(fc.constantFrom(1_000, 2_000, 3_000), { freq: 5 }),
    graceMs: fc.option(fc.constantFrom(500, 1_500), { freq: 2 }),
    intervalMs: fc.constantFrom(0, 0, 1_000),
    healsOnData: fc.boolean(),
    divisors: fc.constantFrom([1, 1], [1, 1_000]),
    thresholds,
    stopped: fc.constantFrom(false, false, false, false, true),
    forced: fc.option(fc.constantFrom<State>('major', 'ok', 'maintenance_minor'), { freq: 1 }),
    flapping: fc.option(
      fc.constantFrom({ startPercent: 30, endPercent: 25 }, { startPercent: 10, endPercent: 10 }),
    ),
  })
  .map((part) => rulesWith(part))

const deliver = fc.record({ kind: fc.constant('deliver' as const), afterMs, offsetMs, delivery })
const wake = fc.record({ kind: fc.constant('wake' as const), afterMs })
const sleep = fc.record({
  kind: fc.constant('sleep' as const),
  pastMs: fc.constantFrom(-1, 0, 0, 1, 400, 6_000),
})
const ingestGap = fc.record({
  kind: fc.constant('ingest gap' as const),
  beforeMs: fc.constantFrom(0, 0, 300, 2_000),
  forMs: fc.constantFrom(1, 500, 1_000, 4_000, 100_000),
})

/** Changes of some rules, mostly of few of them, mostly of a later revision. */
function changes(first: JobRules): fc.Arbitrary<Act> {
  const kept = fc.subarray(Object.keys(first).filter((key) => key !== 'revision'))
  return fc
    .tuple(rules, kept, fc.constantFrom(1, 1, 1, 1, 0, -1), afterMs)
    .map(([changed, keys, revision, after]) => {
      const same = Object.fromEntries(keys.map((key) => [key, first[key as keyof JobRules]]))
      return { kind: 'configure', afterMs: after, rules: { ...changed, ...same, revision } }
    })
}

/** The rules a job begins with and what happens to it. The revisions of later rules are relative to the newest. */
export function histories(
  maxLength: number,
): fc.Arbitrary<{ readonly rules: JobRules; readonly acts: readonly Act[] }> {
  return rules
    .map((first) => ({ ...first, revision: 10 }))
    .chain((first) =>
      fc.record({
        rules: fc.constant(first),
        acts: fc.array(
          fc.oneof(
            { weight: 12, arbitrary: deliver },
            { weight: 3, arbitrary: wake },
            { weight: 4, arbitrary: sleep },
            { weight: 2, arbitrary: ingestGap },
            { weight: 2, arbitrary: changes(first) },
          ),
          { maxLength, size: 'max' },
        ),
      }),
    )
}

/** The delivery of an act at the time at which it happens. */
export type Happening =
  | { readonly kind: 'deliver'; readonly now: number; readonly delivery: Delivery }
  | { readonly kind: 'wake'; readonly now: number }
  | { readonly kind: 'ingest gap'; readonly now: number; readonly fromAt: number }
  | { readonly kind: 'configure'; readonly now: number; readonly rules: JobRules }

/** Puts an act on the clock. */
export function happen(
  act: Act,
  { now, deadlineAt, revision }: { now: number; deadlineAt: number | null; revision: number },
): Happening {
  switch (act.kind) {
    case 'deliver': {
      const at = now + act.afterMs
      const timestampAt = act.offsetMs === null ? null : at + act.offsetMs
      return { kind: 'deliver', now: at, delivery: { ...act.delivery, timestampAt } }
    }
    case 'wake':
      return { kind: 'wake', now: now + act.afterMs }
    case 'sleep':
      return { kind: 'wake', now: Math.max(now, deadlineAt === null ? now : deadlineAt + act.pastMs) }
    case 'ingest gap':
      return { kind: 'ingest gap', now: now + act.forMs, fromAt: now - act.beforeMs }
    case 'configure':
      return {
        kind: 'configure',
        now: now + act.afterMs,
        rules: { ...act.rules, revision: revision + act.rules.revision },
      }
  }
}
