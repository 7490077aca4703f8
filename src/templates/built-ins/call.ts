import type { Expression, ExpressionOf } from '../syntax/tree.ts'
import { Fragment, Hash, Sequence, Text, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { numberOf, textOf } from '../run/coercion.ts'
import { fail, missing } from '../run/machine.ts'
import type { Machine } from '../run/machine.ts'
import { present } from '../run/presence.ts'

export type BuiltIn = (call: Call) => Value | undefined

/** One use of a built-in. Strings that it makes are tainted when a string that it read is. */
export class Call {
  #isTainted = false
  /** The length of the longest string that it read. */
  #length = 0
  #target: Value | undefined

  readonly name: string
  readonly of: Expression
  readonly at: number

  constructor(
    readonly machine: Machine,
    { name, of, at }: ExpressionOf<'built-in'>,
    /** Null without parentheses. */
    readonly args: readonly Expression[] | null,
  ) {
    this.name = name
    this.of = of
    this.at = at
  }

  get count(): number {
    return this.args?.length ?? 0
  }

  get target(): Value {
    this.#target ??= present(this.machine, this.of)
    return this.#target
  }

  /** The target as a string. */
  get string(): string {
    const { target } = this
    if (target instanceof Fragment) this.fail('SQL that a template wrote is not a string')
    return this.#read(textOf(this.machine, target, this.of.at))
  }

  value(index: number): Value | undefined {
    const arg = this.args?.[index]
    const value = arg && this.machine.evaluate(arg)
    this.#isTainted ||= isTainted(value)
    return value
  }

  text(index: number): string {
    const value = this.value(index)
    if (value instanceof Text) return this.#counted(value.text)
    return value === undefined
      ? missing(this.at, 'an argument')
      : this.fail(`takes a string, not ${typeOf(value)}`)
  }

  /** An argument as a string, also a number. */
  coerced(index: number): string {
    return this.#counted(textOf(this.machine, this.value(index), this.at).text)
  }

  integer(index: number): number {
    return numberOf(this.value(index), this.at).integer()
  }

  /** A new string. */
  made(text: string): Text {
    this.machine.limits.size(this.at, text.length)
    return new Text(text, this.#isTainted)
  }

  /** A string whose taint was read elsewhere. */
  taint(isTaintedToo: boolean): void {
    this.#isTainted ||= isTaintedToo
  }

  fail(complaint: string): never {
    return fail(this.at, `?${this.name} ${complaint}`)
  }

  #read(text: Text): string {
    this.#isTainted ||= text.isTainted
    return this.#counted(text.text)
  }

  /** Counts the steps of reading a string, and of finding it in one that was read before. */
  #counted(text: string): string {
    const { limits } = this.machine
    limits.read(this.at, text.length)
    limits.search(this.at, this.#length, text.length)
    this.#length = Math.max(this.#length, text.length)
    return text
  }
}

function isTainted(value: Value | undefined): boolean {
  if (value instanceof Text) return value.isTainted
  if (value instanceof Sequence) return value.items.some(isTainted)
  return value instanceof Hash ? [...value.entries.values()].some(isTainted) : false
}
