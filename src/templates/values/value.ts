import type { NodeOf } from '../syntax/tree.ts'
import type { Piece } from '../pieces.ts'
import { Decimal } from './decimal.ts'

/** A string. It is tainted when a part of it came from a parameter. */
export class Text {
  constructor(
    readonly text: string,
    readonly isTainted: boolean,
    /** The value of which `?c` or `?string` made it. */
    readonly of: Decimal | boolean | null = null,
  ) {}
}

/** The name of a column, which SQL has in quotes. */
export class Name extends Text {
  constructor(text: string) {
    super(text, true)
  }
}

/** A point in time, in milliseconds since 1970, or the day of one as its midnight in UTC, or the time of day of one. */
export class DateValue {
  constructor(
    readonly kind: 'date' | 'time' | 'datetime',
    readonly ms: number,
  ) {}
}

/** A list of values, some of which may be null. */
export interface Items {
  readonly size: number
  at(index: number): Value | undefined
}

export class Sequence implements Items {
  constructor(readonly items: readonly (Value | undefined)[]) {}

  get size(): number {
    return this.items.length
  }

  at(index: number): Value | undefined {
    return index < 0 ? undefined : this.items[index]
  }
}

/** `from..to`, of which no list is made. */
export class Range implements Items {
  readonly from: number
  readonly step: 1 | -1
  /** Infinite for `from..`. */
  readonly size: number
  /** Whether a slice may be shorter: `from..` and `from..*length`. */
  readonly isAdaptive: boolean
  readonly isInclusive: boolean

  constructor(range: Pick<Range, 'from' | 'step' | 'size' | 'isAdaptive' | 'isInclusive'>) {
    this.from = range.from
    this.step = range.step
    this.size = range.size
    this.isAdaptive = range.isAdaptive
    this.isInclusive = range.isInclusive
  }

  at(index: number): Value | undefined {
    return index < 0 || index >= this.size ? undefined : Decimal.of(this.from + this.step * index)
  }
}

export class Hash {
  constructor(readonly entries: ReadonlyMap<string, Value | undefined>) {}
}

/** The matches of `?matches`, and whether the whole text matches. */
export class Matches extends Sequence {
  constructor(
    items: readonly (Value | undefined)[],
    readonly isWhole: boolean,
    /** Null when the whole text does not match. */
    readonly groups: Sequence | null,
  ) {
    super(items)
  }
}

/** A match in a text: a string with groups. */
export class Match extends Text {
  constructor(
    text: string,
    isTainted: boolean,
    readonly groups: Sequence,
  ) {
    super(text, isTainted)
  }
}

/** A macro or a function. */
export class Routine {
  constructor(
    readonly definition: NodeOf<'macro'>,
    /** The snippet that defines it. */
    readonly snippet: string | null,
  ) {}
}

/** A function of the caller. It gets the place of the call. */
export class NativeFunction {
  constructor(readonly call: (args: readonly (Value | undefined)[], at: number) => Value | undefined) {}
}

/** The output of a part of a template, which is SQL already. */
export class Fragment {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** The value of `missing!`: an empty text, sequence and hash. */
class Nothing {
  readonly isNothing = true
}
export const NOTHING = new Nothing()

export type Value =
  | Text
  | Decimal
  | boolean
  | DateValue
  | Sequence
  | Range
  | Hash
  | Routine
  | NativeFunction
  | Fragment
  | Nothing

const EMPTY_HASH = new Hash(new Map())
const EMPTY_SEQUENCE = new Sequence([])

export function itemsOf(value: Value | undefined): Sequence | Range | undefined {
  if (value === NOTHING) return EMPTY_SEQUENCE
  return value instanceof Sequence || value instanceof Range ? value : undefined
}

export function hashOf(value: Value | undefined): Hash | undefined {
  if (value === NOTHING) return EMPTY_HASH
  return value instanceof Hash ? value : undefined
}

const NAMES = [
  [Text, 'a string'],
  [Decimal, 'a number'],
  [Hash, 'a hash'],
  [Sequence, 'a sequence'],
  [Range, 'a sequence'],
  [Fragment, 'SQL'],
  [NativeFunction, 'a function'],
  [Nothing, 'empty'],
] as const

/** The name of the type, for complaints. */
export function typeOf(value: Value | undefined): string {
  if (value === undefined) return 'null or missing'
  if (typeof value === 'boolean') return 'a boolean'
  if (value instanceof DateValue) return `a ${value.kind}`
  if (value instanceof Routine) return value.definition.isFunction ? 'a function' : 'a macro'
  return NAMES.find(([type]) => value instanceof type)?.[1] ?? 'a value'
}
