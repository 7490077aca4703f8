import type { Bind } from '../../ports/databases.ts'
import type { Expression } from './expression.ts'

export type Relation = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'

/** A checked condition. As in SQL, a comparison with null is neither true nor false. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'null'; readonly left: Expression }
  | { readonly kind: 'compare'; readonly left: Expression; readonly relation: Relation; readonly value: Bind }
  | { readonly kind: 'in'; readonly left: Expression; readonly values: readonly Bind[] }
  /** A text that begins with the first piece, has the others after it in order, and ends with the last. One piece is the
   * whole text. Letters of either case are equal. */
  | { readonly kind: 'text'; readonly left: Expression; readonly pieces: readonly string[] }
