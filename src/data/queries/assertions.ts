import type { Bind } from '../../ports/databases.ts'
import { bind, joined, name, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import type { Assertion } from './assertion-schema.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The statement that counts the rows that break an assertion, or the keys that several rows have. */
export function failuresOf({ kind, columns, min, max }: Assertion, from: Fragment): Fragment {
  const names = columns.map((column) => name(column))
  const each = (condition: string, operator: string) =>
    joined(
      names.map((one) => sql`${one} ${raw(condition)}`),
      operator,
    )
  if (kind === 'unique')
    return sql`SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${from} WHERE ${each('IS NOT NULL', ' AND ')} GROUP BY ${joined(names, ', ')} HAVING count(*) > 1) AS d`
  const broken = kind === 'not_null' ? each('IS NULL', ' OR ') : outside(names, { min, max })
  return sql`SELECT count(*) AS n FROM ${from} WHERE ${broken}`
}

function outside(
  [column = raw('NULL')]: readonly Fragment[],
  { min, max }: Pick<Assertion, 'min' | 'max'>,
): Fragment {
  const below = min === null ? [] : [sql`${column} < ${bind(boundOf(min))}`]
  const above = max === null ? [] : [sql`${column} > ${bind(boundOf(max))}`]
  return joined([...below, ...above], ' OR ')
}

function boundOf(value: string | number): Bind {
  if (typeof value === 'number') return { type: 'number', value }
  return { type: DAY.test(value) ? 'date' : 'datetime', value }
}

/** An assertion in a sentence. */
export function wordsOf({ kind, columns, min, max }: Assertion): string {
  const of = columns.join(', ')
  if (kind !== 'range') return `${of} is ${kind === 'unique' ? 'unique' : 'not null'}`
  const least = min === null ? [] : [`at least ${min}`]
  const most = max === null ? [] : [`at most ${max}`]
  return `${of} is ${[...least, ...most].join(' and ')}`
}
