import { ImportFailure, importRefusal } from '../../src/data/imports/failure.ts'
import { inspectFile } from '../../src/data/imports/file.ts'
import type { FileContents } from '../../src/domain/import-plan.ts'
import type { Row } from '../../src/domain/table.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Plan, QueryLimits, RowStream } from '../../src/ports/databases.ts'
import type { Log } from '../../src/ports/log.ts'
import { FILE_MISSING, STATEMENT_TOO_SLOW } from '../../src/ports/tables.ts'
import type {
  EditOrder,
  EditOutcome,
  Generation,
  LoadCounts,
  LoadOrder,
  Progress,
  ReshapeOrder,
  ReshapeOutcome,
  TableQuery,
  Tables,
} from '../../src/ports/tables.ts'
import type { Environment } from './environment.ts'
import { valueOf } from './reply.ts'
import type { Reply } from './reply.ts'
import { importFileOf } from './tables/import-file.ts'
import type { LoadStep } from './tables/loads.ts'
import type { RowPage } from './tables/pages.ts'
import type { Explain } from './tables/query.ts'
import { rowStreamOf } from './tables/row-lines.ts'

/** The wait beyond the time of a statement, which its object measures itself after the end of the statement. */
const GRACE_MS = 500
/** The calls in a row that an object may leave without an answer, such as while the platform moves it. */
const LOST_MAX = 10
const LOST_WAIT_MS = 200

type Parts = { readonly namespace: Environment['TABLES']; readonly blobs: Blobs; readonly log: Log }

/** Tables in Durable Objects, one for each data source. */
export function tablesInObjects(parts: Parts): Tables {
  return new ObjectTables(parts)
}

class ObjectTables implements Tables {
  readonly dialect = 'sqlite'
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  query(query: TableQuery, limits: QueryLimits, signal: AbortSignal): Promise<RowStream> {
    return this.#query(query, limits, signal)
  }

  async #query(
    query: TableQuery,
    limits: QueryLimits,
    signal: AbortSignal,
    explain?: Explain,
  ): Promise<RowStream> {
    const sourceId = query.views[0]?.of.sourceId ?? 0
    if (query.views.some(({ of }) => of.sourceId !== sourceId))
      throw new RangeError('The views are of several sources')
    const asked = this.#objectOf(sourceId).query(query, limits, explain) as Promise<
      Reply<ReadableStream<Uint8Array>>
    >
    const reply = await withDeadline(asked, limits.timeoutMs + GRACE_MS, signal).catch((error: unknown) => {
      if (error instanceof Refusal || signal.aborted) throw error
      return this.#unanswered(error, sourceId)
    })
    return rowStreamOf(valueOf(reply))
  }

  async explain(...[query, explain, limits, signal]: Parameters<Tables['explain']>): Promise<Plan> {
    const { rows } = await this.#query(query, limits, signal, explain)
    const [[row] = []] = await Array.fromAsync(rows)
    return { format: 'json', text: String(row?.[0] ?? '') }
  }

  async read(...[of, columns, signal]: Parameters<Tables['read']>): Promise<ReadableStream<readonly Row[]>> {
    const pageAfter = async (after: number) => {
      signal.throwIfAborted()
      const asked = this.#objectOf(of.sourceId).page(of, columns, after) as Promise<Reply<RowPage>>
      return this.#valueOf(of.sourceId, asked)
    }
    // The first line is read here, so that a missing generation is refused before the first row.
    let page: RowPage | null = await pageAfter(0)
    return new ReadableStream<readonly Row[]>(
      {
        async pull(controller) {
          while (page && page.rows.length === 0) page = page.next === null ? null : await pageAfter(page.next)
          if (!page) return controller.close()
          controller.enqueue(page.rows)
          page = page.next === null ? null : { rows: [], next: page.next }
        },
      },
      { highWaterMark: 0 },
    )
  }

  async inspect(
    ...[blob, file, values, signal, progress]: Parameters<Tables['inspect']>
  ): Promise<FileContents> {
    const found = await this.#parts.blobs.get(blob)
    if (!found) throw new Refusal('not_found', FILE_MISSING)
    const told = (bytes: number) => {
      signal.throwIfAborted()
      progress?.(Math.min(1, bytes / found.sizeBytes))
    }
    try {
      return await inspectFile(importFileOf(this.#parts.blobs, blob, found, told), file, values)
    } catch (error) {
      throw error instanceof ImportFailure ? importRefusal(error.faults) : error
    }
  }

  async load(order: LoadOrder, signal: AbortSignal, progress?: Progress): Promise<LoadCounts> {
    for (let lost = 0; ;) {
      if (signal.aborted) {
        await this.drop([order.to])
        throw signal.reason as Error
      }
      const step = await this.#stepOf(order)
      lost = step ? 0 : lost + 1
      if (lost > LOST_MAX) throw new Refusal('unavailable', 'The tables did not answer. Try again.')
      if (!step) await scheduler.wait(LOST_WAIT_MS)
      else progress?.(step.share)
      if (step?.counts) return step.counts
    }
  }

  /** The progress of a load; null when its object did not answer. */
  async #stepOf(order: LoadOrder): Promise<LoadStep | null> {
    const { sourceId } = order.to
    try {
      return valueOf((await this.#objectOf(sourceId).load(order)) as Reply<LoadStep>)
    } catch (error) {
      if (error instanceof Refusal) throw error
      this.#parts.log.warn('tables: the object of a source did not answer; asking again', {
        sourceId,
        reason: String(error),
      })
      return null
    }
  }

  edit(order: EditOrder): Promise<EditOutcome> {
    const { sourceId } = order.to
    return this.#valueOf(sourceId, this.#objectOf(sourceId).edit(order))
  }

  reshape(order: ReshapeOrder): Promise<ReshapeOutcome> {
    const { sourceId } = order.to
    return this.#valueOf(sourceId, this.#objectOf(sourceId).reshape(order))
  }

  async #valueOf<Value>(sourceId: number, asked: Promise<Reply<Value>>): Promise<Value> {
    return valueOf(await asked.catch((error: unknown) => this.#unanswered(error, sourceId)))
  }

  async drop(generations: readonly Generation[]): Promise<void> {
    const bySource = Map.groupBy(generations, ({ sourceId }) => sourceId)
    for (const [sourceId, own] of bySource) await this.#objectOf(sourceId).drop(own)
  }

  async list(sourceId: number): Promise<readonly Generation[]> {
    return this.#objectOf(sourceId).list(sourceId)
  }

  #unanswered(error: unknown, sourceId: number): never {
    this.#parts.log.error('tables: the object of a source did not answer', error, { sourceId })
    throw new Refusal('unavailable', 'The tables did not answer. Try again.')
  }

  #objectOf(sourceId: number): ReturnType<Environment['TABLES']['get']> {
    const { namespace } = this.#parts
    return namespace.get(namespace.idFromName(String(sourceId)))
  }
}

/** The answer of an object. A late answer is not read, because a statement of SQLite cannot be ended. */
function withDeadline<Value>(answer: Promise<Value>, timeoutMs: number, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const late = () => reject(new Refusal('query_timeout', STATEMENT_TOO_SLOW))
  const timer = setTimeout(late, timeoutMs)
  const abort = () => reject(signal.reason as Error)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  answer.then(resolve, reject)
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  })
}
