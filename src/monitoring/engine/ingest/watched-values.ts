import type { Clock } from '../../../ports/clock.ts'
import type { Row, Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import type { IngestOutage } from './outage.ts'

/** The values database, with each failed commit recorded as an outage. */
export class WatchedValues implements ValuesDatabase {
  readonly #values: ValuesDatabase
  readonly #clock: Clock
  readonly #outage: IngestOutage
  #isFailing = false

  constructor(values: ValuesDatabase, clock: Clock, outage: IngestOutage) {
    this.#values = values
    this.#clock = clock
    this.#outage = outage
  }

  /** True from a failed commit until the next one that succeeds. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  read(statement: Statement): Promise<readonly Row[]> {
    return this.#values.read(statement)
  }

  async commit(statements: readonly Statement[]): Promise<void> {
    const sinceAt = this.#clock.now()
    try {
      await this.#values.commit(statements)
      this.#isFailing = false
    } catch (error) {
      this.#isFailing = true
      // A deadline at `sinceAt` itself had passed before the commit began.
      this.#outage.refused(this.#clock.now(), sinceAt + 1)
      throw error
    }
  }
}
