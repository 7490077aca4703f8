import type { Context } from '../../../context.ts'
import type { Column } from '../../../domain/table.ts'
import { invalidAt, Refusal } from '../../../lib/errors.ts'
import type { Range } from '../../../lib/range.ts'
import { runQuery } from '../../../data/queries/service/run.ts'
import { selectBody } from '../../../data/selection/schema.ts'
import { selectFrom } from '../../../data/selection/service.ts'
import { readableTable } from '../../../data/selection/service/readable-table.ts'
import type { Asking } from '../../../data/selection/service/waited.ts'
import { instantBefore } from '../../../lib/time.ts'
import { findParameters } from '../../../monitoring/jobs/service.ts'
import { maintenanceOf } from '../../../monitoring/revaluations/overlays/service.ts'
import { seriesOfRows } from '../series.ts'
import type { Series, SourceSeries } from '../series.ts'
import type { Definition, JobSource, RowSource } from '../definition.ts'
import { historyEdges, stepMs, stepOf } from '../steps.ts'

const ROWS_MAX = 100_000
const POINTS_MAX = 100_000
const EDGES_AT_ONCE = 5_000
/** How long a source may take. */
const READ_MAX_MS = 300_000

/** Reads the source of a forecast as the caller sees it.
 * @throws {Refusal} invalid for a job, data query, table or column that is not there, query_too_large, and as reads of them */
export async function readSource(
  context: Context,
  definition: Definition,
  timeZone: string,
): Promise<SourceSeries> {
  const now = context.ports.clock.now()
  const since = instantBefore(now, definition.history, timeZone)
  const { source } = definition
  if (source.type === 'job') {
    const series = await seriesOfJob(
      context,
      { source, step: definition.step },
      { beginAt: since, endAt: now },
      timeZone,
    )
    return { groups: [{ key: [], series }], groupColumns: [] }
  }
  const result = await rowsOf(context, source)
  if (result.truncated)
    throw new Refusal(
      'query_too_large',
      `The source has more than ${ROWS_MAX} rows. Sum them up in a data query.`,
    )
  const typeOf = new Map(result.columns.map(({ name, type }) => [name, type]))
  const groupColumns = source.groupColumns.map((name): Column => ({
    name,
    type: typeOf.get(name) ?? 'string',
  }))
  return { ...seriesOfRows(result, source, { since, timeZone }), groupColumns }
}

async function rowsOf(context: Context, source: RowSource) {
  const asking: Asking = { signal: AbortSignal.timeout(READ_MAX_MS), onBackend: () => undefined }
  if (source.type === 'dataQuery') {
    const { dataQueryId: id, parameters } = source
    const body = { parameters, limit: ROWS_MAX, version: 'published', maxAge: 0, check: false } as const
    return orNoSource('/source/dataQueryId', runQuery(context, { id, body }, asking))
  }
  const { dataSourceId, table, filter } = source
  const readable = await orNoSource('/source/table', readableTable(context, dataSourceId, table))
  const names = [
    source.timeColumn,
    source.valueColumn,
    ...source.groupColumns,
    ...source.regressors.map(({ column }) => column),
  ]
  for (const name of names)
    if (!readable.columns.has(name)) throw invalidAt('/source', `${name} is not a column of the source`)
  const body = selectBody.parse({ columns: names, ...(filter && { filter }), limit: ROWS_MAX })
  const { columns, rows, truncated } = await selectFrom(context, { readable, body }, asking)
  return { columns, truncated, rows: rows.map((row) => (Array.isArray(row) ? row : Object.values(row))) }
}

async function orNoSource<Result>(pointer: string, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') throw invalidAt(pointer, 'does not exist')
    throw error
  }
}

async function seriesOfJob(
  context: Context,
  { source, step }: { readonly source: JobSource; readonly step: string },
  range: Range,
  timeZone: string,
): Promise<Series> {
  const { ports } = context
  const { jobId, key, aggregate } = source
  const parameters = (await findParameters(context, [jobId])).get(jobId)
  if (!parameters) throw invalidAt('/source/jobId', 'must be the id of a job that the owner can read')
  const value = parameters.returnValue[Number(key.slice('returnValue'.length)) - 1]
  if (!value) throw invalidAt('/source/key', 'is not defined on the job')
  const width = stepOf(step)
  if (!width) throw invalidAt('/step', 'must be a step')
  const beginAt = Math.max(range.beginAt, range.endAt - POINTS_MAX * stepMs(width))
  const edges = historyEdges({ beginAt, endAt: range.endAt }, width, timeZone)
  const spans =
    source.exclude.length > 0
      ? await maintenanceOf(ports.database, jobId, { beginAt, endAt: range.endAt })
      : []
  const series: Series = { t: [], y: [], x: [] }
  for (let from = 0; from < edges.length - 1; from += EDGES_AT_ONCE) {
    const part = edges.slice(from, from + EDGES_AT_ONCE + 1)
    const { buckets } = await ports.jobActors.buckets(jobId, { key, edges: part, mode: aggregate })
    for (const [place, bucket] of buckets.entries()) {
      const endAt = part[place + 1] ?? bucket.at
      if (bucket.count === 0 || spans.some((span) => span.beginAt < endAt && span.endAt > bucket.at)) continue
      series.t.push(bucket.at)
      series.y.push(userValue(bucket.value, aggregate === 'count' ? 1 : value.valueDivisor))
    }
  }
  return series
}

function userValue(value: number | null, divisor: number): number | null {
  return value === null ? null : value / divisor
}
