import { recorder } from '../../access/audit/service.ts'
import { sealText, unsealText } from '../../access/session/keys.ts'
import type { Context } from '../../context.ts'
import { durationMs, durationText } from '../../lib/duration.ts'
import { commitIfMatch, refuseStale } from '../../http/preconditions.ts'
import { Refusal, invalidAt, nameTaken, noSuch, stale } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import type { Write } from '../../ports/database.ts'
import {
  commit,
  commitAndRead,
  fullDetail,
  isUniqueViolation,
  onlyOf,
  refuseFull,
} from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { dropTables, tableFacts } from '../tables/service.ts'
import { dropUploadsOf } from '../uploads/service.ts'
import { isFileSource, SOURCES_MAX } from './schema.ts'
import type { Connection, DatabaseType, DataSourceBody, DataSourceView } from './schema.ts'
import * as store from './store.ts'
import type { Copying, DataSourceChange, DataSourceRow, Naming, Reading } from './store.ts'

const recorded = recorder('dataSource')

const DEPENDENTS_SHOWN = 100
const PASSWORD_PURPOSE = 'data source password'

export type SourceName = { readonly id: number; readonly name: string }
type Versioned = { readonly view: DataSourceView; readonly version: number }

/** Everything that a program needs to connect to a data source. */
export type OpenedSource = Connection & {
  readonly type: DatabaseType
  readonly password: string | null
  /** How long one statement may take; 0 for as long as it does. */
  readonly timeoutMs: number
}

/** The data sources, by name; there are 200 at most. */
export async function listDataSources({ ports }: Context): Promise<DataSourceView[]> {
  return (await store.listDataSources(ports.database)).map((row) => viewOf(ports, row))
}

/** @throws {Refusal} not_found */
export async function readDataSource({ ports }: Context, id: number): Promise<Versioned> {
  return versioned(ports, await requireSource(ports, id))
}

/** The public part of a data source, by its id or its name in any case; null for an unknown one. */
export async function findDataSource(
  { database }: Ports,
  key: number | string,
): Promise<Pick<DataSourceRow, 'id' | 'name' | 'type' | 'isReadOnly' | 'scopeMode' | 'timeoutMs'> | null> {
  return store.findDataSource(database, typeof key === 'string' ? key.normalize('NFC') : key)
}

/** @throws {Refusal} name_taken, conflict when there are 200 */
export async function createDataSource(context: Context, body: DataSourceBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const change = await changeOf(ports, body, null)
  const row = { ...change, version: 1, createdAt: change.updatedAt }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const writes = [store.insertDataSource(database, row, SOURCES_MAX), entry]
  const [made] = await writeSources(() =>
    commitAndRead(database, writes, [store.selectDataSource(database, row.name)]),
  )
  return versioned(ports, onlyOf(made) as DataSourceRow)
}

/** Replaces a data source; a password that is absent stays.
 * @throws {Refusal} not_found, name_taken, precondition_failed, has_dependents for another type while data queries read it or it
 * has imported tables */
export async function updateDataSource(
  context: Context,
  id: number,
  { body, ifMatch }: { readonly body: DataSourceBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const before = await requireSource(ports, id)
  refuseStale(ifMatch, before.version, 'data source')
  const after = await changeOf(ports, body, before)
  // That the password is another one is on record, and no more of it.
  const password = after.password === before.password ? {} : { password: 'changed' }
  const told = {
    objectId: id,
    before: auditFieldsOf(before),
    after: { ...auditFieldsOf(after), ...password },
  }
  const entry = recorded(context, 'update', told)
  const guard = await guardType(ports, before, after)
  const writes = [...guard, store.updateDataSource(database, before, after), entry]
  await writeSources(() => commit(database, writes))
  return versioned(ports, { ...before, ...after, version: before.version + 1 })
}

/** The writes that bind a change of a data source to its type while data queries, which are in the dialect of the type, read it,
 * or while it has imported tables, which a database could not reach.
 * @throws {Refusal} has_dependents */
export async function guardType(
  ports: Ports,
  before: Pick<DataSourceRow, 'id' | 'type'>,
  { type }: Pick<DataSourceRow, 'type'>,
): Promise<Write[]> {
  if (type === before.type) return []
  const [queries, tables] = await Promise.all([
    store.listReading(ports.database, before.id),
    tableFacts(ports, before.id),
  ])
  if (queries.length > 0) throw hasDependents({ queries })
  if (tables.size > 0) throw hasTables([...tables.keys()])
  return [store.guardType(ports.database, before.id)]
}

function hasTables(names: readonly string[]): Refusal {
  const detail = `This data source has ${names.length} imported tables, which a database cannot have; see errors. Delete these first, or create another data source.`
  return new Refusal('has_dependents', detail, dependentsOf(names.map((name) => `the table ${name}`)))
}

function dependentsOf(messages: readonly string[]): Fault[] {
  return messages
    .slice(0, DEPENDENTS_SHOWN)
    .map((message, index) => ({ pointer: `/dependents/${index}`, message }))
}

/** Takes a data source away. Run configurations, data queries and copies that name it stay, and their runs fail.
 * @throws {Refusal} not_found, has_dependents while some name it, unless it is forced */
export async function deleteDataSource(
  context: Context,
  id: number,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  const { database } = context.ports
  const row = await requireSource(context.ports, id)
  const entry = recorded(context, 'delete', { objectId: id, before: auditFieldsOf(row) })
  try {
    await commitIfMatch(context, { ...row, table: 'data_sources' }, [
      dropTables(context.ports, id),
      ...(await dropUploadsOf(context.ports, id)),
      ...store.deleteDataSource(database, id, { isForced }),
      entry,
      ...context.ports.scripts.dependents({ kind: 'dataSource', ownerId: id }, []),
    ])
  } catch (error) {
    if (!store.isGuarded(error)) throw error
    const [configurations, queries, copies] = await Promise.all([
      store.listNaming(database, id),
      store.listReading(database, id),
      store.listCopying(database, id),
    ])
    throw hasDependents({ configurations, queries, copies })
  }
}

/** The connection settings of a program that reads from a data source, or writes to it as well.
 * @throws {Refusal} not_found, conflict for writing to one that is read-only, or a password that was sealed under another key */
export async function openDataSource(
  ports: Ports,
  { dataSourceId, access }: { readonly dataSourceId: number; readonly access: 'read' | 'write' },
): Promise<OpenedSource> {
  const row = await store.findDataSource(ports.database, dataSourceId)
  if (!row) throw new Refusal('not_found', `The data source ${dataSourceId} no longer exists.`)
  if (access === 'write' && row.isReadOnly)
    throw new Refusal(
      'conflict',
      `The data source ${row.name} is read-only, but the run configuration requests write access.`,
    )
  return databaseOf(ports, row)
}

/** @throws {Refusal} conflict for a source of files, or a password that was sealed under another key */
export async function databaseOf(ports: Ports, row: DataSourceRow): Promise<OpenedSource> {
  const { type, connection, timeoutMs } = row
  if (isFileSource(type) || !connection)
    throw new Refusal(
      'conflict',
      `The data source ${row.name} is not a database: its tables are imported from files.`,
    )
  return { ...connection, type, timeoutMs, password: await passwordOf(ports, row) }
}

/** @throws {Refusal} conflict for a password that was sealed under another key */
async function passwordOf({ secrets }: Ports, { name, password }: DataSourceRow): Promise<string | null> {
  if (password === null) return null
  const what = `The password of the data source ${name}`
  return unsealText(secrets, password, { purpose: PASSWORD_PURPOSE, what })
}

export async function changeOf(
  ports: Ports,
  { name, description, type, readOnly, timeout, scopeMode, connection }: DataSourceBody,
  before: DataSourceRow | null,
): Promise<DataSourceChange> {
  const { password, passwordSet: _, ...kept }: Partial<NonNullable<typeof connection>> = connection ?? {}
  return {
    name,
    description,
    type,
    isReadOnly: readOnly,
    timeoutMs: durationMs(timeout),
    scopeMode,
    connection: connection && (kept as Connection),
    password:
      connection && password === undefined
        ? keptPassword(connection, before)
        : await sealOf(ports, password ?? null),
    updatedAt: ports.clock.now(),
  }
}

/** The password of before, unless the connection would send it elsewhere or with less protection.
 * @throws {Refusal} invalid */
function keptPassword(
  { host, port, tls }: Pick<Connection, 'host' | 'port' | 'tls'>,
  before: DataSourceRow | null,
): string | null {
  if (!before || before.password === null) return null
  const { connection } = before
  const isSame = connection?.host === host && connection.port === port && connection.tls === tls
  if (isSame) return before.password
  throw invalidAt('/connection/password', 'must be given again, or null, for another host, port or tls')
}

async function sealOf({ secrets }: Ports, password: string | null): Promise<string | null> {
  if (password === null) return null
  return sealText(secrets, password, PASSWORD_PURPOSE)
}

/** @throws {Refusal} not_found, conflict for a database */
export async function requireFileSource(ports: Ports, id: number): Promise<SourceName> {
  const { type, name } = await requireSource(ports, id)
  if (isFileSource(type)) return { id, name }
  throw new Refusal(
    'conflict',
    'This data source is a database. Imported tables are in data sources of the type csv.',
  )
}

/** @throws {Refusal} not_found */
export async function requireSource({ database }: Ports, key: number | string): Promise<DataSourceRow> {
  const row = await store.findDataSource(database, key)
  if (!row) throw noSuch('data source')
  return row
}

/** Runs the commit that creates or changes data sources.
 * @throws {Refusal} name_taken, precondition_failed, conflict when there are 200 */
export async function writeSources<Result>(write: () => Promise<Result>): Promise<Result> {
  const full = fullDetail(SOURCES_MAX, 'data sources')
  try {
    return await refuseFull('data_sources', full, write)
  } catch (error) {
    if (store.isGuarded(error)) throw stale('data source')
    throw isUniqueViolation(error, 'data_sources.name') ? nameTaken('data source') : error
  }
}

type Dependents = {
  readonly configurations?: readonly Naming[]
  readonly queries: readonly Reading[]
  readonly copies?: readonly Copying[]
}

function hasDependents({ configurations = [], queries, copies = [] }: Dependents): Refusal {
  const messages = [
    ...configurations.map(
      ({ id, name, scriptId, scriptName }) =>
        `the run configuration ${id}, ${name}, of script ${scriptId}, ${scriptName}`,
    ),
    ...queries.map(({ id, name }) => `the data query ${id}, ${name}`),
    ...copies.map(({ id, name, table }) => `the copy ${table} in the data source ${id}, ${name}`),
  ]
  const detail = `This data source is used by ${configurations.length} run configurations, ${queries.length} data queries and ${copies.length} copies of tables; see errors. Change or delete these first; a deletion may also have forceDelete=true.`
  return new Refusal('has_dependents', detail, dependentsOf(messages))
}

/** The fields of an entry: everything but the password. Certificates are long: one field has them alone. */
export function auditFieldsOf(change: DataSourceChange) {
  const { connection, ...fields } = fieldsOf(change)
  if (!connection) return { ...fields, connection }
  const { ca, ...others } = connection
  return { ...fields, connection: others, ca }
}

export function fieldsOf(change: DataSourceChange) {
  const { name, description, type, isReadOnly, timeoutMs, scopeMode, connection } = change
  return {
    name,
    description,
    type,
    readOnly: isReadOnly,
    timeout: durationText(timeoutMs),
    scopeMode,
    connection,
  }
}

function versioned(ports: Ports, row: DataSourceRow): Versioned {
  return { view: viewOf(ports, row), version: row.version }
}

function viewOf({ settings }: Ports, row: DataSourceRow): DataSourceView {
  const format = timeFormat(settings.timeZone)
  return {
    id: row.id,
    ...fieldsOf(row),
    connection: row.connection && { ...row.connection, passwordSet: row.password !== null },
    comment: row.comment,
    annotations: row.annotations,
    createdAt: format(row.createdAt),
    updatedAt: format(row.updatedAt),
  }
}
