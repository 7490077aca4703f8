import type { Answer } from '../../api/client.ts'

type Parameter = Answer<'/dataQueries/{id}'>['parameters'][number]
type Value = string | number | boolean

const DAY = '2026-01-01'
const EXAMPLES: Readonly<Partial<Record<Parameter['type'], Value>>> = {
  string: 'a',
  number: 1,
  boolean: true,
  date: DAY,
  datetime: `${DAY}T00:00:00Z`,
}

/** Values with which a data query runs for its columns alone: of each parameter that needs one and has no default.
 * @returns null where only a user knows a value, such as the name of a column */
export function exampleValues(
  parameters: readonly Pick<Parameter, 'name' | 'type' | 'multi' | 'required' | 'default' | 'choices'>[],
): Readonly<Record<string, Value | Value[]>> | null {
  const values: Record<string, Value | Value[]> = {}
  for (const parameter of parameters) {
    if (!parameter.required || parameter.default !== null) continue
    const value = parameter.type === 'enum' ? parameter.choices[0] : EXAMPLES[parameter.type]
    if (value === undefined) return null
    values[parameter.name] = parameter.multi ? [value] : value
  }
  return values
}
