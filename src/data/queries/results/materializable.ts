import { TemplateFault } from '../../../templates/fault.ts'
import { NativeFunction } from '../../../templates/values/value.ts'
import type { DataSourceView } from '../../sources/schema.ts'
import type { Definition } from '../schema.ts'
import type { QueryError } from '../statement.ts'

/** Stands for `user` in the template of a stored result, which has the rows of no user. Each use of it is a fault. */
export const NO_USER = new NativeFunction((_, at) => {
  throw new TemplateFault(at, 'user has no value: the result is stored for all users')
})

/** Why the result of a data query cannot be stored; null where it can. */
export function materializationError(
  { materialization, parameters }: Pick<Definition, 'materialization' | 'parameters'>,
  source: Pick<DataSourceView, 'scopeMode'> | null,
): QueryError | null {
  if (!materialization) return null
  const open = parameters.find((parameter) => parameter.required && parameter.default === null)
  if (open)
    return materializationFault(
      `The parameter ${open.name} is required and has no default, with which refreshes run.`,
    )
  if (source?.scopeMode === 'native')
    return materializationFault(
      'Row security of the data source needs the session of one user, and a refresh has none.',
    )
  return null
}

export function materializationFault(message: string): QueryError {
  return { phase: 'materialization', line: null, column: null, code: 'invalid', message }
}
