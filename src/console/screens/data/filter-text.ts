import { t } from '../../language/t.ts'
import { conditionOf, takesValue } from './filter.ts'
import type { Condition, Filter } from './filter.ts'

/** A condition as a line of text. */
export function conditionText({ column, op, value }: Condition): string {
  const operator = t(`data.op.${op}`)
  return takesValue(op) ? `${column} ${operator} ${value === '' ? '“”' : value}` : `${column} ${operator}`
}

/** The rows of a filter as a line of text; null stands for all rows. */
export function filterText(filter: Filter | null): string {
  if (filter === null) return t('data.allRows')
  const { and, or, not, expr } = filter
  if (Array.isArray(and)) return and.length === 0 ? t('data.allRows') : joined(and, 'and')
  if (Array.isArray(or)) return or.length === 0 ? t('data.zeroRows') : joined(or, 'or')
  const condition = conditionOf(typeof expr === 'string' ? { ...filter, column: `(${expr})` } : filter)
  if (condition !== null) return conditionText(condition)
  return isFilter(not) ? t('data.filterNot', { filter: filterText(not) }) : t('data.filterOther')
}

/** The parts of a filter; those that have parts themselves are in parentheses. */
function joined(parts: readonly unknown[], mode: 'and' | 'or'): string {
  const texts = parts.filter(isFilter).map((part) => {
    const text = filterText(part)
    return parts.length > 1 && ('and' in part || 'or' in part) ? `(${text})` : text
  })
  return texts.join(` ${t(`data.filterWord.${mode}`)} `)
}

const isFilter = (part: unknown): part is Filter => typeof part === 'object' && part !== null
