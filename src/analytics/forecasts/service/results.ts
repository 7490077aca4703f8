import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { selectFrom } from '../../../data/selection/service.ts'
import type { SelectBody, SelectView } from '../../../data/selection/schema.ts'
import { readableTable } from '../../../data/selection/service/readable-table.ts'
import type { Asking } from '../../../data/selection/service/waited.ts'
import { findParameters } from '../../../monitoring/jobs/service.ts'
import { figuresOf } from '../figures.ts'
import type { Quality } from '../definition.ts'
import type { BandView, GroupView } from '../schema.ts'
import { requireForecast } from '../service.ts'
import type { Points } from '../results.ts'
import { sightsMark } from '../../../data/scopes/service/sights.ts'
import { seesSource, sightOfResults } from './scopes.ts'
import * as store from '../store.ts'
import type { ForecastRow, GroupRow, OwnedForecast } from '../store.ts'

/** The outcomes of the groups of the published run.
 * @throws {Refusal} not_found, forbidden for callers who may not see all of the source */
export async function listGroups(
  context: Context,
  id: number,
  filter: { readonly quality?: Quality | undefined; readonly limit: number },
): Promise<GroupView[]> {
  const row = await requireSeen(context, id)
  const groups = await store.listGroups(context.ports.database, id, filter)
  return groups.map((group) => groupViewOf(row, group))
}

/** The predicted buckets of a group. @throws {Refusal} not_found, forbidden */
export async function readBand(context: Context, id: number, number: number): Promise<BandView> {
  const row = await requireSeen(context, id)
  const found = await store.findGroup(context.ports.database, id, number)
  const points = found?.points
  if (!points) throw new Refusal('not_found', 'The published run has no such group, or no buckets of it.')
  return { group: groupOf(row, found), ...bucketsOf(context, points) }
}

/** The predicted buckets and the last values of a group, as they are shown. */
export function bucketsOf(
  { ports: { settings } }: Pick<Context, 'ports'>,
  points: Points,
): Omit<BandView, 'group'> {
  const format = timeFormat(settings.timeZone)
  const { past, begins, mean, levels, endAt } = points
  return {
    levels: Object.keys(levels).map(Number),
    past: past.t.map((at, place) => ({
      at: format(at),
      value: past.y[place] ?? null,
      mean: past.mean?.[place] ?? null,
      bounds: boundsAt(past.levels, place),
      anomaly: past.anomaly?.[place] ?? null,
    })),
    buckets: begins.map((at, place) => ({
      begin: format(at),
      end: format(begins[place + 1] ?? endAt),
      mean: mean[place] ?? null,
      bounds: boundsAt(levels, place),
    })),
  }
}

function boundsAt(levels: Points['levels'], place: number): BandView['buckets'][number]['bounds'] {
  return Object.fromEntries(
    Object.entries(levels).map(([level, bounds]) => {
      const [lower = null, upper = null] = bounds[place] ?? []
      return [level, { lower, upper }]
    }),
  )
}

/** Selects rows of the table of results, within the scopes of the caller.
 * @throws {Refusal} not_found, conflict for a forecast without a table, scope_columns_missing, and as `select` */
export async function selectResults(
  context: Context,
  { id, body }: { readonly id: number; readonly body: SelectBody },
  asking: Asking,
): Promise<SelectView> {
  const { definition, publishedRun, summary } = await requireForecast(context.ports, id)
  const { table } = definition
  if (!table) throw new Refusal('conflict', 'The forecast has no table of results. Choose one with `table`.')
  if (publishedRun === null) throw new Refusal('conflict', 'The forecast has no results yet. Run it first.')
  const readable = await readableTable(
    context,
    table.dataSourceId,
    table.name,
    sightOfResults(summary?.reading ?? definition),
  )
  return selectFrom(context, { readable, body }, asking)
}

/** A forecast whose results the caller may see. @throws {Refusal} not_found, forbidden */
async function requireSeen(context: Context, id: number): Promise<ForecastRow> {
  const row = await requireForecast(context.ports, id)
  if (await isSeen(context, row)) return row
  throw new Refusal(
    'forbidden',
    'Only administrators and the user in whose name the source was read may see the groups, while that user may see all of these rows. Run the forecast again, or select rows of its table.',
  )
}

/** Whether the caller may see the published results of a forecast: administrators, readers of the job that was predicted, and
 * the user in whose name the rows were read, as long as that user may see them still. */
export async function isSeen(
  context: Context,
  { summary }: Pick<OwnedForecast, 'summary'>,
): Promise<boolean> {
  const { caller } = context
  if (caller.kind !== 'user') return false
  if (caller.role === 'administrator') return true
  if (!summary?.reading) return false
  const { ownerId, source, mark } = summary.reading
  if (source.type === 'job') return (await findParameters(context, [source.jobId])).has(source.jobId)
  if (caller.userId !== ownerId || caller.bounds) return false
  return mark === (await sightsMark(context)) || (await seesSource(context, source))
}

/** A group as it is shown. */
export function groupViewOf(row: Pick<ForecastRow, 'definition'>, group: GroupRow): GroupView {
  const { number, quality, outcome } = group
  const { season, backtest, ...shown } = outcome
  const { step, horizon } = row.definition
  const figures = backtest ? figuresOf(backtest, { season, step, horizon }) : null
  return { number, group: groupOf(row, group), quality, figures, ...shown, notes: { ...shown.notes } }
}

function groupOf(
  { definition: { source } }: Pick<ForecastRow, 'definition'>,
  { key }: GroupRow,
): GroupView['group'] {
  const names = source.type === 'job' ? [] : source.groupColumns
  return Object.fromEntries(names.map((name, at) => [name, key[at] ?? null]))
}
