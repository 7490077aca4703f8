import type { Parameter, Values } from './dashboard.ts'

/** Parameters that readers of a public link may set. */
const ADJUSTABLE: ReadonlySet<Parameter['type']> = new Set([
  'enum',
  'boolean',
  'number',
  'date',
  'datetime',
  'duration',
  'timeRange',
])

type Shared = { readonly adjustable: readonly string[]; readonly params: Values }

/** The parameters of a public link: those that its readers set, and the values of the others. A hidden parameter keeps the value
 * that the dashboard gives it. */
export function sharedParams(
  parameters: readonly Pick<Parameter, 'name' | 'type' | 'hidden'>[],
  values: Values,
  isAdjustable: boolean,
): Shared {
  const shown = parameters.filter(({ hidden }) => !hidden)
  const adjustable = isAdjustable
    ? shown.flatMap(({ name, type }) => (ADJUSTABLE.has(type) ? [name] : []))
    : []
  const fixed = shown.flatMap(({ name }): [string, Values[string]][] => {
    const value = values[name] ?? null
    return value === null || adjustable.includes(name) ? [] : [[name, value]]
  })
  return { adjustable, params: Object.fromEntries(fixed) }
}
