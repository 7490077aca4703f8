import type { Row, Statement, ValuesDatabase } from '../../../ports/values-database.ts'

/** The values database for all but the journal, which says whether what is read of it may be as it was. */
export class WriteCounter implements ValuesDatabase {
  readonly #values: ValuesDatabase
  #writes = 0

  constructor(values: ValuesDatabase) {
    this.#values = values
  }

  /** Another number whenever something may have been written. */
  get writes(): number {
    return this.#writes
  }

  read(statement: Statement): Promise<readonly Row[]> {
    return this.#values.read(statement)
  }

  async commit(statements: readonly Statement[]): Promise<void> {
    this.#writes++
    try {
      await this.#values.commit(statements)
    } finally {
      // A concurrent read may have seen the former content.
      this.#writes++
    }
  }
}
