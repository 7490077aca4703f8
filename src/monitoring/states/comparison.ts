import type { Value } from '../../domain/delivery.ts'
import type { Operator } from '../../domain/job-rules.ts'
import { matchesWildcard } from '../../lib/wildcard.ts'

export const NUMBER_OPERATORS = ['>', '>=', '<', '<=', '=', '<>'] as const satisfies readonly Operator[]
export const TEXT_OPERATORS = [
  '=',
  '<>',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'not_matches',
] as const satisfies readonly Operator[]

/** Whether the value has the operator's relation to the limit. Numbers match only numbers, texts only texts. */
export function compare(operator: Operator, value: Value, limit: Value): boolean {
  if (typeof value === 'number') return typeof limit === 'number' && compareNumbers(operator, value, limit)
  return typeof limit === 'string' && compareTexts(operator, value, limit)
}

function compareNumbers(operator: Operator, value: number, limit: number): boolean {
  switch (operator) {
    case '>':
      return value > limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '=':
      return value === limit
    case '<>':
      return value !== limit
    default:
      return false
  }
}

function compareTexts(operator: Operator, value: string, limit: string): boolean {
  switch (operator) {
    case '=':
      return value === limit
    case '<>':
      return value !== limit
    case 'contains':
      return value.includes(limit)
    case 'not_contains':
      return !value.includes(limit)
    case 'starts_with':
      return value.startsWith(limit)
    case 'ends_with':
      return value.endsWith(limit)
    case 'matches':
      return matchesWildcard(value, limit)
    case 'not_matches':
      return !matchesWildcard(value, limit)
    default:
      return false
  }
}
