import type { ExpressionParser } from './expressions.ts'
import type { Loops } from './loops.ts'
import type { Part } from './parts.ts'
import type { Token } from './tokens.ts'
import type { Expression, Node, NodeBody } from './tree.ts'

export type Opened = Extract<Part, { readonly kind: 'open' }>

/** The parser of the template, from which a directive reads. */
export interface Reader {
  readonly loops: Loops
  /** The expressions of the `escape` directives around, the innermost last. */
  readonly escapes: { readonly name: string; readonly by: Expression }[]
  /** The definition around: in it are `local`, `nested` and `return` allowed. */
  routine: 'macro' | 'function' | null
  peek(): Part | undefined
  take(): Part | undefined
  /** The elements up to a tag that does not begin one. */
  content(): Node[]
  /** The end of the directive that began here. */
  close(name: string, opened: Part): Part
  /** Takes the tag that begins a section, such as `else`. */
  takeOpen(...names: readonly string[]): Opened | undefined
  expressions(tokens: readonly Token[]): ExpressionParser
  node(body: NodeBody, from: Part, to: { readonly end: number }, children?: Node[]): Node
}

/** Reads a directive whose first tag was taken. */
export type Directive = (reader: Reader, part: Opened, expressions: ExpressionParser) => Node
