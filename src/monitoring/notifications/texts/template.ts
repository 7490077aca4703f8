/** What a text may name of an alarm, as `{{name}}`. */
export const FIELDS = [
  'event',
  'alarm.id',
  'object.id',
  'object.type',
  'object.name',
  'object.path',
  'state',
  'worstState',
  'message',
  'begin',
  'end',
  'duration',
  'recipient',
] as const

export type Field = (typeof FIELDS)[number]

/** What each field stands for. */
export type Values = Readonly<Record<Field, string>>

const PLACE = /\{\{([^{}]*)\}\}/g
const KNOWN: ReadonlySet<string> = new Set(FIELDS)

/** The names in a template that are no fields, in their order. */
export function unknownFields(template: string): string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name.trim()).filter((name) => !KNOWN.has(name))
}

/** A template with its fields filled in. What is filled in is never read as a template; what is no field stays as it
 * is written.
 * @param escape makes a value safe where the text goes to */
export function filled(template: string, values: Values, escape: (text: string) => string = same): string {
  return template.replaceAll(PLACE, (place, name: string) => {
    const field = name.trim()
    return isField(field) ? escape(values[field]) : place
  })
}

function isField(name: string): name is Field {
  return KNOWN.has(name)
}

function same(text: string): string {
  return text
}
