import { recorder } from '../../access/audit/service.ts'
import { refuseWhileShown } from '../../access/dashboard-use/service.ts'
import type { Context } from '../../context.ts'
import { commitIfMatch, demandedVersion, refuseStale } from '../../http/preconditions.ts'
import { Refusal, invalidAt, nameTaken, noSuch, stale } from '../../lib/errors.ts'
import { parseInstant, timeFormat } from '../../lib/time.ts'
import {
  commit,
  commitAndRead,
  fullDetail,
  isForeignKeyViolation,
  isUniqueViolation,
  onlyOf,
  refuseFull,
} from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { checkDefaults } from './parameters.ts'
import { keyOf } from './references.ts'
import { QUERIES_MAX, VERSIONS_MAX } from './schema.ts'
import type {
  Definition,
  ListQuery,
  PublishBody,
  QueryBody,
  QuerySummary,
  QueryView,
  VersionView,
} from './schema.ts'
import { hasGroup } from './groups/service.ts'
import { listResultStates, publicationWrites, readResultState } from './results/service.ts'
import type { ResultState } from './results/schema.ts'
import { refuseLegacy, warningsOf } from './legacy.ts'
import { errorsOf } from './service/composition.ts'
import { draftErrors } from './service/draft.ts'
import {
  deletionWrites,
  hasDependents,
  isReferredTo,
  referencedKeys,
  renameWrites,
} from './service/dependents.ts'
import { placedMessage } from './statement.ts'
import * as store from './store.ts'
import type { QueryChange, QueryRow, SummaryRow } from './store.ts'

const recorded = recorder('dataQuery')

type Change = Omit<QueryChange, 'hasFaults'>
type Versioned = { readonly view: QueryView; readonly version: number }

/** The data queries, by name; there are 1,000 at most. */
export async function listQueries({ ports }: Context, query: ListQuery): Promise<QuerySummary[]> {
  const [rows, states] = await Promise.all([
    store.listQueries(ports.database, query),
    listResultStates(ports),
  ])
  return rows.map((row) => ({
    ...summaryOf(ports, row, states.get(row.id) ?? null),
    hasErrors: row.hasErrors,
  }))
}

/** @throws {Refusal} not_found */
export async function readQuery(context: Context, id: number): Promise<Versioned> {
  return versioned(context, await requireQuery(context.ports, id))
}

/** Stores a data query, also one that cannot run.
 * @throws {Refusal} invalid for defaults of other types, name_taken, conflict when there are 1,000 */
export async function createQuery(context: Context, body: QueryBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const change = changeOf(ports, body)
  refuseLegacy(context, change)
  const errors = await errorsOf(context, change)
  const row = {
    ...change,
    hasFaults: hasOwnFaults(errors),
    published: 0,
    version: 1,
    createdAt: change.updatedAt,
  }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const full = fullDetail(QUERIES_MAX, 'data queries')
  const writes = [
    store.insertQuery(database, row, QUERIES_MAX),
    ...store.replaceReferences(database, store.queryNamed(row.name), referencedKeys(row.text)),
    entry,
  ]
  const [made] = await refuseFull('data_queries', full, () =>
    writeQuery(ports, row, () => commitAndRead(database, writes, [store.selectQuery(database, row.name)])),
  )
  return versioned(context, onlyOf(made) as QueryRow, errors)
}

/** @throws {Refusal} not_found, precondition_failed, and as `createQuery` */
export async function updateQuery(
  context: Context,
  id: number,
  { body, ifMatch }: { readonly body: QueryBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const before = await requireQuery(ports, id)
  refuseStale(ifMatch, before.version, 'data query')
  return changeDraft(context, before, { action: 'update', after: changeOf(ports, body) })
}

/** @throws {Refusal} not_found, precondition_failed, has_dependents while others refer to it or dashboards show it, unless it is
 * forced */
export async function deleteQuery(
  context: Context,
  id: number,
  options: { readonly isForced: boolean },
): Promise<void> {
  const row = await requireQuery(context.ports, id)
  if (!options.isForced) await refuseWhileShown(context, { kind: 'dataQuery', ids: [id] })
  try {
    await commitIfMatch(context, { ...row, table: 'data_queries' }, [
      ...deletionWrites(context.ports, { ids: [id], keys: [keyOf(row.name)] }, options),
      recorded(context, 'delete', { objectId: id, before: auditFieldsOf(row) }),
    ])
  } catch (error) {
    if (!isReferredTo(error)) throw error
    throw await hasDependents(context.ports, [row])
  }
}

/** Publishes the draft as the next version, of which the latest 50 are kept.
 * @throws {Refusal} not_found, precondition_failed, conflict for a draft with errors unless it is forced */
export async function publishQuery(
  context: Context,
  id: number,
  { description, force }: PublishBody,
): Promise<Versioned> {
  const { ports, caller } = context
  const { database, clock } = ports
  const before = await requireQuery(ports, id)
  refuseStale(demandedVersion(context), before.version, 'data query')
  refuseLegacy(context, before)
  const errors = force ? [] : await draftErrors(context, id, before)
  if (errors.length > 0)
    throw new Refusal(
      'conflict',
      'The draft has errors; see errors. Correct them, or publish with force.',
      errors.map((error) => ({
        pointer: error.phase === 'materialization' ? '/materialization' : '/text',
        message: placedMessage(error),
      })),
    )
  const published = before.published + 1
  const former = await store.findVersion(database, id, before.published)
  const userId = caller.kind === 'user' ? caller.userId : 0
  const version = {
    queryId: id,
    number: published,
    ...definitionOf(before),
    description,
    userId,
    createdAt: clock.now(),
  }
  const told = { objectId: id, before: { published: before.published }, after: { published, description } }
  const writes = [
    store.updateQuery(database, before, { published }),
    ...store.insertVersion(database, version, VERSIONS_MAX),
    ...store.publishReferences(database, id),
    ...publicationWrites(ports, { queryId: id, number: published, before: former, after: before }),
    recorded(context, 'publish', told),
  ]
  await writeQuery(ports, before, () => commit(database, writes))
  return versioned(context, { ...before, published, version: before.version + 1 })
}

/** The published versions that are kept, the latest first. @throws {Refusal} not_found */
export async function listVersions({ ports }: Context, id: number): Promise<VersionView[]> {
  await requireQuery(ports, id)
  const format = timeFormat(ports.settings.timeZone)
  return (await store.listVersions(ports.database, id)).map((row) => ({
    number: row.number,
    ...definitionOf(row),
    description: row.description,
    publishedBy: row.userId,
    publishedAt: format(row.createdAt),
  }))
}

/** Makes a published version the draft. @throws {Refusal} not_found, precondition_failed */
export async function restoreVersion(
  context: Context,
  { id, number }: { readonly id: number; readonly number: number },
): Promise<Versioned> {
  const { ports } = context
  const before = await requireQuery(ports, id)
  refuseStale(demandedVersion(context), before.version, 'data query')
  const version = await store.findVersion(ports.database, id, number)
  if (!version) throw noSuch('version')
  const { name, description, groupId, isAccessible } = before
  const now = ports.clock.now()
  const after = { name, description, groupId, isAccessible, ...definitionOf(version), updatedAt: now }
  return changeDraft(context, before, { action: 'restore', after })
}

async function changeDraft(
  context: Context,
  before: QueryRow,
  { action, after }: { readonly action: string; readonly after: Change },
): Promise<Versioned> {
  const { ports } = context
  refuseLegacy(context, after)
  const errors = await draftErrors(context, before.id, after)
  const change = { ...after, hasFaults: hasOwnFaults(errors) }
  const told = { objectId: before.id, before: auditFieldsOf(before), after: auditFieldsOf(after) }
  const writes = [
    store.updateQuery(ports.database, before, change),
    ...(after.name === before.name ? [] : await renameWrites(context, before, after.name)),
    ...store.replaceReferences(ports.database, before.id, referencedKeys(after.text)),
    recorded(context, action, told),
  ]
  await writeQuery(ports, after, () => commit(ports.database, writes))
  const row = { ...before, ...change, version: before.version + 1 }
  // With a new name the references of others have changed as well.
  return after.name === before.name ? versioned(context, row, errors) : versioned(context, row)
}

/** Runs the commit that creates or changes a data query.
 * @throws {Refusal} name_taken, precondition_failed, invalid for a group that does not exist */
async function writeQuery<Result>(
  ports: Ports,
  { groupId }: Pick<QueryRow, 'groupId'>,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (store.isGuarded(error)) throw stale('data query')
    if (isForeignKeyViolation(error)) {
      const isGroup = groupId === null || (await hasGroup(ports, groupId))
      throw isGroup ? stale('data query') : invalidAt('/groupId', 'must be the id of an existing group')
    }
    throw isUniqueViolation(error, 'data_queries.name') ? nameTaken('data query') : error
  }
}

async function requireQuery({ database }: Ports, id: number): Promise<QueryRow> {
  const row = await store.findQuery(database, id)
  if (!row) throw noSuch('data query')
  return row
}

/** Whether a draft has faults that only a change of it can mend. */
function hasOwnFaults(errors: readonly QueryView['errors'][number][]): boolean {
  return errors.some(({ code }) => code !== 'not_found')
}

function changeOf({ clock }: Ports, body: QueryBody): Change {
  checkDefaults(body.parameters)
  const { name, description, groupId, accessibleFromDashboards: isAccessible } = body
  return { name, description, groupId, isAccessible, ...definitionOf(body), updatedAt: clock.now() }
}

function definitionOf({ dataSourceId, text, parameters, materialization, escaping, assertions }: Definition) {
  return { dataSourceId, text, parameters, materialization, escaping, assertions }
}

function auditFieldsOf({ name, description, groupId, isAccessible, ...rest }: Change) {
  return { name, description, groupId, accessibleFromDashboards: isAccessible, ...definitionOf(rest) }
}

async function versioned(
  context: Context,
  row: QueryRow,
  known?: readonly QueryView['errors'][number][],
): Promise<Versioned> {
  const { ports } = context
  const errors = [...(known ?? (await draftErrors(context, row.id, row)))]
  const result = await readResultState(ports, row.id)
  const view = {
    ...summaryOf(ports, row, result),
    hasErrors: errors.length > 0,
    ...definitionOf(row),
    errors,
    warnings: warningsOf(row),
  }
  return { view, version: row.version }
}

function summaryOf(
  { settings, clock }: Ports,
  row: SummaryRow,
  result: ResultState,
): Omit<QuerySummary, 'hasErrors'> {
  const { id, name, description, groupId, dataSourceId, published, createdAt, updatedAt } = row
  const format = timeFormat(settings.timeZone)
  return {
    id,
    name,
    description,
    groupId,
    dataSourceId,
    accessibleFromDashboards: row.isAccessible,
    published,
    state: stateOf(row, result, clock.now()),
    result,
    createdAt: format(createdAt),
    updatedAt: format(updatedAt),
  }
}

function stateOf({ published }: SummaryRow, result: ResultState, now: number): QuerySummary['state'] {
  if (published === 0) return 'draft'
  if (!result) return 'ready'
  if (result.isRefreshing) return 'refreshing'
  if (result.failures > 0) return 'failed'
  const { version, nextRefreshAt } = result
  const isDue = nextRefreshAt !== null && parseInstant(nextRefreshAt) <= now
  return version === published && !isDue ? 'ready' : 'stale'
}
