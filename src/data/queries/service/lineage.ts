import type { Context } from '../../../context.ts'
import { listVisibleTables, readSights } from '../../scopes/service/sights.ts'
import { findDataSource } from '../../sources/service.ts'
import { WRITERS } from '../../sql/dialects/writers.ts'
import { boundOf } from '../../sql/fragment.ts'
import type { Dialect } from '../../sql/spelling.ts'
import { UNCHECKED, valuesOf } from '../parameters.ts'
import { columnsIn, namesIn } from '../lineage.ts'
import { keyOf } from '../references.ts'
import type { LineageView } from '../lineage-schema.ts'
import type { RunBody } from '../run-schema.ts'
import type { Parameter, ParameterValue } from '../schema.ts'
import * as store from '../store.ts'
import { examine, missingSource, written } from './composition.ts'
import type { Examined } from './composition.ts'
import { dialectOf } from './readable-source.ts'
import { definitionOf } from './run.ts'

/** Values of parameters that are required and have no default. */
const SAMPLES: Readonly<Record<Parameter['type'], string | number | boolean>> = {
  string: 'a',
  number: 1,
  boolean: true,
  date: '2000-01-01',
  datetime: '2000-01-01T00:00:00Z',
  enum: 'a',
  identifier: 'a',
  query: 'a',
}

/** The data queries, tables and columns that a version of a data query reads, directly and through other data queries.
 * @throws {Refusal} not_found, conflict for one that was never published, and as `readSchema` */
export async function readLineage(
  context: Context,
  { id, version }: { readonly id: number; readonly version: RunBody['version'] },
): Promise<LineageView> {
  const { ports } = context
  const query = await definitionOf(context, id, version)
  const { dataSourceId, parameters } = query
  const source = await findDataSource(ports, dataSourceId)
  const examined = await examine(ports, query)
  if ('errors' in examined || !source) {
    const errors = [
      ...(source ? [] : [missingSource(dataSourceId)]),
      ...('errors' in examined ? examined.errors : []),
    ]
    return { dataSourceId, queries: [], tables: [], errors }
  }
  const queries = await edgesOf(context, { id, parameters, examined })
  const dialect = dialectOf(context, source)
  const values = valuesOf(parameters, samplesOf(parameters), { pointer: '/parameters', allowed: UNCHECKED })
  const made = await written(context, examined, { dialect, values, allowed: UNCHECKED })
  if ('errors' in made) return { dataSourceId, queries, tables: [], errors: [...made.errors] }
  const { text } = boundOf(made.statement, WRITERS[dialect])
  const tables = await tablesIn(context, dataSourceId, { text, dialect })
  return { dataSourceId, queries, tables, errors: [] }
}

function samplesOf(parameters: readonly Parameter[]): Readonly<Record<string, ParameterValue>> {
  const open = parameters.filter((one) => one.required && one.default === null)
  return Object.fromEntries(
    open.map(({ name, type, multi, choices }) => {
      const value = choices[0] ?? SAMPLES[type]
      return [name, multi ? [value] : value]
    }),
  )
}

type Root = {
  readonly id: number
  readonly parameters: readonly Parameter[]
  readonly examined: Examined
}

/** Which data query reads which: rows by a reference, and values of parameters. */
async function edgesOf(
  { ports: { database } }: Context,
  { id, parameters, examined: { template, reached } }: Root,
): Promise<LineageView['queries']> {
  const rows = await store.listPublished(database, [...reached.keys()])
  const ids = new Map(rows.map((row) => [keyOf(row.name), row]))
  const readers = [
    { by: id, parameters, calls: template.references().calls },
    ...rows.flatMap((row) => {
      const published = reached.get(keyOf(row.name))
      return published
        ? [{ by: row.id, parameters: published.parameters, calls: published.references.calls }]
        : []
    }),
  ]
  const names = await store.listNames(
    database,
    readers.flatMap((reader) => reader.parameters.flatMap(({ valuesQueryId }) => valuesQueryId ?? [])),
  )
  const edges = readers.flatMap(({ by, parameters: own, calls }) => [
    ...calls.flatMap(({ name }) => {
      const row = ids.get(keyOf(name))
      return row ? [{ id: row.id, name: row.name, reads: 'rows' as const, by }] : []
    }),
    ...own.flatMap(({ valuesQueryId }) => {
      const name = names.get(valuesQueryId ?? 0)
      return name === undefined || valuesQueryId === null
        ? []
        : [{ id: valuesQueryId, name, reads: 'values' as const, by }]
    }),
  ])
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()]
}

/** The tables and columns whose names are in a statement, among those that the caller may read. */
async function tablesIn(
  context: Context,
  dataSourceId: number,
  { text, dialect }: { readonly text: string; readonly dialect: Dialect },
): Promise<LineageView['tables']> {
  const names = namesIn(text, dialect)
  const [sights, tables] = await Promise.all([
    readSights(context, dataSourceId),
    listVisibleTables(context, dataSourceId),
  ])
  return tables.flatMap(({ name, kind }) => {
    const sight = sights.get(name)
    if (!sight || !names.has(name)) return []
    return [{ name, kind, columns: columnsIn(names, sight.columns) }]
  })
}
