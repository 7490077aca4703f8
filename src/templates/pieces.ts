/** A value as databases take it. */
export type PlainValue = {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'time'
  /** Numbers that a double does not hold are strings. */
  readonly value: string | number | boolean | null
  /** As it is written within quotes. */
  readonly text: string
}

/** The output of another template, which is a statement of its own. */
export type Inner = {
  /** Names it in faults. */
  readonly name: string
  readonly pieces: readonly Piece[]
  readonly text: string
}

/** A piece of the output of a template. `at` is its place in the template, or in the snippet that wrote it. */
export type Piece = { readonly at: number; readonly snippet: string | null } & (
  | { readonly kind: 'text'; readonly text: string }
  /** A value, or a list of values. */
  | { readonly kind: 'value'; readonly values: readonly PlainValue[]; readonly isList: boolean }
  /** A value of which a name is made, by `?sql_identifier`. */
  | { readonly kind: 'identifier'; readonly name: string }
  /** A value that is written as a literal, by `?sql_literal`. */
  | { readonly kind: 'literal'; readonly value: PlainValue }
  | { readonly kind: 'statement'; readonly inner: Inner }
)
