import type { Row } from '../../../src/domain/table.ts'
import type { ResultColumn, RowStream } from '../../../src/ports/databases.ts'

/** Rows that came from a child and were not read yet. */
export class RowQueue {
  readonly #more: () => void
  readonly #cancel: () => void
  readonly #waiting: (readonly Row[])[] = []
  #controller: ReadableStreamDefaultController<readonly Row[]> | null = null
  #isPulled = false
  #isComplete = false

  constructor(more: () => void, cancel: () => void) {
    this.#more = more
    this.#cancel = cancel
  }

  open(columns: readonly ResultColumn[]): RowStream {
    const rows = new ReadableStream<readonly Row[]>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => {
          this.#isPulled = true
          this.#deliver()
        },
        cancel: this.#cancel,
      },
      { highWaterMark: 0 },
    )
    return { columns, rows }
  }

  push(rows: readonly Row[]): void {
    this.#waiting.push(rows)
    this.#deliver()
  }

  /** Ends the stream after the rows that wait. */
  end(): void {
    this.#isComplete = true
    this.#deliver()
  }

  /** Breaks the stream. @returns false where it was not opened */
  fail(error: unknown): boolean {
    this.#controller?.error(error)
    return this.#controller !== null
  }

  #deliver(): void {
    if (!this.#controller || !this.#isPulled) return
    const rows = this.#waiting.shift()
    if (rows) {
      this.#isPulled = false
      this.#controller.enqueue(rows)
      this.#more()
    } else if (this.#isComplete) {
      this.#controller.close()
    }
  }
}
