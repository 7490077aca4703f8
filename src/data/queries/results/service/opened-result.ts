import type { Context } from '../../../../context.ts'
import { sha256 } from '../../../../lib/digest.ts'
import type { RowStream } from '../../../../ports/databases.ts'
import { requireSource } from '../../../sources/service.ts'
import { WRITERS } from '../../../sql/dialects/writers.ts'
import { boundOf } from '../../../sql/fragment.ts'
import type { Fragment } from '../../../sql/fragment.ts'
import type { Dialect } from '../../../sql/spelling.ts'
import { UNCHECKED, valuesOf } from '../../parameters.ts'
import type { Definition } from '../../schema.ts'
import { examine, written } from '../../service/composition.ts'
import type { Composed } from '../../service/composition.ts'
import { openSource } from '../../service/readable-source.ts'
import type { ReadableSource } from '../../service/readable-source.ts'
import { refusalOf } from '../../statement.ts'
import { materializationError, NO_USER } from '../materializable.ts'
import type { Materialization } from '../schema.ts'
import { listReadable } from '../service.ts'
import type { StoredResult } from '../service.ts'

type Opening = {
  readonly limits: { readonly rowsMax: number; readonly bytesMax: number; readonly timeoutMs: number }
  readonly inTime: AbortSignal
  readonly materialization: Materialization
}

/** A data query that is ready to be read with the defaults of its parameters. */
export type OpenedResult = {
  readonly dialect: Dialect
  readonly statement: Fragment
  /** Equal as long as equal rows of the source are equal rows of the result. */
  readonly basis: string
  readonly query: (statement: Fragment) => Promise<RowStream>
}

/** @throws {Refusal} invalid for one that cannot be stored, and as `openSource` */
export async function openResult(
  context: Context,
  query: Composed,
  { limits, inTime, materialization }: Opening,
): Promise<OpenedResult> {
  const row = await requireSource(context.ports, query.dataSourceId)
  const unfit = materializationError(query, row)
  if (unfit) throw refusalOf([unfit])
  const source = await openSource(context, row)
  const { statement, results } = await statementOf(context, query, { source, row })
  const reader = source.withResults?.(results) ?? source
  const { dialect } = source
  const bound = boundOf(statement, WRITERS[dialect])
  const { incremental = null } = materialization
  return {
    dialect,
    statement,
    basis: await sha256(
      JSON.stringify([row.id, row.version, row.createdAt, incremental, query.assertions, bound]),
    ),
    query: (wanted) => reader.query(boundOf(wanted, WRITERS[dialect]), limits, inTime),
  }
}

type Place = {
  readonly source: ReadableSource
  readonly row: Awaited<ReturnType<typeof requireSource>>
}

async function statementOf(
  context: Context,
  query: Composed,
  { source, row }: Place,
): Promise<{ readonly statement: Fragment; readonly results: readonly StoredResult[] }> {
  const examined = await examine(context.ports, query)
  if ('errors' in examined) throw refusalOf(examined.errors)
  const results: ReadonlyMap<string, StoredResult> = source.withResults
    ? await listReadable(context, row, [...examined.reached.keys()])
    : new Map()
  const made = await written(context, examined, {
    dialect: source.dialect,
    values: defaultsOf(query),
    allowed: UNCHECKED,
    user: NO_USER,
    results,
  })
  if ('errors' in made) throw refusalOf(made.errors)
  return { statement: made.statement, results: [...results.values()] }
}

function defaultsOf({ parameters }: Definition) {
  return valuesOf(parameters, {}, { pointer: '/parameters', allowed: UNCHECKED })
}
