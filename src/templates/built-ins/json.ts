import { Decimal } from '../values/decimal.ts'
import { Hash, Sequence } from '../values/value.ts'
import type { Text, Value } from '../values/value.ts'
import type { BuiltIn, Call } from './call.ts'

const DEPTH_MAX = 50
const STEPS_A_CHARACTER = 4
const TOKEN =
  /[ \t\n\r]*(?:("(?:[^"\\]|\\[^])*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{}:,]))/y

/** A value of JSON text, with exact numbers. */
export const evalJson: BuiltIn = (call) => {
  const text = call.string
  call.machine.limits.step(call.at, text.length * STEPS_A_CHARACTER)
  const reader = new Reader(call, text)
  const value = reader.value(0)
  reader.end()
  return value
}

class Reader {
  #at = 0

  constructor(
    private readonly call: Call,
    private readonly text: string,
  ) {}

  value(depth: number): Value | undefined {
    const [, string, number, word, mark] = this.#next()
    if (depth > DEPTH_MAX) this.#fail()
    if (string !== undefined) return this.#string(string)
    if (number !== undefined) return Decimal.parse(number)
    if (word !== undefined) return word === 'null' ? undefined : word === 'true'
    if (mark === '[') return this.#list(depth)
    return mark === '{' ? this.#hash(depth) : this.#fail()
  }

  end(): void {
    if (this.text.slice(this.#at).trim() !== '') this.#fail()
  }

  #list(depth: number): Value {
    const items: (Value | undefined)[] = []
    if (this.#take(']')) return new Sequence(items)
    do items.push(this.value(depth + 1))
    while (this.#take(','))
    if (!this.#take(']')) this.#fail()
    return new Sequence(items)
  }

  #hash(depth: number): Value {
    const entries = new Map<string, Value | undefined>()
    if (this.#take('}')) return new Hash(entries)
    do {
      const key = this.#next()[1]
      if (key === undefined || !this.#take(':')) this.#fail()
      entries.set(this.#string(key ?? '').text, this.value(depth + 1))
    } while (this.#take(','))
    if (!this.#take('}')) this.#fail()
    return new Hash(entries)
  }

  #string(quoted: string): Text {
    try {
      return this.call.made(JSON.parse(quoted) as string)
    } catch (error) {
      if (error instanceof SyntaxError) return this.#fail()
      throw error
    }
  }

  #take(mark: string): boolean {
    const at = this.#at
    TOKEN.lastIndex = at
    const isHere = TOKEN.exec(this.text)?.[4] === mark
    this.#at = isHere ? TOKEN.lastIndex : at
    return isHere
  }

  #next(): RegExpExecArray {
    TOKEN.lastIndex = this.#at
    const found = TOKEN.exec(this.text)
    if (!found) return this.#fail()
    this.#at = TOKEN.lastIndex
    this.call.machine.limits.step(this.call.at)
    return found
  }

  #fail(): never {
    return this.call.fail(`is of a string that is not JSON, at character ${this.#at}`)
  }
}
