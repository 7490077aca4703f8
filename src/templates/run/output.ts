import { TemplateFault } from '../fault.ts'
import type { Piece, PlainValue } from '../pieces.ts'
import { isoDate } from '../values/dates.ts'
import { Decimal } from '../values/decimal.ts'
import { computerNumber } from '../values/numbers.ts'
import { DateValue, Fragment, NOTHING, Name, Text, itemsOf, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { FORMAT_STEPS, textOf } from './coercion.ts'
import { missing } from './machine.ts'
import type { Machine, Sink } from './machine.ts'

/** Collects a text. It is tainted when a part of it is. */
export class TextSink implements Sink {
  isTainted = false
  #text = ''

  constructor(private readonly machine: Machine) {}

  get content(): string {
    return this.#text
  }

  text(text: string, at: number): void {
    this.#text += text
    this.machine.limits.output(at, this.#text.length, text.length)
  }

  value(text: Text, at: number): void {
    this.isTainted ||= text.isTainted
    this.text(text.text, at)
  }

  piece(piece: Piece): void {
    if (piece.kind === 'text') this.text(piece.text, piece.at)
  }
}

/** Collects SQL. */
export class SqlSink implements Sink {
  readonly pieces: Piece[] = []
  #size = 0

  constructor(private readonly machine: Machine) {}

  text(text: string, at: number): void {
    this.piece({ kind: 'text', text, at, snippet: this.machine.snippet })
  }

  value(text: Text, at: number): void {
    for (const piece of piecesOf(this.machine, text, at)) this.piece(piece)
  }

  piece(piece: Piece): void {
    const size = sizeOf(piece)
    this.#size += size
    this.machine.limits.output(piece.at, this.#size, size)
    this.pieces.push(piece)
  }
}

const sizeOf = (piece: Piece): number => {
  if (piece.kind === 'text') return piece.text.length
  if (piece.kind === 'identifier') return piece.name.length
  if (piece.kind === 'literal') return piece.value.text.length
  if (piece.kind === 'statement') return piece.inner.pieces.reduce((size, one) => size + sizeOf(one), 2)
  return piece.values.reduce((size, { text }) => size + text.length + 2, 0)
}

/** The pieces of SQL that an interpolation of this value writes. */
export function piecesOf(machine: Machine, value: Value | undefined, at: number): readonly Piece[] {
  if (value instanceof Fragment) return value.pieces
  const { snippet } = machine
  const items = value === NOTHING ? undefined : itemsOf(value)
  if (value instanceof Name) return [{ kind: 'identifier', name: value.text, at, snippet }]
  if (!items) return [{ kind: 'value', values: [plainOf(machine, value, at)], isList: false, at, snippet }]
  if (items.size > LIST_MAX) throw new TemplateFault(at, `is a list of more than ${LIST_MAX} values`, 'limit')
  if (items.at(0) instanceof Name)
    return Array.from({ length: items.size }, (_, index) => piecesOf(machine, items.at(index), at)).flatMap(
      (pieces, index): readonly Piece[] =>
        index === 0 ? pieces : [{ kind: 'text', text: ', ', at, snippet }, ...pieces],
    )
  const values = Array.from({ length: items.size }, (_, index) => plainOf(machine, items.at(index), at))
  return [{ kind: 'value', values, isList: true, at, snippet }]
}

const LIST_MAX = 10_000

/** A value as databases take it. A number that `?c` made a string is still a number. */
export function plainOf(machine: Machine, value: Value | undefined, at: number): PlainValue {
  if (value === undefined) missing(at)
  machine.limits.step(at, FORMAT_STEPS)
  const made = value instanceof Text ? value.of : null
  if (value instanceof Decimal || made instanceof Decimal) {
    const number = value instanceof Decimal ? value : (made as Decimal)
    return numberValue(number, computerNumber(number))
  }
  if (typeof value === 'boolean' || typeof made === 'boolean') {
    const boolean = typeof value === 'boolean' ? value : made === true
    return { type: 'boolean', value: boolean, text: String(boolean) }
  }
  if (value instanceof DateValue) {
    const text = isoDate(value, machine.timeZone)
    return { type: value.kind, value: text, text }
  }
  if (value !== NOTHING && !(value instanceof Text))
    throw new TemplateFault(at, `is ${typeOf(value)}, which is not a value of SQL`)
  const { text } = textOf(machine, value, at)
  return { type: 'string', value: text, text }
}

function numberValue(number: Decimal, text: string): PlainValue {
  if (number.isInteger() && text.length < 19) {
    const value = Number(text)
    return { type: 'integer', value: Number.isSafeInteger(value) ? value : text, text }
  }
  const exact = number
    .toString()
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
  const double = Number(exact)
  return { type: 'number', value: String(double) === exact ? double : exact, text: exact }
}
