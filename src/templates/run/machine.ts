import { TemplateFault } from '../fault.ts'
import type { Limits } from '../limits.ts'
import type { Piece } from '../pieces.ts'
import type { Expression, Node, NodeOf, Scope } from '../syntax/tree.ts'
import type { Text, Value } from '../values/value.ts'

/** A jump out of a loop, of a turn, or of a macro or function. */
export type Leaving = 'break' | 'continue' | 'return'

/** A turn of a loop, or the parameters of the content of a call. */
export type Local = {
  readonly names: readonly string[]
  values: readonly (Value | undefined)[]
  readonly outer: Local | null
  /** Null for parameters, which have no turns. */
  readonly loop: { index: number; hasNext: boolean } | null
}

/** A macro or a function that runs. */
export type Frame = {
  readonly variables: Map<string, Value>
  /** The content of the call, for `nested`. */
  readonly content: Content | null
}
export type Content = {
  readonly nodes: readonly Node[]
  readonly names: readonly string[]
  readonly frame: Frame | null
  readonly locals: Local | null
  readonly snippet: string | null
}

/** The destination of the output: the pieces of SQL, or a text. */
export interface Sink {
  text(text: string, at: number): void
  /** A value as a string. */
  value(text: Text, at: number): void
  piece(piece: Piece): void
}

/** A run of a template. */
export interface Machine {
  readonly limits: Limits
  /** Whether output is SQL: pieces, in which values stay values. */
  readonly isSql: boolean
  readonly settings: Map<string, Text>
  readonly timeZone: string
  sink: Sink
  frame: Frame | null
  locals: Local | null
  /** The enclosing list without a loop variable, for its `items`. */
  pending: { readonly value: Value; hasTurns: boolean } | null
  /** The snippet that runs; null for the template. */
  readonly snippet: string | null
  returned: Value | undefined
  lookup(name: string): Value | undefined
  /** Whether a parameter of this name was given as null. */
  isNullParameter(name: string): boolean
  /** The variable that `assign`, `local` or `global` changes. */
  lookupIn(scope: Scope, name: string): Value | undefined
  /** Defines a macro or a function. */
  define(node: NodeOf<'macro'>): void
  /** Writes a captured value. */
  write(value: Value): void
  assign(scope: Scope, name: string, value: Value): void
  evaluate(expression: Expression): Value | undefined
  run(nodes: readonly Node[]): Leaving | undefined
  /** The output of `run`, as a value. */
  capture(run: () => Leaving | undefined): { readonly value: Value; readonly leaving: Leaving | undefined }
  /** Runs a part of a snippet or of the template. The places of faults are in this text. */
  within<T>(snippet: string | null, run: () => T): T
  /** Runs a snippet. */
  include(name: string, at: number): Leaving | undefined
}

/** The fault of a value that is null or missing. `(…)!`, `(…)??` and `(…)?has_content` catch the fault. */
export class Missing extends TemplateFault {}

export function missing(at: number, name = 'the value'): never {
  throw new Missing(at, `${name} is null or missing`)
}

export function fail(at: number, complaint: string): never {
  throw new TemplateFault(at, complaint)
}
