import type { Context } from '../../../context.ts'
import type { Cell, Row } from '../../../domain/table.ts'
import { sha256 } from '../../../lib/digest.ts'
import { onceFor } from '../../../lib/once-for.ts'
import { stopwatch } from '../../../ports/clock.ts'
import type { ResultColumn, RowStream } from '../../../ports/databases.ts'
import type { Ports } from '../../../ports/index.ts'
import { ResultCache } from '../../selection/result-cache.ts'
import { bytesOf } from '../../selection/service/read-rows.ts'
import { freshness } from '../../selection/service/readable-table.ts'
import type { Asking } from '../../selection/service/waited.ts'
import { WRITERS } from '../../sql/dialects/writers.ts'
import { boundOf } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'
import type { StoredResult } from '../results/service.ts'
import type { ReadableSource } from './readable-source.ts'

const RESULT_MAX_BYTES = 32 * 1024 * 1024
const CACHE_MAX_BYTES = 16 * 1024 * 1024
const CACHED_MAX = 1_000
/** Rows come in batches of fewer than these: a batch that passes the limit is cut and not refused. */
const BATCH_ROWS_MAX = 10_000

/** A statement, the source that it reads, and the stored results that it may read. */
export type Readable = {
  readonly source: Pick<ReadableSource, 'dialect' | 'query' | 'open'>
  readonly statement: Fragment
  readonly results: readonly StoredResult[]
}

/** Which runs share a result. */
export type Sharing = {
  /** The data query and its version. */
  readonly of: string
  /** How long ago a result may have been begun. */
  readonly ageMaxMs: number
}

/** The first rows of a statement. */
export type Read = {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly Row[]
  readonly truncated: boolean
  readonly beganAt: number
  readonly durationMs: number
  /** The time of the oldest stored result that was read; null for none. */
  readonly refreshedAt: number | null
}

type Reading = {
  readonly limit: number
  readonly asking: Asking
  /** Null for a run that shares its result with none. */
  readonly sharing: Sharing | null
}

const cacheOf = onceFor((_ports: Ports) => new ResultCache<Read>(CACHE_MAX_BYTES, bytesOf, CACHED_MAX))

/** The first rows of a statement, which runs once for equal runs: runs of the same version of a data query, which write the same
 * statement with the same binds and see the same rows and columns of the same source.
 * @throws {Refusal} of the ports `databases` and `tables` */
export async function sharedRead(
  context: Context,
  { source, statement, results }: Readable,
  { limit, asking, sharing }: Reading,
): Promise<Read & { readonly isShared: boolean }> {
  const { ports } = context
  const { clock } = ports
  const bound = boundOf(statement, WRITERS[source.dialect])
  const opened = await source.open(bound)
  const compute = async (): Promise<Read> => {
    const beganAt = clock.now()
    const elapsedMs = stopwatch(clock)
    const limits = {
      rowsMax: limit + BATCH_ROWS_MAX,
      bytesMax: RESULT_MAX_BYTES,
      onBackend: asking.onBackend,
    }
    const stream = await opened.query(limits, asking.signal)
    const first = await firstRows(stream, limit)
    const read = results.filter((stored) => bound.text.includes(stored.name))
    const refreshedAt = read.length === 0 ? null : Math.min(...read.map((stored) => stored.refreshedAt))
    return { columns: stream.columns, ...first, beganAt, durationMs: elapsedMs(), refreshedAt }
  }
  if (!sharing) return { ...(await compute()), isShared: false }
  const { value, isShared } = await cacheOf(ports).find({
    name: await sha256(JSON.stringify([sharing.of, source.dialect, opened.key, bound, limit])),
    ageMaxMs: freshness(context, sharing.ageMaxMs),
    now: () => clock.now(),
    signal: asking.signal,
    compute,
  })
  return { ...value, isShared }
}

/** Some dialects have no type for truth values. */
function cellOf(cell: Cell, column: ResultColumn | undefined): Cell {
  return column?.type === 'boolean' && cell !== null ? Boolean(Number(cell)) : cell
}

/** The first rows of a result, after which its statement ends. */
async function firstRows(
  { columns, rows: stream }: RowStream,
  limit: number,
): Promise<{ readonly rows: readonly Row[]; readonly truncated: boolean }> {
  const rows: Row[] = []
  const reader = stream.getReader()
  for (let batch = await reader.read(); !batch.done; batch = await reader.read()) {
    for (const row of batch.value) rows.push(row.map((cell, at) => cellOf(cell, columns[at])))
    if (rows.length <= limit) continue
    await reader.cancel()
    return { rows: rows.slice(0, limit), truncated: true }
  }
  return { rows, truncated: false }
}
