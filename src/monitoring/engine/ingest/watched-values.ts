import type { Clock } from '../../../ports/clock.ts'
import type { Row, Statement, ValuesDatabase } from '../../../ports/values-database.ts'

/** The values database, which knows whether it can be written. */
export class WatchedValues implements ValuesDatabase {
  readonly #values: ValuesDatabase
  readonly #clock: Clock
  readonly #failed: (at: number, sinceAt: number) => void
  #isFailing = false

  /** @param failed hears of each commit that fails: when it did, and when it began */
  constructor(values: ValuesDatabase, clock: Clock, failed: (at: number, sinceAt: number) => void) {
    this.#values = values
    this.#clock = clock
    this.#failed = failed
  }

  /** True from a commit that failed until one that did not. */
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
      this.#failed(this.#clock.now(), sinceAt)
      throw error
    }
  }
}
