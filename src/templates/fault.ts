export type FaultCode = 'syntax' | 'evaluation' | 'limit' | 'stopped' | 'tainted' | 'bind'

/** The position of a fault whose place the run knows. */
export const UNPLACED = -1

/** A fault of a template: of its text, or of its run. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
  /** The snippet that has the fault; null for the template itself. */
  snippet: string | null = null
  /** The number of the line, from 1. */
  line = 0
  column = 0

  constructor(
    /** The first wrong character, from 0. */
    readonly position: number,
    /** Goes on after "line 3, column 12". */
    readonly complaint: string,
    readonly code: FaultCode = 'evaluation',
  ) {
    super(complaint)
  }

  /** Adds line and column, unless a snippet already did. */
  in(text: string, snippet: string | null): this {
    if (this.line > 0) return this
    const before = text.slice(0, this.position).split(/\r\n|[\n\r]/)
    this.snippet = snippet
    this.line = before.length
    this.column = (before.at(-1)?.length ?? 0) + 1
    this.message = `line ${this.line}, column ${this.column}: ${this.complaint}`
    return this
  }
}

/** Runs a reader of a text, and adds lines and columns to its faults. */
export function placing<T>(text: string, snippet: string | null, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateFault) error.in(text, snippet)
    throw error
  }
}
