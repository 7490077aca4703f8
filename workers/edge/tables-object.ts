import { DurableObject } from 'cloudflare:workers'

import type { Column } from '../../src/domain/table.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { stopwatch } from '../../src/ports/clock.ts'
import type { QueryLimits } from '../../src/ports/databases.ts'
import { STATEMENT_TOO_SLOW } from '../../src/ports/tables.ts'
import type {
  EditOrder,
  EditOutcome,
  Generation,
  LoadOrder,
  ReshapeOrder,
  ReshapeOutcome,
  TableQuery,
} from '../../src/ports/tables.ts'
import { jsonLog } from '../json-log.ts'
import { openBlobsR2 } from './blobs-r2.ts'
import { clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { replyOf } from './reply.ts'
import type { Reply } from './reply.ts'
import { runEdit } from './tables/edit.ts'
import { dropKept, keptLines } from './tables/kept-results.ts'
import { Loads } from './tables/loads.ts'
import type { LoadStep } from './tables/loads.ts'
import { readPage } from './tables/pages.ts'
import type { RowPage } from './tables/pages.ts'
import { runReshape } from './tables/reshape.ts'
import { runQuery } from './tables/query.ts'
import type { Explain } from './tables/query.ts'
import { streamOf } from './tables/row-lines.ts'

const RETRY_MS = 1_000
/** The longest wait of a caller for the progress of its load. */
const NEWS_MS = 250

const log = jsonLog(console.log)

/** The tables of one data source, in the object's own SQLite storage. Its alarm loads files, slice by slice. */
export class TablesObject extends DurableObject<Environment> {
  readonly #loads = new Loads(this.ctx.storage, openBlobsR2(this.env.FILES, log))

  /** A reader that reads nothing for so long has left. */
  protected readonly leftAfterMs: number = 120_000

  constructor(...given: ConstructorParameters<typeof DurableObject<Environment>>) {
    super(...given)
    // Results of an earlier process of this object have no readers any more.
    dropKept(this.ctx.storage.sql)
  }

  query(
    { views, statement }: TableQuery,
    limits: QueryLimits,
    explain?: Explain,
  ): Promise<Reply<ReadableStream<Uint8Array>>> {
    return replyOf(async () => {
      const stored = views.map(({ of, ...view }) => ({ ...view, table: this.#loads.tableOf(of) }))
      const elapsedMs = stopwatch(clock)
      const asked = { views: stored, statement, ...(explain && { explain }) }
      const lines = runQuery(this.ctx.storage, asked, limits)
      const { leftAfterMs } = this
      const sent = lines?.values() ?? keptLines(this.ctx.storage, asked, { ...limits, leftAfterMs })
      // The clock of the platform does not advance during a statement.
      await scheduler.wait(0)
      if (elapsedMs() > limits.timeoutMs) {
        sent.return?.()
        throw new Refusal('query_timeout', STATEMENT_TOO_SLOW)
      }
      return streamOf(sent)
    })
  }

  /** The rows of a generation after the row of a number. */
  page(of: Generation, columns: readonly Column[], after: number): Promise<Reply<RowPage>> {
    return replyOf(() =>
      Promise.resolve(readPage(this.ctx.storage.sql, this.#loads.tableOf(of), { columns, after })),
    )
  }

  /** Begins a load, or returns its progress. */
  load(order: LoadOrder): Promise<Reply<LoadStep>> {
    return replyOf(async () => {
      const { counts } = this.#loads.step(order)
      if (counts) return { share: 1, counts }
      if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(clock.now())
      await scheduler.wait(NEWS_MS)
      return this.#loads.step(order)
    })
  }

  edit(order: EditOrder): Promise<Reply<EditOutcome>> {
    return replyOf(async () => runEdit(this.ctx.storage, this.#loads, order))
  }

  reshape(order: ReshapeOrder): Promise<Reply<ReshapeOutcome>> {
    return replyOf(async () => runReshape(this.ctx.storage, this.#loads, order))
  }

  async drop(generations: readonly Generation[]): Promise<void> {
    for (const generation of generations) this.#loads.drop(generation)
    if (!this.#loads.isEmpty) return
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  list(sourceId: number): Promise<readonly Generation[]> {
    return Promise.resolve(this.#loads.list(sourceId))
  }

  /** Never throws: the platform drops an alarm that failed six times. */
  override async alarm(): Promise<void> {
    try {
      if (await this.#loads.work()) await this.ctx.storage.setAlarm(clock.now())
    } catch (error) {
      log.error('tables: loading failed; retrying', error)
      await this.ctx.storage.setAlarm(clock.now() + RETRY_MS)
    }
  }
}
