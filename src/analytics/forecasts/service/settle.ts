import { forecastOutputs, forgetForecastOutputs } from '../../../automation/runs/service/forecast-runs.ts'
import type { DueWork, EndedForecast } from '../../../automation/runs/service.ts'
import type { Context } from '../../../context.ts'
import type { ForecastBand } from '../../../domain/forecast-band.ts'
import type { Cell, Column, ColumnType, Row } from '../../../domain/table.ts'
import { Refusal, refusalIn } from '../../../lib/errors.ts'
import { areSame } from '../../../lib/same.ts'
import { applyChanges, enqueueJobConfigs } from '../../../monitoring/job-config/service.ts'
import { fillGeneration, inGeneration, openTable, publishTable } from '../../../data/tables/service.ts'
import { ownValue } from '../../../lib/json.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import {
  bandOf,
  groupOutcome,
  isPredicted,
  pointsOf,
  readOutcomes,
  resultColumns,
  resultRows,
  summaryOf,
} from '../results.ts'
import type { PublishedSummary, SourceReading, TypedOutcome } from '../results.ts'
import * as store from '../store.ts'
import type { GroupRow, OwnedForecast } from '../store.ts'
import { linesOf } from './packing.ts'
import { ownerOf } from './runs.ts'

const ROWS_AT_ONCE = 5_000
const DETAIL_MAX = 1_000

type Results = {
  readonly row: OwnedForecast
  readonly run: EndedForecast
  readonly groups: readonly GroupRow[]
  /** The end of the predicted buckets. */
  readonly endAt: number
  readonly groupColumns: readonly Column[]
  /** The jobs that have bands of the former results. */
  readonly formerJobs: readonly number[]
}

/** Publishes the results of a run that has ended, or notes its failure. After a failure the former results stay. */
export const settleForecast: NonNullable<DueWork['settleForecast']> = async (ports, run) => {
  const row = await store.findForecast(ports.database, run.runConfigurationId)
  if (!row || row.publishedRun === run.id) return
  try {
    if (run.state !== 'succeeded')
      throw new Refusal('query_failed', `${run.state}: ${run.error ?? 'no reason was given.'}`)
    await publish(ports, await resultsOf(ports, row, run))
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal || refusal.code === 'unavailable') throw error
    const failure = {
      runId: run.id,
      code: refusal.code,
      detail: refusal.detail.slice(0, DETAIL_MAX),
      at: ports.clock.now(),
    }
    await commit(ports.database, [
      store.noteFailure(ports.database, row.id, failure),
      ...forgetForecastOutputs(ports, run.id),
    ])
  }
  await applyChanges(ports)
}

/** Outcomes of 1,000 groups would need more memory than a Worker has, so that they are read once more for the rows of a table.
 * @throws {Refusal} query_failed where no group has a forecast */
async function resultsOf(ports: Ports, row: OwnedForecast, run: EndedForecast): Promise<Results> {
  const groups: GroupRow[] = []
  let types: readonly ColumnType[] = []
  let endAt = 0
  for await (const { keyTypes, line } of outcomesOf(ports, run)) {
    types = keyTypes
    if (isPredicted(line)) endAt = Math.max(endAt, line.endAt)
    const points = pointsOf(line, row.definition.levels)
    groups.push({ number: line.id, key: line.key, ...groupOutcome(line), points })
  }
  const [first] = groups
  if (!first) throw new Refusal('query_failed', 'The run has left no results.')
  if (groups.every(({ quality }) => quality === 'failed')) {
    const { code, detail } = first.outcome.error ?? { code: 'forecast.engine', detail: '' }
    throw new Refusal('query_failed', `${code}: ${detail}`)
  }
  const { source } = row.definition
  const names = source.type === 'job' ? [] : source.groupColumns
  if (names.length !== types.length)
    throw new Refusal(
      'query_failed',
      'The group columns of the forecast were changed during the run. Run it again.',
    )
  const groupColumns = names.map((name, at): Column => ({ name, type: types[at] ?? 'string' }))
  const formerJobs = await store.listBandJobs(ports.database, row.id)
  return { row, run, groups, endAt, groupColumns, formerJobs }
}

async function* outcomesOf(ports: Ports, { id }: EndedForecast): AsyncGenerator<TypedOutcome, void> {
  for await (const bytes of forecastOutputs(ports, id)) yield* readOutcomes(linesOf(bytes))
}

async function publish(ports: Ports, results: Results): Promise<void> {
  const { table } = results.row.definition
  if (!table) return commit(ports.database, writesOf(ports, results))
  const caller = await ownerOf(ports, results.row.ownerId)
  const context: Context = { ports, caller, requestId: `forecast-${results.run.id}` }
  const before = await openTable(ports, table.dataSourceId, table.name)
  if (before && before.id !== results.row.summary?.tableId)
    throw new Refusal(
      'name_taken',
      `The data source has a table ${table.name}, which is not of this forecast.`,
    )
  const { levels } = results.row.definition
  const columns = resultColumns(results.groupColumns, levels)
  await inGeneration(ports, table.dataSourceId, async (to) => {
    const rows = await fillGeneration(
      ports,
      { to, columns, rows: rowsOf(ports, results) },
      AbortSignal.timeout(TABLE_MAX_MS),
    )
    await publishTable(
      context,
      { name: table.name, columns, rows, generation: to },
      { before, others: writesOf(ports, results) },
    )
  })
}

function summaryOfResults({ groups, endAt, run }: Results): PublishedSummary {
  // The order of the run wrote the reading.
  const reading = run.order.forecast?.reading as SourceReading | undefined
  return summaryOf(groups, { endAt, ...(reading && { reading }) })
}

const TABLE_MAX_MS = 10 * 60_000

async function* rowsOf(ports: Ports, { row, run }: Results): AsyncGenerator<readonly Row[], void> {
  let rows: Row[] = []
  for await (const { line } of outcomesOf(ports, run)) {
    if (!isPredicted(line)) continue
    rows.push(...resultRows(line, { levels: row.definition.levels, runId: run.id }))
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** The last writes of a publication: the table is there. */
function writesOf(ports: Ports, results: Results): Write[] {
  const { database } = ports
  const { row, run, groups, formerJobs } = results
  const bands = bandsOf(results)
  return [
    publication(ports, results),
    ...store.replaceGroups(database, row.id, groups),
    ...store.replaceBands(database, row.id, bands),
    enqueueJobConfigs(database, [...formerJobs, ...bands.map(({ jobId }) => jobId)]),
    ...forgetForecastOutputs(ports, run.id),
  ]
}

function publication({ database, clock }: Ports, results: Results): Write {
  const { row, run } = results
  return store.publishResults(database, {
    id: row.id,
    runId: run.id,
    readAt: run.queuedAt,
    at: clock.now(),
    summary: summaryOfResults(results),
    table: row.definition.table,
  })
}

/** The bands of the jobs that get one: by the definition, and the job of the source. */
function bandsOf({
  row,
  run,
  groups,
  groupColumns,
}: Results): { readonly jobId: number; readonly band: ForecastBand }[] {
  const { source, bands } = row.definition
  const own = source.type === 'job' ? [{ jobId: source.jobId, key: source.key, group: {} }] : []
  const wanted = [
    ...own,
    ...bands.filter(({ jobId, key }) => !own.some((one) => one.jobId === jobId && one.key === key)),
  ]
  return wanted.flatMap(({ jobId, key, group }) => {
    const named: Readonly<Record<string, Cell>> = group
    const values: Cell[] = groupColumns.map(({ name }) => ownValue(named, name) ?? null)
    const points = groups.find((one) => areSame(one.key, values))?.points
    return points ? [{ jobId, band: bandOf(points, { forecastId: row.id, key, madeAt: run.queuedAt }) }] : []
  })
}
