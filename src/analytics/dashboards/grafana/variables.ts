import { ownValue } from '../../../lib/json.ts'
import { cutText } from '../../../lib/text.ts'
import { numberAt, recordAt, recordsAt, textAt, titleOf } from './fields.ts'
import type { Json } from './fields.ts'

const PARAMETERS_MAX = 50
const CHOICES_MAX = 200
const VALUE_MAX = 4_000
const NAME_MAX = 40
const HIDDEN = 2
/** The value that stands for all choices. */
const ALL = '$__all'

/** The outcome for a variable. */
export type VariableReport = {
  readonly name: string
  readonly type: string
  readonly parameter: string | null
  readonly notes: readonly string[]
}

type Parameter = Readonly<Record<string, unknown>> & { readonly name: string }
type Made = { readonly parameter: Omit<Parameter, 'name'>; readonly notes: readonly string[] }

/** The parameters that variables of a dashboard become. Each variable is in the report. */
export function parametersOf(dashboard: Json): {
  readonly parameters: readonly Parameter[]
  readonly report: readonly VariableReport[]
} {
  const parameters: Parameter[] = []
  const report = recordsAt(recordAt(dashboard, 'templating'), 'list').map((variable): VariableReport => {
    const [name, type] = [titleOf(textAt(variable, 'name')), titleOf(textAt(variable, 'type'))]
    const make = ownValue(MAKERS, type)
    const leftOut = (note: string) => ({ name, type, parameter: null, notes: [note] })
    if (!make) return leftOut(ownValue(REASONS, type) ?? `Variables of the type ${type} have no counterpart.`)
    if (parameters.length >= PARAMETERS_MAX)
      return leftOut(`A dashboard has at most ${PARAMETERS_MAX} parameters.`)
    const own = freeName(wordOf(name), parameters)
    const { parameter, notes } = make(variable)
    parameters.push({
      name: own,
      label: titleOf(textAt(variable, 'label')),
      hidden: numberAt(variable, 'hide', 0) === HIDDEN,
      ...parameter,
    })
    const renamed = own === name ? [] : [`It is named ${own}, because names have letters, digits, _ and -.`]
    return { name, type, parameter: own, notes: [...renamed, ...notes] }
  })
  return { parameters, report }
}

const REASONS: Readonly<Record<string, string>> = {
  datasource: 'Widgets name their source; a variable cannot choose it.',
  adhoc: 'Filters over all queries have no counterpart.',
}

const MAKERS: Readonly<Record<string, (variable: Json) => Made>> = {
  custom: choices,
  interval: choices,
  textbox: (variable) => ({
    parameter: { type: 'string', default: text(textAt(variable, 'query')) },
    notes: [],
  }),
  constant: (variable) => ({
    parameter: { type: 'string', default: text(textAt(variable, 'query')), hidden: true },
    notes: [],
  }),
  query: (variable) => ({
    parameter: { type: 'string', multi: variable['multi'] === true, default: currentOf(variable) },
    notes: [
      'Its query was not carried over: choose a data query of values, or type values.',
      ...allNote(variable),
    ],
  }),
}

function choices(variable: Json): Made {
  const given = textAt(variable, 'query')
  const found = new Map(
    given
      .split(/(?<!\\),/)
      .map((part) => part.replaceAll('\\,', ',').trim())
      .filter((part) => part !== '')
      .map((part): [string, string] => {
        const [label = '', value = label] = part.split(' : ', 2)
        return [cutText(value.trim(), VALUE_MAX), titleOf(label)]
      }),
  )
  const values = [...found].slice(0, CHOICES_MAX).map(([value, label]) => ({ value, label }))
  const left = found.size - values.length
  const multi = variable['multi'] === true
  const current = currentOf(variable)
  const isKnown = (value: unknown) => values.some((one) => one.value === value)
  const fits = Array.isArray(current) ? multi && current.every(isKnown) : isKnown(current)
  return {
    parameter:
      values.length === 0
        ? { type: 'string', multi, default: current }
        : { type: 'enum', multi, values, default: fits ? current : null },
    notes: [...(left > 0 ? [`${left} of its values were left out.`] : []), ...allNote(variable)],
  }
}

function allNote(variable: Json): string[] {
  return variable['includeAll'] === true
    ? ['Its choice of all values has no counterpart: no value stands for all.']
    : []
}

/** The chosen value; null for none and for all. */
function currentOf(variable: Json): string | string[] | null {
  const { value } = recordAt(variable, 'current')
  const all = (Array.isArray(value) ? value : [value]).filter(
    (one): one is string | number => (typeof one === 'string' || typeof one === 'number') && one !== ALL,
  )
  const [first, ...others] = all.slice(0, CHOICES_MAX).map((one) => cutText(String(one), VALUE_MAX))
  if (first === undefined || first === '') return null
  return Array.isArray(value) && variable['multi'] === true ? [first, ...others] : first
}

function text(value: string): string | null {
  return value === '' ? null : cutText(value, VALUE_MAX)
}

function wordOf(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return (/^[A-Za-z]/.test(made) ? made : `v${made}`).slice(0, NAME_MAX)
}

function freeName(wanted: string, parameters: readonly Parameter[]): string {
  const taken = (name: string) => parameters.some((one) => one.name === name)
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const made = wanted.slice(0, NAME_MAX - suffix.length) + suffix
    if (!taken(made)) return made
  }
}
