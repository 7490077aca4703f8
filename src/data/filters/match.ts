import { TextFault } from '../sql/text-fault.ts'
import { ATOMS_MAX, DEPTH_MAX, WILDCARDS_MAX } from './limits.ts'
import type { Condition, Relation } from './condition.ts'
import type { Expression } from './expression.ts'
import { bindOf } from './values.ts'

/** Counts the values of a whole filter. */
export type Budget = { atoms: number }

/** Parses a `match` string for a column or an expression: `OR(nor%, AND(>=b, <c))`.
 * @throws {TextFault} with the position */
export function parseMatch(text: string, left: Expression, budget: Budget): Condition {
  const parser = new Parser(text, left, budget)
  const condition = parser.condition(0)
  parser.end()
  return condition
}

const OPERATOR = /(AND|OR|NOT|IN|BETWEEN|NULL)[ \t\r\n]*\(/iy
const RELATION = />=|<=|<>|>|<|=/y
const RELATIONS: Readonly<Record<string, Relation>> = {
  '>=': 'ge',
  '<=': 'le',
  '<>': 'ne',
  '>': 'gt',
  '<': 'lt',
  '=': 'eq',
}

type Atom = { readonly at: number; readonly text: string; readonly isQuoted: boolean }

class Parser {
  #at = 0

  constructor(
    private readonly text: string,
    private readonly left: Expression,
    private readonly budget: Budget,
  ) {}

  end(): void {
    this.#spaces()
    if (this.#at < this.text.length) throw new TextFault(this.#at, 'is not expected here')
  }

  condition(depth: number): Condition {
    this.#spaces()
    const start = this.#at
    const operator = this.#take(OPERATOR)
    if (!operator) return this.#comparison()
    if (depth >= DEPTH_MAX) throw new TextFault(start, `is deeper than ${DEPTH_MAX} operators`)
    return this.#operation(operator.slice(0, -1).trim().toUpperCase(), depth, start)
  }

  #operation(operator: string, depth: number, start: number): Condition {
    switch (operator) {
      case 'AND':
      case 'OR':
        return {
          kind: operator === 'AND' ? 'and' : 'or',
          of: this.#list(() => this.condition(depth + 1)),
        }
      case 'NOT':
        return { kind: 'not', of: this.#only(() => this.condition(depth + 1)) }
      case 'IN':
        return this.#among(this.#list(() => this.#atom()))
      case 'BETWEEN':
        return this.#between(
          this.#list(() => this.#atom()),
          start,
        )
      default:
        this.#expect(')')
        return { kind: 'null', left: this.left }
    }
  }

  #comparison(): Condition {
    const relation = RELATIONS[this.#take(RELATION) ?? '']
    const atom = this.#atom()
    const isWild = !atom.isQuoted && /[%*]/.test(atom.text)
    if (isWild && relation === undefined) return this.#pattern(atom)
    if (this.left.type !== 'string') return this.#compared(relation ?? 'eq', atom)
    if (relation === undefined) return this.#text(atom, ['', atom.text, ''])
    if (relation === 'eq') return this.#text(atom, [atom.text])
    if (relation === 'ne') return { kind: 'not', of: this.#text(atom, [atom.text]) }
    return this.#compared(relation, atom)
  }

  #pattern(atom: Atom): Condition {
    const { left } = this
    if (/^[%*]+$/.test(atom.text)) return { kind: 'not', of: { kind: 'null', left } }
    if (left.type !== 'string') throw new TextFault(atom.at, 'has a wildcard, which texts have only')
    const pieces = atom.text.split(/[%*]+/)
    if (pieces.length > WILDCARDS_MAX + 1)
      throw new TextFault(atom.at, `has more than ${WILDCARDS_MAX} wildcards`)
    return this.#text(atom, pieces)
  }

  #text({ at, text }: Atom, pieces: readonly string[]): Condition {
    bindOf('string', text, at)
    return { kind: 'text', left: this.left, pieces }
  }

  #compared(relation: Relation, { at, text }: Atom): Condition {
    return { kind: 'compare', left: this.left, relation, value: bindOf(this.left.type, text, at) }
  }

  #among(atoms: readonly Atom[]): Condition {
    if (this.left.type === 'string')
      return { kind: 'or', of: atoms.map((atom) => this.#text(atom, [atom.text])) }
    const values = atoms.map(({ at, text }) => bindOf(this.left.type, text, at))
    return { kind: 'in', left: this.left, values }
  }

  #between(atoms: readonly Atom[], start: number): Condition {
    const [from, to, ...rest] = atoms
    if (!from || !to || rest.length > 0) throw new TextFault(start, 'BETWEEN has two values')
    return { kind: 'and', of: [this.#compared('ge', from), this.#compared('le', to)] }
  }

  #list<Item>(item: () => Item): readonly [Item, ...Item[]] {
    const items: [Item, ...Item[]] = [item()]
    this.#spaces()
    while (this.text[this.#at] === ',') {
      this.#at += 1
      items.push(item())
      this.#spaces()
    }
    this.#expect(')')
    return items
  }

  #only<Item>(item: () => Item): Item {
    const only = item()
    this.#expect(')')
    return only
  }

  #atom(): Atom {
    this.#spaces()
    const at = this.#at
    this.budget.atoms += 1
    if (this.budget.atoms > ATOMS_MAX) throw new TextFault(at, `is more than ${ATOMS_MAX} values`)
    const quoted = this.#take(/"((?:[^"\\]|\\["\\])*)"/y)
    if (quoted !== undefined)
      return { at, text: quoted.slice(1, -1).replaceAll(/\\(["\\])/g, '$1'), isQuoted: true }
    const text = this.#take(/[^",()]+/y)?.trim()
    if (!text) throw new TextFault(at, 'must be a value; put one with , ( ) or " into quotes')
    return { at, text, isQuoted: false }
  }

  #expect(mark: string): void {
    this.#spaces()
    if (this.text[this.#at] !== mark) throw new TextFault(this.#at, `must be "${mark}"`)
    this.#at += 1
  }

  #spaces(): void {
    this.#take(/[ \t\r\n]+/y)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.#at = pattern.lastIndex
    return found
  }
}
