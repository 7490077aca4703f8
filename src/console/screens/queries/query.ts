import type { Answer } from '../../api/client.ts'

export type Query = Answer<'/dataQueries/{id}'>
export type Summary = Answer<'/dataQueries'>['items'][number]
export type Version = Answer<'/dataQueries/{id}/versions'>['items'][number]
export type Parameter = Query['parameters'][number]
export type ParameterType = Parameter['type']

export const PARAMETER_TYPES: readonly ParameterType[] = [
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'enum',
  'identifier',
  'query',
]

/** A parameter in a form: its default and choices are texts. */
export type ParameterDraft = {
  readonly name: string
  readonly type: ParameterType
  readonly multi: boolean
  readonly required: boolean
  readonly default: string
  /** One a line. */
  readonly choices: string
  /** The data query with the values, for the type `query`. */
  readonly valuesQueryId: number | null
}

/** A data query in a form. */
export type QueryDraft = {
  readonly name: string
  readonly description: string
  readonly groupId: number | null
  /** Empty while none is chosen. */
  readonly dataSourceId: string
  readonly accessibleFromDashboards: boolean
  /** Null: each run computes the result. */
  readonly materialization: Query['materialization']
  /** How the template writes values. */
  readonly escaping: Query['escaping']
  /** Conditions of the rows, which only the API changes. */
  readonly assertions: Query['assertions']
  readonly text: string
  readonly parameters: readonly ParameterDraft[]
}

export const FRESH_PARAMETER: ParameterDraft = {
  name: '',
  type: 'string',
  multi: false,
  required: false,
  default: '',
  choices: '',
  valuesQueryId: null,
}

const FRESH: QueryDraft = {
  name: '',
  description: '',
  groupId: null,
  dataSourceId: '',
  accessibleFromDashboards: false,
  materialization: null,
  escaping: 'bind',
  assertions: [],
  text: '',
  parameters: [],
}

/** The draft of a new data query; one of a table begins with a select of it. */
export function freshDraft({
  groupId = null,
  source,
  table = '',
}: {
  readonly groupId?: number | null
  readonly source?: Pick<Answer<'/dataSources/{id}'>, 'id' | 'type'> | undefined
  readonly table?: string
}): QueryDraft {
  if (source === undefined) return { ...FRESH, groupId }
  const quote = source.type === 'mysql' ? '`' : '"'
  const name = quote + table.replaceAll(quote, quote + quote) + quote
  const text = table === '' ? '' : `SELECT *\nFROM ${name}\n`
  return { ...FRESH, groupId, dataSourceId: String(source.id), text }
}

export function draftOf(query: Query): QueryDraft {
  const { name, description, groupId, accessibleFromDashboards } = query
  const { materialization, escaping, assertions, text } = query
  return {
    name,
    description,
    groupId,
    dataSourceId: String(query.dataSourceId),
    accessibleFromDashboards,
    materialization,
    escaping,
    assertions,
    text,
    parameters: query.parameters.map((parameter) => ({
      ...parameter,
      default: textOf(parameter.default),
      choices: parameter.choices.join('\n'),
    })),
  }
}

/** A value as the text of a field; the values of a list stand on lines of their own. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || [])

/** The text of a field as a value of the API; null for an empty one. */
export function valueOf({ type, multi }: Pick<ParameterDraft, 'type' | 'multi'>, text: string): unknown {
  if (text.trim() === '') return null
  return multi ? linesOf(text).map((line) => scalarOf(type, line)) : scalarOf(type, text)
}

/** The value of a text. A text that is not of the type stays text, which the API refuses with its place. */
function scalarOf(type: ParameterType, text: string): string | number | boolean {
  const trimmed = text.trim()
  if (type === 'number' && Number.isFinite(Number(trimmed))) return Number(trimmed)
  if (type === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true'
  return type === 'string' ? text : trimmed
}

/** The parameters in the shape of the API. */
function parametersBody(parameters: readonly ParameterDraft[]): object[] {
  return parameters.map(({ choices, default: text, ...parameter }) => ({
    ...parameter,
    default: valueOf(parameter, text),
    choices: parameter.type === 'enum' ? linesOf(choices) : [],
    valuesQueryId: parameter.type === 'query' ? parameter.valuesQueryId : null,
  }))
}

/** The data query in the shape of the API. */
export function bodyOf({ dataSourceId, parameters, ...draft }: QueryDraft): object {
  return { ...draft, dataSourceId: Number(dataSourceId), parameters: parametersBody(parameters) }
}

/** The draft as the body of a run that does not store it. */
export function textBodyOf(
  { dataSourceId, text, parameters, escaping }: QueryDraft,
  texts: Readonly<Record<string, string>>,
): object {
  return {
    dataSourceId: Number(dataSourceId),
    text,
    parameters: parametersBody(parameters),
    escaping,
    values: valuesOf(parameters, texts),
  }
}

/** The values of a run: those that were typed; others have their defaults. */
export function valuesOf(
  parameters: readonly ParameterDraft[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const text = texts[parameter.name]
      return text === undefined || text.trim() === '' ? [] : [[parameter.name, valueOf(parameter, text)]]
    }),
  )
}
