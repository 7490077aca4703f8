import { FIELD_TEXTS } from './openapi-field-texts.ts'
import { isJsonObject } from '../lib/json.ts'
import type { JsonObject } from '../lib/json.ts'

/** The keywords of a schema that hold a schema, and those that hold several. */
const INNER = ['items', 'additionalProperties', 'propertyNames', 'not'] as const
const INNER_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** Gives each field of a JSON schema at any depth a description from `FIELD_TEXTS`, unless the field has its own.
 * @param owner the name of the schema or of the field that holds it; empty for none
 * @returns the same schema */
export function describeFields<Schema>(schema: Schema, owner = ''): Schema {
  if (isJsonObject(schema)) describe(schema, owner)
  return schema
}

function describe(schema: JsonObject, owner: string): void {
  for (const keyword of INNER) describeFields(schema[keyword], owner)
  for (const keyword of INNER_LISTS)
    if (Array.isArray(schema[keyword])) for (const inner of schema[keyword]) describeFields(inner, owner)
  if (!isJsonObject(schema['properties'])) return
  for (const [name, field] of Object.entries(schema['properties'])) {
    if (!isJsonObject(field)) continue
    const text = FIELD_TEXTS[`${owner}.${name}`] ?? FIELD_TEXTS[name]
    if (text !== undefined) field['description'] ??= text
    describeFields(field, name)
  }
}
