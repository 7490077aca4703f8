import type { Context } from '../../../context.ts'
import type { Columns } from '../../filters/expression.ts'
import type { Asking } from '../../selection/service/waited.ts'
import type { ZonedWriter } from '../../sql/dialects/writer.ts'
import { writerIn } from '../../sql/dialects/writers.ts'
import { boundOf, name, sql } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'
import type { ParameterValue } from '../schema.ts'
import type { ReadableSource } from './readable-source.ts'
import { preparePublished } from './run.ts'

/** The result of a data query as other statements read it. */
export type ReadableQuery = Pick<ReadableSource, 'query'> & {
  readonly columns: Columns
  readonly writer: ZonedWriter
  readonly from: Fragment
}

/** The published version of a data query with these values.
 * @throws {Refusal} as `preparePublished`, and the refusals of the ports `databases` and `tables` */
export async function readableQuery(
  context: Context,
  {
    id,
    values,
    pointer,
  }: {
    readonly id: number
    readonly values: Readonly<Record<string, ParameterValue | null>>
    readonly pointer: string
  },
  asking: Asking,
): Promise<ReadableQuery> {
  const { source, statement } = await preparePublished(context, id, { values, pointer, asking })
  const writer = writerIn(source.dialect, context.ports.settings.timeZone)
  const from = sql`(${statement}) AS ${name('q')}`
  const limits = { rowsMax: 1, bytesMax: Number.MAX_SAFE_INTEGER, onBackend: asking.onBackend }
  const asked = boundOf(sql`SELECT * FROM ${from} LIMIT 0`, writer)
  const { columns, rows } = await source.query(asked, limits, asking.signal)
  await rows.cancel()
  return {
    columns: new Map(columns.map((column) => [column.name, { name: column.name, type: column.type }])),
    writer,
    from,
    query: (...query) => source.query(...query),
  }
}
