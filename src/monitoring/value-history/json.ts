import type { SeriesView } from './schema.ts'

/** The JSON of values, cached while the values are referenced. */
const texts = new WeakMap<object, string>()

/** A series as JSON. The values are nearly all of it, so the same object of values is serialised once. */
export function jsonOf({ values, ...rest }: SeriesView): string {
  const text = JSON.stringify(rest)
  if (!values) return text
  let known = texts.get(values)
  if (known === undefined) texts.set(values, (known = JSON.stringify(values)))
  return `${text.slice(0, -1)},"values":${known}}`
}
