/** The fields that a template can use, as `{{name}}`. */
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

/** The value of each field. */
export type Values = Readonly<Record<Field, string>>

const PLACE = /\{\{([^{}]*)\}\}/g
const KNOWN: ReadonlySet<string> = new Set(FIELDS)

/** The unknown fields of a template, in order. */
export function unknownFields(template: string): string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name.trim()).filter((name) => !KNOWN.has(name))
}

/** A template with the values of its fields. Values are never read as templates; unknown fields stay as they are
 * written.
 * @param escape makes a value safe for the receiver's markup */
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
