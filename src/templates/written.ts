import { TemplateFault } from './fault.ts'
import type { FaultCode } from './fault.ts'
import type { Piece } from './pieces.ts'

/** The SQL that a template wrote. */
export class Written {
  constructor(
    readonly pieces: readonly Piece[],
    /** The text of a snippet; of the template for null. */
    private readonly textOf: (snippet: string | null) => string,
  ) {}

  /** A part of the SQL. */
  of(pieces: readonly Piece[]): Written {
    return new Written(pieces, this.textOf)
  }

  /** A fault at the place of a piece. */
  fault({ at, snippet }: Pick<Piece, 'at' | 'snippet'>, complaint: string, code: FaultCode): TemplateFault {
    return new TemplateFault(at, complaint, code).in(this.textOf(snippet), snippet)
  }
}
