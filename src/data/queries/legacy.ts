import { isAdministrator } from '../../access/rights/permissions.ts'
import { hasRole } from '../../context.ts'
import type { Context } from '../../context.ts'
import { Refusal, invalidAt } from '../../lib/errors.ts'
import { TemplateFault } from '../../templates/fault.ts'
import { NativeFunction } from '../../templates/values/value.ts'
import { READERS } from '../sources/schema.ts'
import type { Definition, QueryView } from './schema.ts'

/** Types of parameters whose values may be any text. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'query', 'identifier'])

type Escaped = Pick<Definition, 'escaping' | 'parameters'>

/** Stands for `user` in a template that writes values as they are: users choose their names. Each use of it is a fault. */
export const NO_LEGACY_USER = new NativeFunction((_, at) => {
  throw new TemplateFault(at, 'user has no value with the escaping legacy')
})

/** Refuses to store or publish a data query whose values become SQL.
 * @throws {Refusal} forbidden for callers who are not administrators, invalid where dashboards could give it texts */
export function refuseLegacy(
  { caller }: Context,
  { isAccessible, ...query }: Escaped & { readonly isAccessible: boolean },
): void {
  if (query.escaping === 'bind') return
  if (!isAdministrator(caller))
    throw new Refusal('forbidden', 'Only administrators can store data queries with the escaping legacy.')
  if (isAccessible && takesTexts(query))
    throw invalidAt(
      '/escaping',
      'must be bind for a data query with texts as parameters that dashboards may show',
    )
}

/** Refuses a text that is not stored and whose values become SQL to callers who may not store it.
 * @throws {Refusal} forbidden */
export function refuseLegacyText({ caller }: Context, { escaping }: Pick<Definition, 'escaping'>): void {
  if (escaping === 'bind' || isAdministrator(caller)) return
  throw new Refusal(
    'forbidden',
    'Only administrators can run texts with the escaping legacy that are not stored. Others run stored drafts and published versions.',
  )
}

/** Refuses a run with values that become SQL to callers who may not write SQL, such as viewers of a dashboard.
 * @throws {Refusal} forbidden */
export function refuseLegacyRun({ caller }: Context, query: Escaped): void {
  if (query.escaping === 'bind' || !takesTexts(query)) return
  if (hasRole(caller, READERS)) return
  throw new Refusal('forbidden', 'The data query writes texts into its SQL: only its editors can run it.')
}

const takesTexts = ({ parameters }: Escaped): boolean => parameters.some(({ type }) => TEXTS.has(type))

/** The risks of a draft. */
export function warningsOf({ escaping }: Escaped): QueryView['warnings'] {
  if (escaping === 'bind') return []
  const message =
    'Values become SQL as they are. A text that the template does not escape can change the statement: use the escaping bind.'
  return [{ code: 'legacy_escaping', message }]
}
