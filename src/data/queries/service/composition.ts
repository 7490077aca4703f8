import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { untilAborted } from '../../../lib/abort.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import { Limits } from '../../../templates/limits.ts'
import type { Given, Template } from '../../../templates/template.ts'
import { findDataSource } from '../../sources/service.ts'
import { WRITERS } from '../../sql/dialects/writers.ts'
import { boundOf } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'
import type { Relations } from '../../sql/names.ts'
import type { Dialect } from '../../sql/spelling.ts'
import { UNCHECKED, valuesOf } from '../parameters.ts'
import type { Allowed } from '../parameters.ts'
import { NO_LEGACY_USER } from '../legacy.ts'
import { NO_USER, materializationError } from '../results/materializable.ts'
import type { StoredResult } from '../results/service.ts'
import { REACHED_MAX, keyOf, referenceFaults } from '../references.ts'
import type { Library, Published } from '../references.ts'
import type { Definition } from '../schema.ts'
import { planFault } from '../plan-fault.ts'
import { parsedText, referenceError, statementOf } from '../statement.ts'
import type { QueryError } from '../statement.ts'
import * as store from '../store.ts'
import { surroundingsOf } from '../sub-queries.ts'
import { dialectOf, openSource } from './readable-source.ts'

/** A data source that does not answer in this time has not checked a draft. */
const PLAN_MAX_MS = 3_000

/** A data query to compose a statement of. */
export type Composed = Definition & {
  /** Null for one that is not stored. */
  readonly name: string | null
}

export type Faults = { readonly errors: readonly [QueryError, ...QueryError[]] }
export type Examined = Pick<Definition, 'escaping'> & {
  readonly template: Template
  readonly reached: Library
}
type Statement = {
  readonly dialect: Dialect
  /** The relations of the caller; null where the caller has no scope. */
  readonly relations?: Relations | null
  readonly values: Readonly<Record<string, Given>>
  readonly allowed: Allowed
  /** The value of `user`; absent for the caller. */
  readonly user?: Given
  /** Stored results that are read in place of data queries, by the keys of their names; absent for none. */
  readonly results?: ReadonlyMap<string, StoredResult>
}

/** Reads the data queries that a data query refers to, or its faults. */
export async function examine(ports: Ports, query: Composed): Promise<Examined | Faults> {
  const parsed = parsedText(query.text)
  if (!parsed.template) return { errors: [parsed.error] }
  const references = parsed.template.references()
  const names = references.calls.map(({ name }) => keyOf(name))
  const library = await readLibrary(ports, names)
  const faults = referenceFaults({ ...query, references }, library)
  const [first, ...others] = [
    ...faults.map((fault) => referenceError(fault, query.text)),
    ...(await missingValues(ports, query)),
  ]
  return first
    ? { errors: [first, ...others] }
    : { template: parsed.template, reached: library, escaping: query.escaping }
}

/** The statement of a data query with those that it refers to, or its faults. */
export async function written(
  context: Context,
  { template, reached, escaping }: Examined,
  { dialect, relations = null, values, allowed, user, results = new Map() }: Statement,
): Promise<{ readonly statement: Fragment } | Faults> {
  const { settings } = context.ports
  const stage = {
    published: reached,
    results,
    allowed,
    user:
      escaping === 'legacy'
        ? NO_LEGACY_USER
        : (user ?? (await userOf(context, namesUser(template, reached)))),
    timeZone: settings.timeZone,
    limits: new Limits(),
    calls: 0,
  }
  const made = statementOf(template, surroundingsOf(stage, values), { dialect, relations, escaping })
  return 'error' in made ? { errors: [made.error] } : made
}

/** The published versions that names reach, by the keys of their names. It ends after one more than `REACHED_MAX`. */
async function readLibrary({ database }: Ports, names: readonly string[]): Promise<Library> {
  const library = new Map<string, Published | null>()
  let wanted = new Set(names)
  while (wanted.size > 0 && library.size <= REACHED_MAX) {
    const rows = await store.listPublished(database, [...wanted].slice(0, REACHED_MAX + 1))
    for (const row of rows) library.set(keyOf(row.name), publishedOf(row))
    const next = rows.flatMap(({ name }) => library.get(keyOf(name))?.references.calls ?? [])
    wanted = new Set(
      next.map(({ name }) => keyOf(name)).filter((key) => !library.has(key) && !wanted.has(key)),
    )
  }
  return library
}

function publishedOf({ name, definition }: store.PublishedRow): Published | null {
  if (!definition) return null
  const { dataSourceId, text, parameters, escaping } = definition
  const { template = null } = parsedText(text)
  const references = template?.references() ?? { calls: [], computed: [] }
  return { name, dataSourceId, parameters, escaping, template, references }
}

function namesUser(template: Template, reached: Library): boolean {
  return [template, ...reached.values().map((published) => published?.template)].some(
    (one) => one?.mentions('user') === true,
  )
}

/** The caller as templates know it; null where none of them has its name. */
async function userOf(context: Context, isNamed: boolean): Promise<Given> {
  const { userId, username } = requireUser(context)
  if (!isNamed) return null
  const user = await store.findTemplateUser(context.ports.database, userId)
  return { id: userId, username, ...user }
}

/** The faults of a data query, as its caller would meet them with the defaults of its parameters. */
export async function errorsOf(context: Context, query: Composed): Promise<readonly QueryError[]> {
  const { dataSourceId, parameters } = query
  const source = await findDataSource(context.ports, dataSourceId)
  const examined = await examine(context.ports, query)
  const unfit = materializationError(query, source)
  const errors = [...('errors' in examined ? examined.errors : []), ...(unfit ? [unfit] : [])]
  if (!source) return [missingSource(dataSourceId), ...errors]
  const isOpen = parameters.some((one) => one.required && one.default === null)
  if ('errors' in examined || isOpen) return errors
  const values = valuesOf(parameters, {}, { pointer: '/parameters', allowed: UNCHECKED })
  const write = (relations: Relations | null) =>
    written(context, examined, {
      dialect: dialectOf(context, source),
      relations,
      values,
      allowed: UNCHECKED,
      ...(query.materialization && { user: NO_USER }),
    })
  const outcome = await write(null)
  if ('errors' in outcome) return [...errors, ...outcome.errors]
  return errors.length > 0 ? errors : planErrors(context, source, write)
}

/** The faults of a statement that its data source finds without running it, such as an unknown table, within the scopes of the
 * caller. A data source that does not answer in time has not checked it. */
async function planErrors(
  context: Context,
  row: Parameters<typeof openSource>[1],
  write: (relations: Relations | null) => ReturnType<typeof written>,
): Promise<readonly QueryError[]> {
  const signal = AbortSignal.timeout(PLAN_MAX_MS)
  const plan = async (): Promise<readonly QueryError[]> => {
    const { dialect, scopes, explain } = await openSource(context, row)
    const made = await write(scopes && scopes.relations)
    if ('errors' in made) return made.errors
    const own = made.statement
    const visible = boundOf(scopes ? scopes.scoped(own) : own, WRITERS[dialect])
    try {
      await explain(visible, { isAnalyzed: false }, signal)
      return []
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'query_failed') throw error
      return [planFault(error.detail, boundOf(own, WRITERS[dialect]).text, dialect)]
    }
  }
  try {
    return await untilAborted(plan(), signal)
  } catch (error) {
    if (!signal.aborted && !(error instanceof Refusal)) throw error
    return []
  }
}

/** The fault of a data query whose data source was deleted. */
export const missingSource = (id: number): QueryError => ({
  phase: 'reference',
  line: null,
  column: null,
  code: 'not_found',
  message: `The data source ${id} does not exist.`,
})

/** The data queries with values of parameters that cannot run. */
async function missingValues({ database }: Ports, { parameters }: Composed): Promise<QueryError[]> {
  const wanted = parameters.filter(({ type }) => type === 'query')
  const found = await store.listPublishedIds(
    database,
    wanted.flatMap(({ valuesQueryId }) => valuesQueryId ?? []),
  )
  return wanted
    .filter(({ valuesQueryId }) => !found.has(valuesQueryId ?? 0))
    .map(({ name, valuesQueryId }) => ({
      phase: 'reference',
      line: null,
      column: null,
      code: 'not_found',
      message: `The data query ${valuesQueryId ?? 0} with the values of ${name} does not exist, or was never published.`,
    }))
}
