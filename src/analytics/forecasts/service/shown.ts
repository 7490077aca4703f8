import type { Context } from '../../../context.ts'
import { ownValue } from '../../../lib/json.ts'
import type { BandView } from '../schema.ts'
import * as store from '../store.ts'
import type { ForecastRow, GroupRow } from '../store.ts'
import { bucketsOf, isSeen } from './results.ts'
import { seesSource } from './scopes.ts'

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
  if (!row || !((await isSeen(context, row)) || (await seesReadSource(context, row)))) return null
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
    source.groupColumns.map((name) => ownValue(group, name) ?? null),
  )
}

/** Whether the caller may see all rows of the source of the published results. */
async function seesReadSource(context: Context, { summary }: Pick<ForecastRow, 'summary'>): Promise<boolean> {
  return summary?.reading !== undefined && (await seesSource(context, summary.reading.source))
}
