import { filenameOf } from '../../../content/files/filename.ts'
import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { COLUMNS_MAX } from '../../../domain/import-plan.ts'
import type { Column } from '../../../domain/table.ts'
import { invalidAt, Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import { conditionOf } from '../../filters/filter.ts'
import { isFileSource } from '../../sources/schema.ts'
import { findDataSource } from '../../sources/service.ts'
import { forgetSchemas, readSchema } from '../../sources/service/connect.ts'
import type { RefreshBody } from '../schema.ts'
import type { ForeignOrigin, Origin, ScriptOrigin } from '../store.ts'

type Wanted<Kind> = Extract<RefreshBody['from'], { kind: Kind }>

/** Checks from where rows are to come. @throws {Refusal} invalid, conflict, and the refusals of the port `databases` */
export function originOf(context: Context, from: RefreshBody['from']): Promise<Origin> {
  return from.kind === 'foreign' ? foreignOf(context.ports, from) : scriptOf(context, from)
}

async function foreignOf(ports: Ports, from: Wanted<'foreign'>): Promise<ForeignOrigin> {
  const { kind, dataSourceId, table, filter } = from
  const source = await findDataSource(ports, dataSourceId)
  if (!source) throw invalidAt('/from/dataSourceId', 'does not exist')
  const { type, scopeMode } = source
  if (isFileSource(type)) throw invalidAt('/from/dataSourceId', 'must be a database')
  if (scopeMode === 'native')
    throw new Refusal(
      'conflict',
      'Row security of this data source needs the session of one user, and a refresh has none.',
    )
  forgetSchemas(ports)
  const own = (await readSchema(ports, dataSourceId)).filter((column) => column.table === table)
  if (own.length === 0) throw invalidAt('/from/table', 'is not a table or view of the data source')
  const byName = new Map(own.map(({ name, type: columnType }) => [name, { name, type: columnType }]))
  if (filter) conditionOf(filter, byName, '/from/filter')
  const columns = (from.columns ?? [...byName.keys()]).map((name, at) => {
    const column = byName.get(name)
    if (!column) throw invalidAt(`/from/columns/${at}`, 'is not a column of the table')
    return column
  })
  requireDistinct(columns, (at) => `/from/columns/${at}`)
  return { kind, dataSourceId, table, isView: own[0]?.kind === 'view', columns, filter }
}

async function scriptOf(context: Context, from: Wanted<'script'>): Promise<ScriptOrigin> {
  const { ports } = context
  const { userId } = requireUser(context)
  const { scriptId, runConfigurationId, columns, ...rest } = from
  const faults = await ports.scripts.faultsOf({ scriptId, runConfigurationId })
  const placed = faults.map(({ pointer, message }) => ({ pointer: `/from${pointer}`, message }))
  if (placed.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', placed)
  const output = filenameOf(from.output)
  if (output === null) throw invalidAt('/from/output', 'must be the name of a file, without folders')
  requireDistinct(columns, (at) => `/from/columns/${at}/name`)
  const named = columns.map(({ source, name, type }) => ({ source: source ?? name, name, type }))
  return { ...rest, scriptId, runConfigurationId, output, columns: named, userId }
}

/** @throws {Refusal} invalid */
function requireDistinct(columns: readonly Pick<Column, 'name'>[], pointer: (at: number) => string): void {
  if (columns.length > COLUMNS_MAX)
    throw invalidAt('/from/columns', `must name at most ${COLUMNS_MAX} columns; the table has more`)
  const taken = new Set<string>()
  for (const [at, { name }] of columns.entries())
    if (taken.size === taken.add(name.toLowerCase()).size) throw invalidAt(pointer(at), 'is already used')
}
