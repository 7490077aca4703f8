import type { Bind, Bound } from '../../ports/databases.ts'
import { TemplateFault } from '../../templates/fault.ts'
import type { Inner, Piece, PlainValue } from '../../templates/pieces.ts'
import { Written } from '../../templates/written.ts'
import { isMark, placed } from './clauses.ts'
import type { Placed } from './clauses.ts'
import { WRITERS } from './dialects/writers.ts'
import { crosstabs } from './crosstab.ts'
import type { Inner as Quoted, Replaced } from './crosstab.ts'
import { bind, boundOf, joined, name, raw, shortened, sql } from './fragment.ts'
import type { Fragment } from './fragment.ts'
import { checkStatement } from './gate.ts'
import { tokensOf } from './lexer.ts'
import type { Token } from './lexer.ts'
import { withinName, withinString } from './quoted-values.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

/** Stands for each value while the text is split into tokens. It begins no prefix of a string. */
const STAND_IN = 'v'

/** A piece, and its place in the text with stand-ins. */
type Spot = { readonly piece: Piece; readonly start: number; readonly end: number }
/** A spot within its token. */
type Held = {
  readonly spot: Spot
  readonly token: Token
  readonly place: Placed | undefined
  readonly before: Token | undefined
}
type Value = Exclude<Piece, { readonly kind: 'text' }>

/** The statement that a template wrote. Its values are binds where an expression may stand, and are escaped within quotes.
 * @throws {TemplateFault} where a value has no place, such as a comment; with the code `bind` */
export function templateSql(written: Written, dialect: Dialect): Bound {
  return boundOf(templateFragment(written, dialect), WRITERS[dialect])
}

/** The SQL of a template as a part of other statements. @throws {TemplateFault} as `templateSql` */
export function templateFragment(written: Written, dialect: Dialect): Fragment {
  return new Binding(written, dialect).fragment()
}

class Binding {
  readonly #spots: readonly Spot[]
  readonly #text: string

  constructor(
    private readonly written: Written,
    private readonly dialect: Dialect,
  ) {
    this.#spots = spotsOf(written.pieces)
    this.#text = written.pieces.map(standIn).join('')
  }

  fragment(): Fragment {
    const tokens = this.#reading(() => tokensOf(this.#text, this.dialect))
    const places = this.#reading(() => placed(tokens))
    const replaced = this.#reading(() => crosstabs(places, this.#inner()))
    const indexes = new Map(places.map((place, at) => [place.token, at]))
    const own = tokens.find(({ kind }) => kind === 'parameter')
    if (own) throw this.#faultAt(own.start, 'is a placeholder: write a parameter of the template')
    let index = 0
    const parts = this.#spots.map((spot) => {
      const around = replaced.filter(({ start, end }) => start < spot.end && end > spot.start)
      if (spot.piece.kind === 'text') return besides(spot.piece.text, spot.start, around)
      if (around.length > 0) return raw('')
      while ((tokens[index]?.end ?? Number.POSITIVE_INFINITY) <= spot.start) index += 1
      const token = tokens[index]
      if (!token) throw this.#faultAt(spot.start, 'has no place here')
      const at = indexes.get(token) ?? -1
      return this.#value(spot.piece, { spot, token, place: places[at], before: places[at - 1]?.token })
    })
    return joined(parts, '')
  }

  /** Statements in the quotes of a call are bound like whole statements. */
  #inner(): Quoted {
    const { dialect } = this
    return {
      dialect,
      pieces: (start, end) => piecesBetween(this.#spots, start, end),
      statement: (pieces) =>
        this.#innermost(pieces, () => new Binding(this.written.of(pieces), dialect).checked()),
    }
  }

  /** Places the faults of a statement in quotes. */
  #innermost(pieces: readonly Piece[], read: () => Fragment): Fragment {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof TextFault)) throw error
      const place = pieces[0] ?? { at: 0, snippet: null }
      throw this.written.fault(place, `in this statement, ${error.complaint}`, 'bind')
    }
  }

  /** The fragment as a statement of its own, without its end that could not stand in parentheses. */
  checked(): Fragment {
    const fragment = this.fragment()
    const { text } = boundOf(fragment, WRITERS[this.dialect])
    return shortened(fragment, text.length - checkStatement(text, this.dialect, null).length)
  }

  #value(piece: Value, held: Held): Fragment {
    const { token } = held
    switch (token.kind) {
      case 'string':
      case 'name': {
        const within = token.kind === 'string' ? withinString : withinName
        const { text, complaint } = within(this.#quoted(piece, held), this.#text, token, this.dialect)
        if (complaint !== undefined) throw this.#refusal(held, complaint)
        return raw(text)
      }
      case 'word':
        return this.#free(piece, held)
      case 'comment':
        throw this.#refusal(held, 'stands in a comment')
      default:
        throw this.#refusal(held, 'is a part of a token')
    }
  }

  /** The text of a value within quotes, with its place. */
  #quoted(piece: Value, held: Held) {
    const { start, end } = held.spot
    if (piece.kind === 'identifier') return { value: piece.name, start, end }
    if (piece.kind === 'statement') throw this.#refusal(held, 'is a data query within quotes')
    const [value] = piece.kind === 'literal' ? [piece.value] : piece.values
    if (piece.kind === 'value' && piece.isList) throw this.#refusal(held, 'is a list within quotes')
    if (!value || value.value === null) throw this.#refusal(held, 'is null within quotes')
    return { value: value.text, start, end }
  }

  /** A value outside of quotes. */
  #free(piece: Value, held: Held): Fragment {
    const { spot, token } = held
    const [before, after] = [this.#text.charAt(spot.start - 1), this.#text.charAt(spot.end)]
    const isGlued =
      token.start !== spot.start || token.end !== spot.end || /[$@:\\]/.test(before) || after === '('
    if (isGlued) throw this.#refusal(held, 'is glued to other characters: write a space between them')
    if (piece.kind === 'identifier') {
      if (/["'`]/.test(before + after)) throw this.#refusal(held, 'is glued to quotes')
      return name(this.#name(piece.name, held))
    }
    if (before === '.' || after === '.')
      throw this.#refusal(held, 'is a part of a name: write ?sql_identifier')
    if (piece.kind === 'statement') return this.#statement(piece.inner, held)
    if (piece.kind === 'literal') return this.#literal(piece.value, held)
    this.#refuseUseless(held)
    const binds = piece.values.map((value) => this.#bind(value, held))
    return binds.length === 0 ? raw('NULL') : joined(binds, ', ')
  }

  /** A statement of its own, in parentheses. */
  #statement({ name: title, pieces, text }: Inner, held: Held): Fragment {
    const written = new Written(pieces, () => text)
    const statement = this.#within(title, held, () => new Binding(written, this.dialect).checked())
    return isEnclosed(held.place) ? statement : sql`(${statement})`
  }

  /** Adds the name of a statement to its faults. */
  #within<T>(title: string, held: Held, read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof TemplateFault) throw this.#refusal(held, innerFault(title, error))
      if (!(error instanceof TextFault)) throw error
      throw this.#refusal(held, `in the data query ${title}, ${error.complaint}`)
    }
  }

  #name(given: string, held: Held): string {
    const { complaint } = withinName(
      { value: given, start: 1, end: 1 },
      '""',
      { start: 0, end: 2 },
      this.dialect,
    )
    if (complaint !== undefined) throw this.#refusal(held, complaint)
    return given
  }

  #literal(value: PlainValue, held: Held): Fragment {
    const beside = [held.place?.next, held.before]
    if (beside.some((token) => token?.kind === 'string'))
      throw this.#refusal(held, 'is a literal beside a string, which would be one string with it')
    if (value.type === 'boolean') return raw(value.text.toUpperCase())
    if (value.type === 'integer' || value.type === 'number')
      return raw(value.text.startsWith('-') ? `(${value.text})` : value.text)
    const quoted = { value: value.text, start: 1, end: 1 }
    const { text, complaint } = withinString(quoted, "''", { start: 0, end: 2 }, this.dialect)
    if (complaint !== undefined) throw this.#refusal(held, complaint)
    return raw(`'${text}'`)
  }

  /** A bind is accepted after ORDER BY and GROUP BY, where it sorts and groups nothing. */
  #refuseUseless(held: Held): void {
    const { after, clause } = held.place ?? {}
    const isItem = after === ',' && (clause === 'ORDER' || clause === 'GROUP')
    if (after === 'BY' || isItem)
      throw this.#refusal(
        held,
        'is a value, which does not sort or group: write ?sql_identifier for a column',
      )
    if (held.before?.value === '::') throw this.#refusal(held, 'is a value, not a type')
  }

  #bind({ type, value, text }: PlainValue, held: Held): Fragment {
    if (value === null) return raw('NULL')
    if (text.includes('\0') || !text.isWellFormed())
      throw this.#refusal(held, 'contains NUL or half of a character')
    const made: Bind = { type, value }
    return bind(made)
  }

  #refusal({ spot }: Held, complaint: string): TemplateFault {
    return this.written.fault(spot.piece, complaint, 'bind')
  }

  #reading<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof TextFault) throw this.#faultAt(error.position, error.complaint)
      throw error
    }
  }

  /** The fault at a character of the text with stand-ins. */
  #faultAt(position: number, complaint: string): TemplateFault {
    const spot = this.#spots.findLast(({ start }) => start <= position)
    const piece = spot?.piece ?? { at: 0, snippet: null }
    const at = piece.at + (spot?.piece.kind === 'text' ? position - spot.start : 0)
    return this.written.fault({ at, snippet: piece.snippet }, complaint, 'bind')
  }
}

/** The complaint about a template that another one refers to. */
export function innerFault(title: string, { line, column, complaint }: TemplateFault): string {
  return `in the data query ${title}, line ${line}, column ${column}: ${complaint}`
}

/** Whether a statement stands in parentheses already. */
function isEnclosed(place: Placed | undefined): boolean {
  return (
    place?.after === '(' &&
    isMark(place.next, ')') &&
    /^(?:FROM|JOIN|IN|EXISTS|ANY|ALL|SOME)$/.test(place.call)
  )
}

/** A text without the parts that others replace, which stand where these begin. */
function besides(text: string, start: number, replaced: readonly Replaced[]): Fragment {
  const parts: Fragment[] = []
  let at = start
  for (const one of replaced) {
    if (one.start >= at) parts.push(raw(text.slice(at - start, one.start - start)), one.fragment)
    at = Math.max(at, one.end)
  }
  parts.push(raw(text.slice(at - start)))
  return joined(parts, '')
}

/** The pieces between two characters of the text with stand-ins; texts side by side are one. */
function piecesBetween(spots: readonly Spot[], from: number, to: number): readonly Piece[] {
  const pieces: Piece[] = []
  for (const { piece, start, end } of spots) {
    if (end <= from || start >= to) continue
    const cut = Math.max(from - start, 0)
    const last = pieces.at(-1)
    if (piece.kind !== 'text') pieces.push(piece)
    else {
      const text = piece.text.slice(cut, to - start)
      if (last?.kind === 'text') pieces.splice(-1, 1, { ...last, text: last.text + text })
      else pieces.push({ ...piece, text, at: piece.at + cut })
    }
  }
  return pieces
}

const standIn = (piece: Piece): string => (piece.kind === 'text' ? piece.text : STAND_IN)

function spotsOf(pieces: readonly Piece[]): readonly Spot[] {
  let start = 0
  return pieces.map((piece) => {
    const spot = { piece, start, end: start + standIn(piece).length }
    start = spot.end
    return spot
  })
}
