import { Refusal } from '../../src/lib/errors.ts'

/** A stream of Node. */
export type Source = {
  destroy(error?: Error): unknown
  emit: (...event: never[]) => boolean
}

/** The bytes that a driver reads from a server. The connection is closed where the server sends too many at once, or bytes
 * that the driver cannot read: the driver would take all of them into memory, or end the process. */
export class Intake {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The bytes since the last call. */
  taken(): number {
    const bytes = this.#bytes
    this.#bytes = 0
    return bytes
  }

  watch(source: Source): void {
    const emit = source.emit as (this: Source, ...event: unknown[]) => boolean
    const watched = (...event: unknown[]) => {
      const [name, chunk] = event
      if (name === 'data' && chunk instanceof Uint8Array) this.#bytes += chunk.length
      try {
        if (this.#bytes > this.#maxBytes) throw this.#tooLarge()
        return emit.apply(source, event)
      } catch (error) {
        this.#bytes = 0
        source.destroy(error as Error)
        return true
      }
    }
    source.emit = watched
  }

  #tooLarge(): Refusal {
    const mib = this.#maxBytes / 1_024 / 1_024
    return new Refusal(
      'query_too_large',
      `The database sent more than ${mib} MiB for a few rows. Select fewer or shorter columns.`,
    )
  }
}
