import { MERGE_PATCH } from './merge-patch.ts'
import { FIELD_EXAMPLES, FORMAT_EXAMPLES, TEXT_EXAMPLES } from './openapi-field-examples.ts'

type Json = Record<string, unknown>
type Media = { readonly schema?: Json; example?: unknown; examples?: Json }
type Content = Readonly<Record<string, Media>>
type Operation = {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Io = 'input' | 'output'

/** A request shows its required fields, and optional ones up to this number of fields. An answer shows all fields. */
const REQUEST_FIELDS = 2

/** Adds an example to each body and answer that has a schema. Examples of objects are composed from the examples of their fields, unless
 * the schema has its own, from `.meta({ examples: [...] })`.
 * @returns `components.examples`: the examples of named schemas, to which their bodies and answers refer */
export function addExamples(paths: Readonly<Record<string, Json>>, schemas: Json): Json {
  const named: Json = {}
  const addTo = (content: Content, io: Io, place: Place = []) => {
    for (const [type, media] of Object.entries(content)) {
      if (!media.schema) continue
      const name = nameOf(media.schema)
      const value = TEXT_EXAMPLES[type] ?? new Composer(schemas, io).compose(media.schema, place)
      if (name === null) media.example = value
      else {
        named[name] ??= { value }
        media.examples = { [name]: { $ref: `#/components/examples/${name}` } }
      }
    }
  }
  for (const methods of Object.values(paths) as Readonly<Record<string, Operation>>[]) {
    for (const { requestBody, responses } of Object.values(methods)) {
      if (requestBody) addTo(requestBody.content, 'input', placeOf(responses))
      for (const { content } of Object.values(responses)) if (content) addTo(content, 'output')
    }
    addPatch(methods)
  }
  return named
}

/** A body without a name has the fields of the object that answers it. */
function placeOf(responses: Operation['responses']): Place {
  const answer = (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema
  return [answer && nameOf(answer)].filter((name) => typeof name === 'string')
}

/** The example of a PATCH changes one field of the example of PUT. */
function addPatch({ put, patch }: Readonly<Record<string, Operation>>): void {
  const whole = put?.requestBody?.content['application/json']?.example as Json | undefined
  if (!whole || !patch?.requestBody?.content[MERGE_PATCH]) return
  const field = 'name' in whole ? 'name' : (Object.keys(whole)[0] ?? '')
  for (const media of Object.values(patch.requestBody.content)) media.example = { [field]: whole[field] }
}

/** Where a value is: its field, and the fields or the named schema around it, innermost last. */
type Place = readonly string[]

/** Composes the example of one schema. */
class Composer {
  readonly #schemas: Json
  readonly #io: Io
  /** The named schemas around the present one: a schema that contains itself ends there. */
  readonly #around: string[] = []

  constructor(schemas: Json, io: Io) {
    this.#schemas = schemas
    this.#io = io
  }

  /** @returns undefined for a value that is left out */
  compose(schema: Json, place: Place, isRequired = true): unknown {
    const name = nameOf(schema)
    if (name !== null) return this.#composeNamed(name, place)
    const { examples, const: only, not } = schema
    if (Array.isArray(examples)) return examples[0]
    if (only !== undefined) return only
    if (not !== undefined) return undefined
    const known = knownAt(place)
    if (known.includes(null) && isNullable(schema)) return null
    if (known.includes(null) && !isRequired) return undefined
    return this.#composeValue(schema, place)
  }

  #composeValue(schema: Json, place: Place): unknown {
    const { enum: values, anyOf, oneOf, default: usual } = schema
    if (Array.isArray(values)) return knownAt(place).find((one) => values.includes(one)) ?? usual ?? values[0]
    const forms = (anyOf ?? oneOf) as readonly Json[] | undefined
    return forms ? this.#composeFirst(forms, place) : this.#composeTyped(schema, place)
  }

  #composeNamed(name: string, place: Place): unknown {
    if (this.#around.includes(name)) return undefined
    this.#around.push(name)
    const value = this.compose(this.#schemas[name] as Json, [...place, name])
    this.#around.pop()
    return value
  }

  /** The first form that the known example of the field fits, else the first form that has an example. */
  #composeFirst(forms: readonly Json[], place: Place): unknown {
    const fitting = forms.find((form) => knownAt(place).some((known) => fits(known, form)))
    for (const form of fitting ? [fitting] : forms) {
      const value = form['type'] === 'null' ? undefined : this.compose(form, place)
      if (value !== undefined) return value
    }
    return null
  }

  #composeTyped(schema: Json, place: Place): unknown {
    const { default: usual, format } = schema
    const known = knownAt(place).find((one) => fits(one, schema))
    if (known !== undefined) return known
    const types = typesOf(schema)
    if (types.includes('object')) return this.#composeObject(schema, place)
    if (types.includes('array')) return this.#composeArray(schema, place)
    if (usual !== undefined) return usual
    if (types.includes('string')) return FORMAT_EXAMPLES[String(format)] ?? 'text'
    if (types.includes('integer') || types.includes('number')) return numberIn(schema)
    return types.includes('boolean') ? false : {}
  }

  #composeObject({ properties = {}, required = [], ...schema }: Shape, place: Place): Json {
    const offered = Object.entries(properties).filter(
      ([, { readOnly, deprecated }]) => this.#io === 'output' || (readOnly !== true && deprecated !== true),
    )
    let optionalLeft = this.#io === 'output' ? Infinity : REQUEST_FIELDS - required.length
    const fields = offered
      .filter(([name]) => required.includes(name) || optionalLeft-- > 0)
      .map(([name, of]) => [name, this.compose(of, [...place, name], required.includes(name))] as const)
    if (fields.length > 0 || typeof schema.additionalProperties !== 'object')
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
    const key = schema.propertyNames ? this.compose(schema.propertyNames, ['key']) : 'key'
    return { [String(key)]: this.compose(schema.additionalProperties, place) }
  }

  #composeArray({ items, prefixItems }: Shape, place: Place): unknown[] {
    const parts = prefixItems ?? (items ? [items] : [])
    return parts.map((part) => this.compose(part, place)).filter((one) => one !== undefined)
  }
}

type Shape = {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Json
  readonly propertyNames?: Json
  readonly items?: Json
  readonly prefixItems?: readonly Json[]
}

function nameOf({ $ref }: Json): string | null {
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : null
}

/** The examples of a field: by the field or named schema around it, and by its own name. */
function knownAt(place: Place): readonly unknown[] {
  const [field = '', around = ''] = place.toReversed()
  return [FIELD_EXAMPLES[`${around}.${field}`], FIELD_EXAMPLES[field]].filter((one) => one !== undefined)
}

function typesOf({ type, properties }: Json): readonly unknown[] {
  return Array.isArray(type) ? type : [type ?? (properties ? 'object' : undefined)]
}

function isNullable(schema: Json): boolean {
  const forms = (schema['anyOf'] ?? schema['oneOf'] ?? []) as readonly Json[]
  return [schema, ...forms].some((form) => typesOf(form).includes('null'))
}

function fits(value: unknown, schema: Json): boolean {
  const types = typesOf(schema)
  if (value === null) return false
  if (Array.isArray(value))
    return types.includes('array') && value.every((one) => fits(one, (schema['items'] ?? {}) as Json))
  if (!types.includes(typeof value) && !(Number.isInteger(value) && types.includes('integer'))) return false
  if (typeof value === 'string') return isText(value, schema)
  return !(Number(value) < Number(schema['minimum']) || Number(value) > Number(schema['maximum']))
}

function isText(value: string, { pattern, format, minLength }: Json): boolean {
  if (value.length < Number(minLength ?? 0)) return false
  if (format === 'date-time' && Number.isNaN(Date.parse(value))) return false
  if (format === 'duration' && !value.startsWith('P')) return false
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value)
}

function numberIn({ minimum, exclusiveMinimum }: Json): number {
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1
  return Math.max(1, Number(minimum ?? 1))
}
