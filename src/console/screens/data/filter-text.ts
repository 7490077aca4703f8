import { t } from '../../language/t.ts'
import { takesValue } from './filter.ts'
import type { Condition } from './filter.ts'

/** A condition as a line of text. */
export function conditionText({ column, op, value }: Condition): string {
  const operator = t(`data.op.${op}`)
  return takesValue(op) ? `${column} ${operator} ${value === '' ? '“”' : value}` : `${column} ${operator}`
}
