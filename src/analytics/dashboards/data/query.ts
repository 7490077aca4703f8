import type * as z from 'zod'
import { Refusal } from '../../../lib/errors.ts'
import { dataBody, dataQuery } from './schema.ts'
import type { DataBody } from './schema.ts'

const PREFIX = 'p.'
const KNOWN: readonly string[] = Object.keys(dataQuery.shape)

/** The body of a POST with the meaning of a query. Parameters are `p.<name>`; a repeated one is a list.
 * @param known the names of other parameters of the query
 * @throws {Refusal} invalid for an unknown parameter of the query, and for values of a wrong shape */
export function bodyOfQuery(
  { widget, page, from, to }: z.output<typeof dataQuery>,
  search: URLSearchParams,
  known = KNOWN,
): DataBody {
  const names = [...new Set(search.keys())]
  const unknown = names.filter(
    (name) => !known.includes(name) && !name.startsWith(PREFIX) && name !== 'sessionId',
  )
  const params = Object.fromEntries(
    names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => {
        const values = search.getAll(name)
        return [name.slice(PREFIX.length), values.length > 1 ? values : values[0] || null]
      }),
  )
  const isRange = from !== undefined || to !== undefined
  const { data, error } = dataBody.safeParse({
    params,
    ...(widget !== undefined && { widgets: [widget].flat() }),
    ...(page !== undefined && { page }),
    ...(isRange && { timeRange: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } }),
  })
  const faults = [
    ...unknown.map((name) => ({
      pointer: `?${name}`,
      message: 'is an unknown parameter',
    })),
    ...(error?.issues ?? []).map(({ path, message }) => ({ pointer: `?${pointed(path)}`, message })),
  ]
  if (!data || faults.length > 0) throw new Refusal('invalid', 'The query is invalid; see errors.', faults)
  return data
}

function pointed([first, second]: readonly PropertyKey[]): string {
  if (first === 'params') return `${PREFIX}${String(second)}`
  if (first === 'widgets') return 'widget'
  return first === 'timeRange' ? String(second ?? 'from') : String(first)
}
