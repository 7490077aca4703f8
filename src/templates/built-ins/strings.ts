import { Sequence } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { Decimal } from '../values/decimal.ts'
import type { BuiltIn, Call } from './call.ts'
import { flagsOf, patternOf, placesOf, replacedBy, splitBy } from './patterns.ts'

const SPACE = 0x20

const mapped =
  (map: (text: string) => string): BuiltIn =>
  (call) =>
    call.made(map(call.string))

const asked =
  (ask: (text: string, part: string) => boolean): BuiltIn =>
  (call) =>
    ask(call.string, call.text(0))

const whole = (value: number): Value => Decimal.of(value)
/** Without control characters and spaces at both ends. A pattern would read each run of spaces from each of its characters on. */
const trimmed = (text: string): string => {
  let [from, to] = [0, text.length]
  while (from < to && text.charCodeAt(from) <= SPACE) from += 1
  while (to > from && text.charCodeAt(to - 1) <= SPACE) to -= 1
  return text.slice(from, to)
}

/** Changes the first character that is not whitespace. */
const atFirst = (text: string, change: (character: string) => string): string =>
  text.replace(/^(\s*)(\S)/, (_, space: string, character: string) => {
    const changed = change(character)
    return space + (changed.length === 1 ? changed : character)
  })

const capitalized = (text: string): string =>
  text.replaceAll(/[^ \t\r\n]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())

const indexOf =
  (isLast: boolean): BuiltIn =>
  (call) => {
    const [text, part] = [call.string, call.text(0)]
    const from = call.count > 1 ? call.integer(1) : undefined
    if (!isLast) return whole(text.indexOf(part, from))
    return whole(from !== undefined && from < 0 ? -1 : text.lastIndexOf(part, from))
  }

const substring: BuiltIn = (call) => {
  const text = call.string
  const from = call.integer(0)
  const to = call.count > 1 ? call.integer(1) : text.length
  if (from < 0 || to < from || to > text.length) call.fail(`has no characters from ${from} to ${to}`)
  return call.made(text.slice(from, to))
}

const padded =
  (side: 'left' | 'right'): BuiltIn =>
  (call) => {
    const [text, width] = [call.string, call.integer(0)]
    const filling = call.count > 1 ? call.text(1) : ' '
    if (filling === '') call.fail('needs something to fill with')
    const size = Math.max(0, width - text.length)
    call.machine.limits.size(call.at, width)
    const start = side === 'left' ? 0 : text.length % filling.length
    const fill = filling.repeat(Math.ceil((size + start) / filling.length)).slice(start, start + size)
    return call.made(side === 'left' ? fill + text : text + fill)
  }

const split: BuiltIn = (call) => {
  const [text, separator] = [call.string, call.coerced(0)]
  const flags = flagsOf(call, 1)
  call.machine.limits.step(call.at, text.length)
  return new Sequence(pieces(call, text, separator, flags).map((piece) => call.made(piece)))
}

const wordList: BuiltIn = (call) => {
  const text = call.string
  call.machine.limits.step(call.at, text.length)
  const words = text.split(/[ \t\n\r\f]+/).filter((word) => word !== '')
  return new Sequence(words.map((word) => call.made(word)))
}

function pieces(call: Call, text: string, separator: string, flags: string): readonly string[] {
  if (flags.includes('r')) return splitBy(call, patternOf(call, separator, flags, text), text)
  if (!flags.includes('i') || separator === '') return text.split(separator)
  const [lower, part] = [text.toLowerCase(), separator.toLowerCase()]
  const found: string[] = []
  let at = 0
  for (let next = lower.indexOf(part); next >= 0; next = lower.indexOf(part, at)) {
    found.push(text.slice(at, next))
    at = next + part.length
  }
  return [...found, text.slice(at)]
}

const replace: BuiltIn = (call) => {
  const [text, part, by] = [call.string, call.coerced(0), call.coerced(1)]
  const flags = flagsOf(call, 2)
  call.machine.limits.step(call.at, text.length)
  if (flags.includes('r'))
    return call.made(replacedBy(call, patternOf(call, part, flags, text), [text, by], flags))
  return call.made(replaced(call, [text, part, by], flags))
}

function replaced(call: Call, [text, part, by]: readonly [string, string, string], flags: string): string {
  const lower = flags.includes('i') ? text.toLowerCase() : text
  const wanted = flags.includes('i') ? part.toLowerCase() : part
  if (part === '') return flags.includes('f') ? by + text : by + text.replaceAll(/[^]/g, (one) => one + by)
  let [result, at] = ['', 0]
  for (let next = lower.indexOf(wanted); next >= 0; next = lower.indexOf(wanted, at)) {
    result += text.slice(at, next) + by
    at = next + part.length
    call.machine.limits.size(call.at, result.length)
    if (flags.includes('f')) break
  }
  return result + text.slice(at)
}

/** The part of a text before or after a separator. */
const kept =
  (side: 'before' | 'after', isLast: boolean): BuiltIn =>
  (call) => {
    const [text, separator] = [call.string, call.text(0)]
    const flags = flagsOf(call, 1)
    const found = place(call, text, separator, flags, isLast)
    if (!found) return call.made(side === 'before' ? text : '')
    return call.made(side === 'before' ? text.slice(0, found.at) : text.slice(found.end))
  }

// oxlint-disable-next-line max-params -- the search of four built-ins
function place(call: Call, text: string, separator: string, flags: string, isLast: boolean) {
  if (flags.includes('r'))
    return placesOf(call, patternOf(call, separator, flags, text), text).at(isLast ? -1 : 0)
  const [where, part] = flags.includes('i')
    ? [text.toLowerCase(), separator.toLowerCase()]
    : [text, separator]
  const at = isLast ? where.lastIndexOf(part) : where.indexOf(part)
  return at < 0 ? undefined : { at, end: at + part.length }
}

const ensureStart: BuiltIn = (call) => {
  const [text, start] = [call.string, call.text(0)]
  if (call.count === 1) return call.made(text.startsWith(start) ? text : start + text)
  const added = call.text(1)
  const flags = call.count > 2 ? flagsOf(call, 2) : 'r'
  const found = place(call, text, start, flags, false)
  return call.made(found?.at === 0 ? text : added + text)
}

const without = (text: string, part: string, side: 'start' | 'end'): string => {
  if (part === '') return text
  if (side === 'start') return text.startsWith(part) ? text.slice(part.length) : text
  return text.endsWith(part) ? text.slice(0, -part.length) : text
}

const changed =
  (change: (text: string, part: string) => string): BuiltIn =>
  (call) =>
    call.made(change(call.string, call.text(0)))

const number: BuiltIn = (call) => {
  if (call.target instanceof Decimal) return call.target
  return Decimal.parse(call.string) ?? call.fail('is of a string that is not a number')
}

export const STRINGS: Readonly<Record<string, BuiltIn>> = {
  upper_case: mapped((text) => text.toUpperCase()),
  lower_case: mapped((text) => text.toLowerCase()),
  cap_first: mapped((text) => atFirst(text, (character) => character.toUpperCase())),
  uncap_first: mapped((text) => atFirst(text, (character) => character.toLowerCase())),
  capitalize: mapped(capitalized),
  trim: mapped(trimmed),
  length: (call) => whole(call.string.length),
  word_list: wordList,
  contains: asked((text, part) => text.includes(part)),
  starts_with: asked((text, part) => text.startsWith(part)),
  ends_with: asked((text, part) => text.endsWith(part)),
  index_of: indexOf(false),
  last_index_of: indexOf(true),
  substring,
  left_pad: padded('left'),
  right_pad: padded('right'),
  split,
  replace,
  keep_before: kept('before', false),
  keep_before_last: kept('before', true),
  keep_after: kept('after', false),
  keep_after_last: kept('after', true),
  ensure_starts_with: ensureStart,
  ensure_ends_with: changed((text, end) => (text.endsWith(end) ? text : text + end)),
  remove_beginning: changed((text, start) => without(text, start, 'start')),
  remove_ending: changed((text, end) => without(text, end, 'end')),
  number,
}
