import type { SeriesView } from './schema.ts'

/** The text of values, for as long as somebody holds these. */
const texts = new WeakMap<object, string>()

/** A series as JSON. Of values that are the same object as before the text is not made again: they are nearly all of it. */
export function jsonOf({ values, ...rest }: SeriesView): string {
  const text = JSON.stringify(rest)
  if (!values) return text
  let known = texts.get(values)
  if (known === undefined) texts.set(values, (known = JSON.stringify(values)))
  return `${text.slice(0, -1)},"values":${known}}`
}
