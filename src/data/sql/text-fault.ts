import { Refusal } from '../../lib/errors.ts'
import type { Code } from '../../lib/errors.ts'

/** A fault in a text that a user wrote, such as SQL, a filter or an expression. */
export class TextFault extends Error {
  override readonly name = 'TextFault'

  constructor(
    /** The first wrong character, from 0. */
    readonly position: number,
    /** Goes on after "line 3, column 12". */
    readonly complaint: string,
    readonly code: Code = 'invalid',
  ) {
    super(`character ${position}: ${complaint}`)
  }

  /** The line and the column of the fault, from 1. */
  placeIn(text: string): { readonly line: number; readonly column: number } {
    const before = text.slice(0, this.position).split(/\r\n|[\n\r]/)
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }

  /** The refusal of the request that has the text at `pointer`. */
  refusal(text: string, pointer: string): Refusal {
    const { line, column } = this.placeIn(text)
    const message = `line ${line}, column ${column}: ${this.complaint}`
    return new Refusal(this.code, 'The text is invalid; see errors.', [{ pointer, message }])
  }
}
