import type { Context } from '../../../context.ts'
import { readQuery } from '../../../data/queries/service.ts'
import { isRestricted } from '../../../data/scopes/service/sights.ts'
import { READERS } from '../../../data/sources/schema.ts'
import { refusalIn } from '../../../lib/errors.ts'
import type { Source } from '../definition.ts'
import type { BandView } from '../schema.ts'
import * as store from '../store.ts'
import type { ForecastRow, GroupRow } from '../store.ts'
import { bucketsOf, isSeen } from './results.ts'

/** Buckets that a widget shows at most. */
const BUCKETS_MAX = 2_000

/** A group of a forecast by the values of its group columns; without values the first group. */
type ShownGroup = {
  readonly forecastId: number | null
  readonly group: Readonly<Record<string, string | number | boolean | null>>
}

type ShownBand = Pick<BandView, 'levels' | 'buckets'>

/** The predicted buckets of a group, as a dashboard shows them; null without results, and for callers who may not see all of the
 * source. */
export async function readShownBand(context: Context, shown: ShownGroup): Promise<ShownBand | null> {
  const { database } = context.ports
  const row = shown.forecastId === null ? null : await store.findForecast(database, shown.forecastId)
  if (!row || !((await isSeen(context, row)) || (await seesSource(context, row.definition.source))))
    return null
  const points = (await findShown(context, row, shown.group))?.points
  if (!points) return null
  const { levels, buckets } = bucketsOf(context, points)
  return { levels, buckets: buckets.slice(0, BUCKETS_MAX) }
}

function findShown(
  { ports: { database } }: Context,
  { id, definition: { source } }: Pick<ForecastRow, 'id' | 'definition'>,
  group: ShownGroup['group'],
): Promise<GroupRow | null> {
  if (source.type === 'job' || Object.keys(group).length === 0) return store.findGroup(database, id, 0)
  return store.findGroupOf(
    database,
    id,
    source.groupColumns.map((name) => group[name] ?? null),
  )
}

/** Whether the caller may see all rows of a source on dashboards. */
async function seesSource(context: Context, source: Source): Promise<boolean> {
  if (source.type === 'job') return false
  if (source.type === 'dataTable')
    return mayRead(context) && !(await isRestricted(context, source.dataSourceId))
  try {
    const { view } = await readQuery(context, source.dataQueryId)
    return (
      (view.accessibleFromDashboards || mayRead(context)) && !(await isRestricted(context, view.dataSourceId))
    )
  } catch (error) {
    if (refusalIn(error)?.code === 'not_found') return false
    throw error
  }
}

/** Whether the caller may read data sources. */
function mayRead({ caller }: Context): boolean {
  if (caller.kind !== 'user') return false
  return [caller, ...(caller.bounds ?? [])].every(({ role }) => READERS.some((reader) => reader === role))
}
