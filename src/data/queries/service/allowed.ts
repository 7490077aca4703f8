import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { listVisibleColumns } from '../../scopes/service/sights.ts'
import type { Allowed } from '../parameters.ts'
import type { Library } from '../references.ts'
import type { Definition } from '../schema.ts'

const VALUES_QUERIES_MAX = 10

/** Names and values that the parameters of a statement may have.
 * @param read reads the values of a data query; null where no data query may have values of others
 * @throws {Refusal} as `listVisibleColumns` and `read` */
export async function readAllowed(
  context: Context,
  { dataSourceId, parameters }: Pick<Definition, 'dataSourceId' | 'parameters'>,
  {
    library,
    read,
  }: { readonly library: Library; readonly read: ((id: number) => Promise<ReadonlySet<string>>) | null },
): Promise<Allowed> {
  const all = [
    ...parameters,
    ...Array.from(library.values()).flatMap((published) => published?.parameters ?? []),
  ]
  const hasNames = all.some(({ type }) => type === 'identifier')
  const columns = hasNames ? await listVisibleColumns(context, dataSourceId) : null
  const ids = new Set(
    all.flatMap(({ type, valuesQueryId }) => (type === 'query' ? (valuesQueryId ?? []) : [])),
  )
  if (ids.size > VALUES_QUERIES_MAX)
    throw new Refusal(
      'invalid',
      `More than ${VALUES_QUERIES_MAX} data queries have values of the parameters.`,
    )
  const choices = new Map<number, ReadonlySet<string>>()
  for (const id of ids) if (read) choices.set(id, await read(id))
  return { columns: columns && new Set(columns.map(({ name }) => name)), choices }
}
