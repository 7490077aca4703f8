import type { Context } from '../../../context.ts'
import { refusalIn } from '../../../lib/errors.ts'
import type { Code } from '../../../lib/errors.ts'
import { Mutex } from '../../../lib/mutex.ts'
import { timeFormat, HOUR_MS } from '../../../lib/time.ts'
import { deliver } from '../../../monitoring/jobs/service/deliver.ts'
import type { DeliveryBody } from '../../../monitoring/jobs/schema.ts'
import type { Ports } from '../../../ports/index.ts'
import { errorCodeOf } from '../run.ts'
import * as store from '../store/reports.ts'
import type { ReportRow } from '../store/reports.ts'
import { callerFor } from './acting-user.ts'
import type { DueWork } from './due-work.ts'

const AT_ONCE = 100
const RETRY_MS = 10_000
/** Within this time a job knows a repetition of a delivery, so that each report is delivered once. */
const TRIED_MS = 23 * HOUR_MS
/** Refusals that end by themselves. */
const PASSING: readonly Code[] = ['unavailable', 'overloaded', 'storage_full', 'too_fast']

/** Delivers the ends of runs to the webhook jobs that their configurations name. That a report is due is in the commit of the
 * end; it is delivered under the run's idempotency key, so once, after any crash. */
export class Reports {
  readonly #ports: Ports
  readonly #lock = new Mutex()
  readonly #due: Pick<DueWork, 'settleForecast'>
  #nextAt = Infinity

  constructor(ports: Ports, due: Pick<DueWork, 'settleForecast'> = {}) {
    this.#ports = ports
    this.#due = due
  }

  /** When a report that could not be delivered is tried again, epoch ms; Infinity where none is. */
  get nextAt(): number {
    return this.#nextAt
  }

  /** Delivers the reports that are due. Never rejects for one that cannot be delivered: it is tried again, or noted. */
  settle(): Promise<void> {
    return this.#lock.run(async () => {
      this.#nextAt = Infinity
      for (let afterId = ''; ;) {
        const rows = await store.listDue(this.#ports.database, afterId, AT_ONCE)
        for (const row of rows) await this.#report(row)
        const last = rows.at(-1)
        if (!last || rows.length < AT_ONCE) return
        afterId = last.id
      }
    })
  }

  async #report(row: ReportRow): Promise<void> {
    const { database, log, clock } = this.#ports
    const { id, reportTo: jobId } = row
    try {
      if (row.order.forecast) await this.#due.settleForecast?.(this.#ports, row)
      else await this.#deliver(row)
      await store.noteReport(database, id, 'delivered')
    } catch (error) {
      const code = refusalIn(error)?.code
      const isOver = clock.now() - row.finishedAt > TRIED_MS
      if (!isOver && (code === undefined || PASSING.includes(code))) {
        this.#nextAt = clock.now() + RETRY_MS
        log.warn("runs: delivering a run's result to its job failed; retrying", {
          runId: id,
          jobId,
          cause: code ?? String(error),
        })
        return
      }
      const cause = code ?? 'internal'
      await store.noteReport(database, id, cause)
      log.warn(
        "runs: a run's result was not delivered: the job refused it, or the run's user may not deliver to the job",
        {
          runId: id,
          jobId,
          cause,
        },
      )
    }
  }

  async #deliver(row: ReportRow): Promise<void> {
    const { id, userId, reportTo } = row
    const caller = await callerFor(this.#ports, userId, 'The user who ordered the run')
    const context: Context = { ports: this.#ports, caller, requestId: `report-${id}` }
    const body = bodyOf(row, timeFormat('UTC')(row.finishedAt))
    const key = `run ${id}`
    try {
      await deliver(context, reportTo, { body, key })
    } catch (error) {
      // A job without this value takes the error code alone.
      if (refusalIn(error)?.code !== 'value_not_defined') throw error
      const { returnValue1: _, ...bare } = body
      await deliver(context, reportTo, { body: bare, key })
    }
  }
}

function bodyOf(row: ReportRow, timestamp: string): DeliveryBody {
  const { id, state, error, exitCode, startedAt, finishedAt } = row
  const said = state === 'succeeded' ? 'succeeded.' : (error ?? `${state}.`)
  return {
    signal: 'result',
    errorCode: errorCodeOf(state, exitCode),
    message: `Run ${id}: ${said}`,
    timestamp,
    ...(startedAt !== null && { returnValue1: Math.max(0, finishedAt - startedAt) / 1_000 }),
  }
}
