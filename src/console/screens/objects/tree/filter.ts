/** A condition of a filter definition. */
export type Condition = {
  readonly item: string
  readonly operator: string
  readonly expression?: string
  /** The key of the property that the item tests. */
  readonly propertyKey?: string
  /** The key or the name of the value that the item tests. */
  readonly value?: string
}

/** A filter definition as the API takes it. */
export type Definition = {
  readonly type: string | null
  readonly mode: 'and' | 'or'
  readonly conditions: readonly Condition[]
}

export const NO_FILTER: Definition = { type: null, mode: 'and', conditions: [] }

const STOPPED: readonly Condition[] = [{ item: 'execution', operator: 'stopped' }]
export const stoppedFilter = JSON.stringify({ type: 'job', mode: 'and', conditions: STOPPED })

const TROUBLE = ['major', 'minor', 'warning']
const CALM = [
  'ok',
  'maintenance_major',
  'maintenance_minor',
  'maintenance_warning',
  'maintenance_ok',
  'no_data',
  'undefined',
]

/** A filter that one button puts into a definition and takes out of it. */
export type Preset = 'notOk' | 'stopped'

function conditionsOf(preset: Preset, mode: Definition['mode']): readonly Condition[] {
  if (preset === 'stopped') return STOPPED
  // Several states: one of them, or none of the others.
  return mode === 'or'
    ? TROUBLE.map((expression) => ({ item: 'state', operator: 'eq', expression }))
    : CALM.map((expression) => ({ item: 'state', operator: 'ne', expression }))
}

const same = (a: Condition, b: Condition): boolean =>
  a.item === b.item && a.operator === b.operator && a.expression === b.expression

export function hasPreset({ mode, conditions }: Definition, preset: Preset): boolean {
  return conditionsOf(preset, mode).every((wanted) => conditions.some((one) => same(one, wanted)))
}

/** Adds the conditions of a preset, or removes them. Presets are about jobs. */
export function withPreset(definition: Definition, preset: Preset, isOn: boolean): Definition {
  const wanted = conditionsOf(preset, definition.mode)
  const others = definition.conditions.filter((one) => !wanted.some((it) => same(one, it)))
  const next = { ...definition, conditions: isOn ? [...others, ...wanted] : others }
  const isAboutJobs = hasPreset(next, 'notOk') || hasPreset(next, 'stopped')
  return { ...next, type: isAboutJobs ? 'job' : null }
}

/** Changes how conditions are joined; presets keep their meaning. */
export function withMode(definition: Definition, mode: Definition['mode']): Definition {
  if (mode === definition.mode || !hasPreset(definition, 'notOk')) return { ...definition, mode }
  const { type } = definition
  const rest = withPreset(definition, 'notOk', false)
  return { ...withPreset({ ...rest, mode }, 'notOk', true), type }
}

const isText = ({ item, operator }: Condition): boolean => item === 'name' && operator === 'contains'

/** The text that names must contain. */
export function textOf({ conditions }: Definition): string {
  return conditions.find(isText)?.expression ?? ''
}

export function withText(definition: Definition, text: string): Definition {
  const others = definition.conditions.filter((one) => !isText(one))
  const asked: Condition = { item: 'name', operator: 'contains', expression: text }
  return { ...definition, conditions: text === '' ? others : [asked, ...others] }
}

/** Whether a definition leaves everything in. */
export function isEmpty({ type, conditions }: Definition): boolean {
  return type === null && conditions.length === 0
}

/** The definition in the address of the page; no filter when it is damaged. */
export function definitionOf(json: string): Definition {
  try {
    const { type = null, mode = 'and', conditions } = JSON.parse(json) as Partial<Definition>
    return Array.isArray(conditions) ? { type, mode, conditions } : NO_FILTER
  } catch {
    return NO_FILTER
  }
}

/** The definition as text: empty for no filter. */
export function jsonOf(definition: Definition): string {
  if (isEmpty(definition)) return ''
  const { type, ...rest } = definition
  return JSON.stringify(type === null ? rest : { type, ...rest })
}
