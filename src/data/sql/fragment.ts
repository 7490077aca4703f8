import type { Bind, Bound } from '../../ports/databases.ts'

/** A part of a statement, of any dialect. */
export type Fragment = { readonly parts: readonly Part[] }
type Part = string | { readonly name: string } | { readonly bind: Bind }

/** How a dialect writes names and binds. */
export type Rendering = {
  readonly quote: '"' | '`'
  /** The placeholder with this number, from 1. */
  readonly placeholder: (number: number) => string
  readonly types: Readonly<Record<Bind['type'] | 'decimal', string>>
  /** With more binds, all of them are one JSON array; null where there is no such limit. */
  readonly bindsMax: number | null
}

/** SQL in which each `${}` is a fragment. */
export function sql(texts: TemplateStringsArray, ...fragments: readonly Fragment[]): Fragment {
  return { parts: texts.flatMap((text, index) => [text, ...(fragments[index]?.parts ?? [])]) }
}

/** Text of the program. It never contains input. */
export const raw = (text: string): Fragment => ({ parts: [text] })
export const name = (identifier: string): Fragment => ({ parts: [{ name: identifier }] })
export const bind = (value: Bind): Fragment => ({ parts: [{ bind: value }] })

/** A double. Without an exponent databases take it for a decimal. */
export function doubleSql(number: number): Fragment {
  const text = String(number)
  return raw(`(${text.includes('e') ? text : `${text}e0`})`)
}

export function joined(fragments: readonly Fragment[], separator: string): Fragment {
  return { parts: fragments.flatMap(({ parts }, index) => (index === 0 ? parts : [separator, ...parts])) }
}

/** The statement with a literal in place of each bind, for text within a statement of PostgreSQL or DuckDB. */
export function literalText({ parts }: Fragment, { quote, types }: Rendering): string {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part
    if ('name' in part) return quote + part.name.replaceAll(quote, quote + quote) + quote
    const { value } = part.bind
    return `CAST(${value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`} AS ${typeOf(part.bind, types)})`
  })
  return texts.join('')
}

/** A fragment without so many characters of text at its end. */
export function shortened({ parts }: Fragment, count: number): Fragment {
  const kept = [...parts]
  for (let left = count; left > 0;) {
    const last = kept.pop()
    if (typeof last !== 'string') return { parts }
    if (last.length > left) kept.push(last.slice(0, -left))
    left -= last.length
  }
  return { parts: kept }
}

/** The conjunction or disjunction of conditions as a balanced tree: engines limit how deep expressions are. */
export function balanced(conditions: readonly Fragment[], operator: 'AND' | 'OR'): Fragment {
  const [first = raw(operator === 'AND' ? '(1 = 1)' : '(1 = 0)'), ...rest] = conditions
  if (rest.length === 0) return first
  const middle = conditions.length >> 1
  const [left, right] = [conditions.slice(0, middle), conditions.slice(middle)]
  return sql`(${balanced(left, operator)} ${raw(operator)} ${balanced(right, operator)})`
}

/** Numbers that a double would change are text; databases have decimals of so many digits. */
function typeOf({ type, value }: Bind, types: Rendering['types']): string {
  const isDecimal = type === 'number' && typeof value === 'string' && /^[+-]?[\d.]{1,31}$/.test(value)
  return types[isDecimal ? 'decimal' : type]
}

/** The statement with its binds. Each bind is cast to its type, since databases cannot always infer it. */
export function boundOf({ parts }: Fragment, { quote, placeholder, types, bindsMax }: Rendering): Bound {
  const binds = parts.flatMap((part) => (typeof part === 'object' && 'bind' in part ? [part.bind] : []))
  const isPacked = bindsMax !== null && binds.length > bindsMax
  let number = 0
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part
    if ('name' in part) return quote + part.name.replaceAll(quote, quote + quote) + quote
    number += 1
    const value = isPacked ? `json_extract(${placeholder(1)}, '$[${number - 1}]')` : placeholder(number)
    return `CAST(${value} AS ${typeOf(part.bind, types)})`
  })
  const packed: Bind = { type: 'json', value: JSON.stringify(binds.map(({ value }) => value)) }
  return { text: texts.join(''), binds: isPacked ? [packed] : binds }
}
