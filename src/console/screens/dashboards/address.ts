import type { Parameter, TimeRange, Value, Values } from './dashboard.ts'

/** The state in the address of a dashboard: values of parameters as `p.region=north`, a range, a page. */
export type Address = {
  readonly values: Values
  readonly timeRange: TimeRange | null
  readonly page: string | null
}

const NUMERIC: ReadonlySet<Parameter['type']> = new Set(['number', 'object', 'user'])

/** Reads the query of an address. An empty value stands for none, also in place of a default; unknown parameters are left out. */
export function addressOf(search: string, parameters: readonly Parameter[]): Address {
  const query = new URLSearchParams(search)
  const values: Record<string, Value> = {}
  for (const parameter of parameters) {
    const texts = query.getAll(`p.${parameter.name}`)
    if (texts.length === 0 || parameter.hidden) continue
    const given = texts.filter((text) => text !== '').map((text) => typed(parameter, text))
    if (given.length === 0) values[parameter.name] = null
    else values[parameter.name] = parameter.multi ? given : (given[0] ?? null)
  }
  const from = query.get('from')
  return {
    values,
    timeRange: from === null ? null : { from, to: query.get('to') ?? 'now' },
    page: query.get('page'),
  }
}

/** The query with another value of a parameter; null for none. */
export function withValue(search: string, name: string, value: Value): string {
  const query = new URLSearchParams(search)
  query.delete(`p.${name}`)
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0) query.append(`p.${name}`, '')
  for (const one of values) query.append(`p.${name}`, one === null ? '' : String(one))
  return `?${query}`
}

/** The query with another range or page; null leaves it to the dashboard. */
export function withField(
  search: string,
  name: 'from' | 'to' | 'page' | 'edit',
  value: string | null,
): string {
  const query = new URLSearchParams(search)
  if (value === null) query.delete(name)
  else query.set(name, value)
  return query.size > 0 ? `?${query}` : ''
}

/** A text as a value of the type of a parameter; a text that is not of the type stays, and the service refuses it. */
export function typed({ type, values }: Parameter, text: string): string | number | boolean {
  if (type === 'enum') return values.find(({ value }) => String(value) === text)?.value ?? text
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (NUMERIC.has(type) && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text)
  return text
}
