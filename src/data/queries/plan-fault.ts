import { tokensOf } from '../sql/lexer.ts'
import { TextFault } from '../sql/text-fault.ts'
import type { Dialect } from '../sql/spelling.ts'
import type { QueryError } from './statement.ts'

/** The name that a database does not know, as its messages quote it: of PostgreSQL, DuckDB, MySQL and SQLite. */
const NAMES: readonly RegExp[] = [
  /(?:relation|column|function|schema|type|collation) "?(?<name>[^"\s(]+)/i,
  /(?:Table|Column|Function|Macro|Schema|Catalog)[\w ]* with name "?(?<name>[^"\s!]+)/i,
  /(?:Referenced (?:table|column)|column named) "(?<name>[^"]+)"/i,
  /(?:Table|Unknown column|Unknown table|FUNCTION) '?(?<name>[^'\s]+)/i,
  /no such (?:table|column|function): "?(?<name>[^":]+)/i,
  /near "(?<name>[^"]+)"/i,
]

/** The fault that a database has found in a statement without running it. Its place is the first one of the name that the
 * message quotes, else the beginning. */
export function planFault(message: string, text: string, dialect: Dialect): QueryError {
  const names = NAMES.flatMap((pattern) => pattern.exec(message)?.groups?.['name'] ?? [])
  const words = names
    .flatMap((name) => [name, ...name.split('.').reverse()])
    .map((name) => name.toLowerCase())
  const tokens = tokensOf(text, dialect)
  const found = words
    .map((word) => tokens.find(({ value }) => value.toLowerCase() === word))
    .find((token) => token !== undefined)
  const place = new TextFault((found ?? tokens[0])?.start ?? 0, message).placeIn(text)
  return { phase: 'plan', ...place, code: 'query_failed', message }
}
