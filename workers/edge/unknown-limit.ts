import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { Database } from '../../src/ports/database.ts'
import type { Log } from '../../src/ports/log.ts'
import { recordUnknownLimit } from '../../src/monitoring/states/service.ts'
import { clock } from './clock.ts'

/** The id of the job if its limit was reported as unknown, negative while a report is under way, 0 otherwise. */
const REPORTED = 'unknown limit'

/** Reports to the system database when a limit of the object's job becomes unknown, and when all limits are known again. */
export class UnknownLimit {
  readonly #storage: DurableObjectStorage
  readonly #database: () => Database
  readonly #log: Log
  #reported: number | null = null
  #reports: Promise<unknown> = Promise.resolve()

  constructor(storage: DurableObjectStorage, database: () => Database, log: Log) {
    this.#storage = storage
    this.#database = database
    this.#log = log
  }

  /** @param unknown the job if it has an unknown limit
   * @returns null if this is reported already, otherwise whether the report succeeded */
  report(unknown: () => number | undefined): Promise<boolean> | null {
    if ((unknown() ?? 0) === this.#load()) return null
    const report = this.#reports.then(() => this.#report(unknown() ?? 0))
    this.#reports = report
    return report
  }

  /** The object ends. */
  forget(): void {
    this.#reported = null
  }

  async #report(unknown: number): Promise<boolean> {
    const reported = this.#load()
    if (unknown === reported) return true
    const jobId = unknown || Math.abs(reported)
    try {
      // If the object ends between the two writes, it reports again.
      this.#save(-jobId)
      await recordUnknownLimit(this.#database(), jobId, { isUnknown: unknown !== 0, at: clock.now() })
      this.#save(unknown)
      return true
    } catch (error) {
      this.#log.error('job: reporting an unknown limit failed; retrying', error, { jobId })
      return false
    }
  }

  #load(): number {
    this.#reported ??= this.#storage.kv.get<number>(REPORTED) ?? 0
    return this.#reported
  }

  #save(reported: number): void {
    this.#reported = reported
    this.#storage.kv.put(REPORTED, reported)
  }
}
