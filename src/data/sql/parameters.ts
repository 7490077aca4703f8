import type { Bind, Bound } from '../../ports/databases.ts'
import { tokensOf } from './lexer.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

/** The text with other SQL in place of each placeholder `$1`, `$2` …
 * @param write gets the number of the placeholder, from 1, and its bind
 * @throws {TextFault} for a placeholder without a bind */
export function replaceParameters(
  { text, binds }: Bound,
  dialect: Dialect,
  write: (number: number, bind: Bind) => string,
): string {
  let result = ''
  let end = 0
  for (const { kind, value, start, end: next } of tokensOf(text, dialect)) {
    if (kind !== 'parameter') continue
    const number = Number(value.slice(1))
    const bind = binds[number - 1]
    if (!bind) throw new TextFault(start, `there are ${binds.length} values for the placeholders`)
    result += text.slice(end, start) + write(number, bind)
    end = next
  }
  return result + text.slice(end)
}
