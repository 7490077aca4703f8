import { Refusal } from '../../lib/errors.ts'
import type { Bound } from '../../ports/databases.ts'
import { TemplateFault } from '../../templates/fault.ts'
import { Template } from '../../templates/template.ts'
import type { Surroundings } from '../../templates/template.ts'
import { checkStatement } from '../sql/gate.ts'
import type { Dialect } from '../sql/spelling.ts'
import { templateSql } from '../sql/template-sql.ts'
import { TextFault } from '../sql/text-fault.ts'
import type { QueryView } from './schema.ts'

export type QueryError = QueryView['errors'][number]

/** A statement, or the fault that prevents one. */
type Made = { readonly statement: Bound } | { readonly error: QueryError }

/** The statement that the template of a data query writes. It is one statement that only reads. */
export function statementOf(text: string, surroundings: Surroundings, dialect: Dialect): Made {
  let written = ''
  try {
    const bound = templateSql(Template.parse(text).sql(surroundings), dialect)
    written = bound.text
    return { statement: { ...bound, text: checkStatement(written, dialect, null) } }
  } catch (error) {
    if (error instanceof TemplateFault) return { error: templateError(error) }
    if (!(error instanceof TextFault)) throw error
    const code = error.code === 'scope_unsupported_reference' ? error.code : 'invalid'
    return { error: { phase: 'statement', ...error.placeIn(written), code, message: error.complaint } }
  }
}

/** The fault of a template that no values can heal; null for none. */
export function syntaxError(text: string): QueryError | null {
  try {
    Template.parse(text)
    return null
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error
    return templateError(error)
  }
}

function templateError({ line, column, complaint }: TemplateFault): QueryError {
  return { phase: 'template', line, column, code: 'invalid', message: complaint }
}

/** The refusal of a run. */
export function refusalOf({ phase, line, column, code, message }: QueryError): Refusal {
  const place = phase === 'statement' ? `the SQL, line ${line}` : `line ${line}`
  const detail =
    phase === 'statement'
      ? 'The template writes a statement that is not allowed; see errors.'
      : 'The template is invalid; see errors.'
  return new Refusal(code, detail, [{ pointer: '/text', message: `${place}, column ${column}: ${message}` }])
}
