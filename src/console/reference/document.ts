/** A schema of the document: JSON Schema 2020-12, as far as this page reads it. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly readOnly?: boolean
} & Readonly<Record<string, unknown>>

type Example = { readonly value?: unknown; readonly $ref?: string }
export type Media = {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Example>>
}
export type Parameter = {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}
export type Answer = {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}
export type Operation = {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
}
export type OpenApi = {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** An operation with its place. */
export type Entry = { readonly method: string; readonly path: string; readonly operation: Operation }
export type Group = {
  readonly name: string
  readonly description: string
  readonly entries: readonly Entry[]
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** All operations by their tag, in the order of the document. */
export function groupsOf(document: OpenApi): readonly Group[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method): readonly Entry[] => {
      const operation = methods[method]
      return operation ? [{ method, path, operation }] : []
    }),
  )
  const byTag = Map.groupBy(all, ({ operation }) => operation.tags?.[0] ?? 'Other')
  return document.tags.map(({ name, description = '' }) => ({
    name,
    description,
    entries: byTag.get(name) ?? [],
  }))
}

/** The groups with the entries that have each word of a search in their method, path or summary. */
export function matching(groups: readonly Group[], search: string): readonly Group[] {
  const words = search.toLowerCase().split(/\s+/)
  return groups
    .map((group) => ({
      ...group,
      entries: group.entries.filter(({ method, path, operation: { summary = '' } }) => {
        const text = `${method} ${path} ${summary} ${group.name}`.toLowerCase()
        return words.every((word) => text.includes(word))
      }),
    }))
    .filter(({ entries }) => entries.length > 0)
}

/** The part of the document to which a reference such as `#/components/schemas/Job` points. */
export function resolve<T extends { readonly $ref?: string }>(document: OpenApi, part: T): T {
  if (part.$ref === undefined) return part
  const steps = part.$ref.slice('#/'.length).split('/')
  const found = steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return (value as Readonly<Record<string, unknown>> | undefined)?.[key]
  }, document)
  return (found ?? {}) as T
}

/** The name of a referenced schema. */
const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

/** A type in a few words: `array of Job`, `string (date-time) or null`. */
export function typeOf(schema: Schema): string {
  const { $ref: ref, type, format, items, anyOf, oneOf, const: only, enum: choices } = schema
  if (ref !== undefined) return nameOf(ref)
  if (only !== undefined) return JSON.stringify(only)
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(' | ')
  const either = anyOf ?? oneOf
  if (either) return [...new Set(either.map(typeOf))].join(' or ')
  if (type === 'array') return items ? `array of ${typeOf(items)}` : 'array'
  const names = typeof type === 'string' ? [type] : (type ?? ['any'])
  return names.map((name) => (format && name === 'string' ? `${name} (${format})` : name)).join(' or ')
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: '≥',
  exclusiveMinimum: '>',
  maximum: '≤',
  exclusiveMaximum: '<',
  minLength: 'length ≥',
  maxLength: 'length ≤',
  minItems: 'items ≥',
  maxItems: 'items ≤',
  pattern: 'matches',
}

/** The bounds and the default of a schema. */
export function boundsOf(schema: Schema): readonly string[] {
  const bounds = Object.entries(BOUNDS).flatMap(([key, text]) =>
    schema[key] === undefined ? [] : [`${text} ${JSON.stringify(schema[key])}`],
  )
  return schema.default === undefined ? bounds : [...bounds, `default ${JSON.stringify(schema.default)}`]
}

/** The schemas within one that have fields of their own: itself, what its arrays and choices hold. */
export function objectsIn(document: OpenApi, schema: Schema): readonly Schema[] {
  const found = resolve(document, schema)
  if (found.properties || typeof found.additionalProperties === 'object') return [found]
  const parts = found.anyOf ?? found.oneOf ?? found.allOf ?? (found.items ? [found.items] : [])
  return parts.flatMap((part) => objectsIn(document, part))
}

/** The first example of a body, as text. */
export function exampleOf(document: OpenApi, { example, examples = {} }: Media): string | null {
  const [first] = Object.values(examples)
  const value = example ?? (first && resolve(document, first).value)
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** A call of an operation with curl, whose address is a shell variable. */
export function curlOf(document: OpenApi, { method, path, operation }: Entry): string {
  const isOpen = operation.security !== undefined && operation.security.length === 0
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required)
  const text = query.map(({ name }) => `${name}=…`).join('&')
  const url = `"$TIDEMARK_URL${path.replaceAll(/\{(\w+)\}/g, '<$1>')}${text && '?'}${text}"`
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${url}`]
  if (!isOpen) lines.push(`-H "Authorization: Bearer $TIDEMARK_TOKEN"`)
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const body = media && exampleOf(document, media)
  if (type !== undefined) lines.push(`-H 'Content-Type: ${type}'`)
  if (typeof body === 'string')
    lines.push(`--data '${body.replaceAll(/\n\s*/g, ' ').replaceAll("'", `'\\''`)}'`)
  return lines.join(' \\\n  ')
}
