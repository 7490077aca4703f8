import { foldCase } from '../../../lib/text.ts'
import { matchesWildcard } from '../../../lib/wildcard.ts'
import type { Value } from '../../../domain/delivery.ts'
import type { Snapshot } from '../../../domain/snapshot.ts'
import { divisorsOf } from '../../job-config/rules.ts'
import type { Parameters } from '../../job-config/schema.ts'
import { userValue } from '../../job-config/value-keys.ts'
import type { TextMatch, ValueTest } from './filter.ts'
import type { Relation } from './items.ts'

/** Whether a job meets a condition on a current value. A comparison needs a value, also when negated. */
export function valueHolds(
  { test, negated }: { test: ValueTest; negated: boolean },
  job: { parameters: Parameters; current: Snapshot['current'] },
): boolean {
  const rules = { divisors: divisorsOf(job.parameters) }
  const values = keysOf(test.value, job.parameters).flatMap((key) => {
    const raw = job.current[key]?.value
    return raw === undefined ? [] : [test.isRaw ? raw : userValue(rules, key, raw)]
  })
  if (test.match.by === 'defined') return values.length > 0 !== negated
  return values.some((value) => fits(value, test.match) !== negated)
}

/** The keys of values with this key or name. */
function keysOf(value: string, { returnValue, stringValue }: Parameters): string[] {
  const name = foldCase(value)
  const named = (prefix: string) => (defined: { valueName: string }, index: number) => {
    const key = `${prefix}${index + 1}`
    return key === value || foldCase(defined.valueName) === name ? [key] : []
  }
  return [...returnValue.flatMap(named('returnValue')), ...stringValue.flatMap(named('stringValue'))]
}

function fits(value: Value, match: ValueTest['match']): boolean {
  if (match.by !== 'relation') return textFits(String(value), match)
  // A number is compared with numbers only, a text with the limit as it was written.
  if (typeof value === 'number')
    return typeof match.value === 'number' && related(match.relation, value, match.value)
  return related(match.relation, value, String(match.value))
}

function related<T extends Value>(relation: Relation, value: T, limit: T): boolean {
  switch (relation) {
    case 'eq':
      return value === limit
    case 'ne':
      return value !== limit
    case 'ge':
      return value >= limit
    case 'gt':
      return value > limit
    case 'le':
      return value <= limit
    case 'lt':
      return value < limit
  }
}

function textFits(value: string, match: TextMatch): boolean {
  switch (match.by) {
    case 'defined':
      return true
    case 'eq':
      return value === match.text
    case 'starts_with':
      return value.startsWith(match.text)
    case 'ends_with':
      return value.endsWith(match.text)
    case 'contains':
      return value.includes(match.text)
    case 'matches':
      return matchesWildcard(value, match.text)
  }
}
