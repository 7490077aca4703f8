import type { Decimal } from '../values/decimal.ts'

/** An expression. `at` is its first character in the text. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'number'; readonly value: Decimal }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'filled text'; readonly parts: readonly Node[] }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'hash'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'group'; readonly of: Expression }
  | { readonly kind: 'not' | 'minus' | 'plus'; readonly of: Expression }
  | { readonly kind: 'exists'; readonly of: Expression }
  | { readonly kind: 'default'; readonly of: Expression; readonly otherwise: Expression | null }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | {
      readonly kind: 'range'
      readonly from: Expression
      readonly to: Expression | null
      readonly end: RangeEnd
    }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'built-in'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'call'; readonly of: Expression; readonly args: readonly Expression[] }
  | { readonly kind: 'lambda'; readonly names: readonly string[]; readonly body: Expression }
)

export type RangeEnd = 'inclusive' | 'exclusive' | 'length' | 'open'
export type Arithmetic = '+' | '-' | '*' | '/' | '%'
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='
export type Operator = Arithmetic | Comparison | '&&' | '||'
export type ExpressionOf<K extends Expression['kind']> = Extract<Expression, { readonly kind: K }>

export type Parameter = { readonly name: string; readonly otherwise: Expression | null }
export type Scope = 'namespace' | 'local' | 'global'

type Bare<K> = K extends string ? { readonly kind: K } : never

/** A node without its place and its children. */
export type NodeBody =
  | Bare<'comment' | 'mixed' | 'attempt' | 'recover' | 'else' | 'compress' | 'sep' | 'no escape' | 'escape'>
  | Bare<'if' | 'listing' | 'break' | 'continue'>
  | { readonly kind: 'text'; text: string }
  | {
      readonly kind: 'value'
      readonly value: Expression
      /** Of `#{value; m2M4}`; null for `${value}`. */
      readonly digits: readonly [least: number, most: number] | null
    }
  | { readonly kind: 'branch'; readonly condition: Expression | null }
  | { readonly kind: 'list'; readonly of: Expression; readonly names: readonly string[] }
  | { readonly kind: 'items'; readonly names: readonly string[] }
  | { readonly kind: 'assign'; readonly scope: Scope; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'capture'; readonly scope: Scope; readonly name: string }
  | {
      readonly kind: 'macro'
      readonly name: string
      readonly isFunction: boolean
      readonly parameters: readonly Parameter[]
      readonly rest: string | null
    }
  | { readonly kind: 'return'; readonly value: Expression | null }
  | { readonly kind: 'nested'; readonly args: readonly Expression[] }
  | {
      readonly kind: 'call'
      readonly of: Expression
      readonly args: readonly Expression[]
      readonly named: ReadonlyMap<string, Expression> | null
      readonly bodyNames: readonly string[]
    }
  | { readonly kind: 'switch'; readonly value: Expression }
  | { readonly kind: 'case'; readonly value: Expression | null }
  | { readonly kind: 'setting'; readonly name: string; readonly value: Expression }
  | { readonly kind: 'stop'; readonly message: Expression | null }
  | { readonly kind: 'trim'; readonly left: boolean; readonly right: boolean }
  | { readonly kind: 'include'; readonly name: Expression }

export type Assignment = {
  readonly at: number
  readonly name: string
  readonly operator: '=' | Arithmetic
  /** Null for `++` and `--`. */
  readonly value: Expression | null
}

/** An element of a template. Its children are changed only while whitespace is stripped. */
export type Node = NodeBody & {
  readonly at: number
  readonly end: number
  children: Node[]
}
export type NodeOf<K extends Node['kind']> = Extract<Node, { readonly kind: K }>
