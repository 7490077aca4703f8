import { Refusal } from '../../lib/errors.ts'
import { Lru } from '../../lib/lru.ts'
import { TemplateFault } from '../../templates/fault.ts'
import { Template } from '../../templates/template.ts'
import type { Surroundings } from '../../templates/template.ts'
import { WRITERS } from '../sql/dialects/writers.ts'
import { boundOf, shortened } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import { checkStatement } from '../sql/gate.ts'
import type { Relations } from '../sql/names.ts'
import type { Dialect } from '../sql/spelling.ts'
import { templateFragment } from '../sql/template-sql.ts'
import { TextFault } from '../sql/text-fault.ts'
import { Written } from '../../templates/written.ts'
import type { ReferenceFault } from './references.ts'
import type { Definition, QueryView } from './schema.ts'

export type QueryError = QueryView['errors'][number]

/** A statement, or the fault that prevents one. */
type Made = { readonly statement: Fragment } | { readonly error: QueryError }

type Writing = Partial<Pick<Definition, 'escaping'>> & {
  readonly dialect: Dialect
  readonly relations: Relations | null
}

/** The statement that the template of a data query writes. It is one statement that only reads, and can stand in parentheses. */
export function statementOf(
  template: Template,
  surroundings: Surroundings,
  { dialect, relations, escaping = 'bind' }: Writing,
): Made {
  let written = ''
  try {
    const isLegacy = escaping === 'legacy'
    const statement = isLegacy
      ? textFragment(template.text(surroundings), dialect)
      : templateFragment(template.sql(surroundings), dialect)
    written = boundOf(statement, WRITERS[dialect]).text
    const checked = checkStatement(written, dialect, relations)
    return { statement: shortened(statement, written.length - checked.length) }
  } catch (error) {
    if (error instanceof WrittenFault) return { error: { ...templateError(error.fault), phase: 'statement' } }
    if (error instanceof TemplateFault) return { error: templateError(error) }
    if (!(error instanceof TextFault)) throw error
    const code = error.code === 'scope_unsupported_reference' ? error.code : 'invalid'
    return { error: { phase: 'statement', ...error.placeIn(written), code, message: error.complaint } }
  }
}

/** A fault at a place in SQL that a template wrote as text. */
class WrittenFault extends Error {
  constructor(readonly fault: TemplateFault) {
    super(fault.message)
  }
}

/** SQL that a template wrote as text, without binds. */
function textFragment(text: string, dialect: Dialect): Fragment {
  try {
    return templateFragment(new Written([{ kind: 'text', text, at: 0, snippet: null }], () => text), dialect)
  } catch (error) {
    throw error instanceof TemplateFault ? new WrittenFault(error) : error
  }
}

const TEMPLATES_MAX_CHARS = 200_000
const TEMPLATES_MAX = 500

/** Templates that were parsed lately, by their texts. */
const templates = new Lru<Template>(TEMPLATES_MAX_CHARS, TEMPLATES_MAX)

/** A text as a template, or the fault that no values can heal. */
export function parsedText(
  text: string,
): { readonly template: Template } | { readonly template?: never; readonly error: QueryError } {
  const known = templates.get(text)
  if (known) return { template: known }
  try {
    const template = Template.parse(text)
    templates.set(text, template, text.length)
    return { template }
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error
    return { error: templateError(error) }
  }
}

function templateError({ line, column, complaint }: TemplateFault): QueryError {
  return { phase: 'template', line, column, code: 'invalid', message: complaint }
}

export function referenceError({ position, code, complaint }: ReferenceFault, text: string): QueryError {
  const place = new TextFault(position, complaint).placeIn(text)
  return { phase: 'reference', ...place, code, message: complaint }
}

const DETAILS: Readonly<Record<QueryError['phase'], string>> = {
  reference: 'The template refers to data queries that it cannot use; see errors.',
  template: 'The template is invalid; see errors.',
  statement: 'The template writes a statement that is not allowed; see errors.',
  materialization: 'The result of the data query cannot be stored; see errors.',
  plan: 'The data source refuses the statement; see errors.',
}

/** The refusal of a run. */
export function refusalOf(errors: readonly [QueryError, ...QueryError[]]): Refusal {
  const [{ phase, code }] = errors
  const faults = errors.map((error) => ({ pointer: '/text', message: placedMessage(error) }))
  return new Refusal(phase === 'reference' ? 'invalid' : code, DETAILS[phase], faults)
}

/** The message of an error with its place, if it has one. */
export function placedMessage({ phase, line, column, message }: QueryError): string {
  if (line === null) return message
  return `${phase === 'statement' || phase === 'plan' ? 'the SQL, ' : ''}line ${line}, column ${column}: ${message}`
}
