import { TemplateFault } from '../fault.ts'
import type { Piece } from '../pieces.ts'
import type { NodeOf } from '../syntax/tree.ts'
import { Fragment, Text, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { fail } from './machine.ts'
import type { Leaving, Machine } from './machine.ts'

/** How a macro of the language wraps its content; nothing is written when the content is blank. */
type Wrapping = {
  readonly prefix: string
  readonly suffix: string
  /** Words that are removed from the beginning and the end. */
  readonly starts: readonly string[]
  readonly ends: readonly string[]
}

const WHERE: Wrapping = { prefix: 'WHERE ', suffix: '', starts: ['AND', 'OR'], ends: [] }
const AND: Wrapping = { prefix: 'AND ', suffix: '', starts: ['AND', 'OR'], ends: [] }
const PARAMETERS = ['prefix', 'suffix', 'prefixOverrides', 'suffixOverrides'] as const

/** Runs `<@where>`, `<@and>` or `<@trim>`, unless the template defines a macro of this name. */
export function wrapper(
  machine: Machine,
  node: NodeOf<'call'>,
): ((run: () => Leaving | undefined) => Leaving | undefined) | undefined {
  const wrapping = node.of.kind === 'variable' ? wrappingOf(machine, node, node.of.name) : undefined
  return wrapping && ((run) => wrapped(machine, wrapping, node.at, run))
}

function wrappingOf(machine: Machine, node: NodeOf<'call'>, name: string): Wrapping | undefined {
  if (name === 'trim') return trimming(machine, node)
  if (name !== 'where' && name !== 'and') return undefined
  if (node.named || node.args.length > 0) fail(node.at, `${name} takes no parameters`)
  return name === 'where' ? WHERE : AND
}

function trimming(machine: Machine, { named, args, at }: NodeOf<'call'>): Wrapping {
  const unknown = [...(named ?? new Map<string, never>()).keys()].find((key) => !isParameter(key))
  if (args.length > 0 || unknown !== undefined)
    fail(at, `trim takes prefix, suffix, prefixOverrides and suffixOverrides by name`)
  const [prefix = '', suffix = '', starts = '', ends = ''] = PARAMETERS.map((key) => {
    const given = named?.get(key)
    return given ? cleanText(machine, machine.evaluate(given), at) : ''
  })
  const words = (text: string) =>
    text
      .split('|')
      .map((word) => word.trim())
      .filter((word) => word !== '')
  return {
    prefix: prefix === '' ? '' : `${prefix} `,
    suffix: suffix === '' ? '' : ` ${suffix}`,
    starts: words(starts),
    ends: words(ends),
  }
}

const isParameter = (key: string): boolean => PARAMETERS.some((parameter) => parameter === key)

/** A string that becomes SQL as it is. */
function cleanText(machine: Machine, value: Value | undefined, at: number): string {
  if (!(value instanceof Text)) return fail(at, `trim takes strings, not ${typeOf(value)}`)
  if (machine.isSql && value.isTainted)
    throw new TemplateFault(at, 'trim takes no strings that come from a parameter', 'tainted')
  return value.text
}

function wrapped(
  machine: Machine,
  wrapping: Wrapping,
  at: number,
  run: () => Leaving | undefined,
): Leaving | undefined {
  const { value, leaving } = machine.capture(run)
  const { snippet } = machine
  const whole = piecesIn(value, at, snippet)
  const inner = withoutEnds(withoutStarts(whole, wrapping.starts), wrapping.ends)
  if (inner.length === 0) return leaving
  const around = (text: string): Piece[] => (text === '' ? [] : [{ kind: 'text', text, at, snippet }])
  const pieces = [...around(wrapping.prefix), ...inner, ...around(wrapping.suffix)]
  if (value instanceof Text) {
    const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
    machine.write(new Text(text, value.isTainted))
  } else machine.write(new Fragment(pieces))
  return leaving
}

function piecesIn(value: Value, at: number, snippet: string | null): readonly Piece[] {
  if (value instanceof Fragment) return value.pieces
  return value instanceof Text ? [{ kind: 'text', text: value.text, at, snippet }] : []
}

/** Without whitespace at the beginning, and without the first of these words. */
function withoutStarts(pieces: readonly Piece[], words: readonly string[]): readonly Piece[] {
  const [first, ...rest] = pieces
  if (first?.kind !== 'text') return pieces
  const text = first.text.trimStart()
  if (text === '') return withoutStarts(rest, words)
  const word = words.find((start) => startsWithWord(text, start))
  if (word === undefined) return [{ ...first, text }, ...rest]
  return withoutStarts([{ ...first, text: text.slice(word.length) }, ...rest], [])
}

function withoutEnds(pieces: readonly Piece[], words: readonly string[]): readonly Piece[] {
  const last = pieces.at(-1)
  const rest = pieces.slice(0, -1)
  if (last?.kind !== 'text') return pieces
  const text = last.text.trimEnd()
  if (text === '') return withoutEnds(rest, words)
  const word = words.find((end) => endsWithWord(text, end))
  if (word === undefined) return [...rest, { ...last, text }]
  return withoutEnds([...rest, { ...last, text: text.slice(0, -word.length) }], [])
}

const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
/** Whether two characters would be one word. */
const isOneWord = (left: string, right: string): boolean => /^[\w$\u0080-\uffff]{2}$/.test(left + right)

function startsWithWord(text: string, word: string): boolean {
  const after = text.charAt(word.length)
  return isSame(text.slice(0, word.length), word) && !isOneWord(word.at(-1) ?? '', after)
}

function endsWithWord(text: string, word: string): boolean {
  const before = text.charAt(text.length - word.length - 1)
  return isSame(text.slice(-word.length), word) && !isOneWord(before, word.charAt(0))
}
