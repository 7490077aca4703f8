import { RE2JS, RE2JSException } from 're2js'
import { TemplateFault } from '../fault.ts'
import { Match, Matches, Sequence, typeOf } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { BuiltIn, Call } from './call.ts'

const PATTERN_MAX = 1_000
/** A pattern takes a step for each character of the text and each 16 of its own, after some to compile it. */
const CHARACTERS_A_STEP = 16
const COMPILATION_STEPS = 16
/** The longest text that is searched by a pattern. */
const TEXT_MAX = 20_000
const MATCHES_MAX = 10_000

/** The flags in an argument: `r` for a pattern, `i`, `m` and `s` as in Java, `f` for the first match. */
export function flagsOf(call: Call, index: number): string {
  const flags = call.count > index ? call.text(index) : ''
  if (!/^[rifms]*$/.test(flags)) call.fail(`does not know the flags ${flags}`)
  return flags
}

/** A regular expression, which takes time in proportion to the text. It has no look-around and no back references. */
export function patternOf(call: Call, pattern: string, flags: string, text: string): RE2JS {
  if (pattern.length > PATTERN_MAX)
    throw new TemplateFault(call.at, `the pattern has more than ${PATTERN_MAX} characters`, 'limit')
  if (text.length > TEXT_MAX)
    throw new TemplateFault(call.at, `matches a text of more than ${TEXT_MAX} characters`, 'limit')
  const steps = text.length * (1 + pattern.length / CHARACTERS_A_STEP) + pattern.length * COMPILATION_STEPS
  call.machine.limits.step(call.at, Math.ceil(steps))
  const bits = flags.split('').reduce((sum, flag) => sum | (BITS[flag] ?? 0), 0)
  try {
    return RE2JS.compile(pattern, bits)
  } catch (error) {
    if (error instanceof RE2JSException) return call.fail(`takes a pattern, not ${pattern}`)
    throw error
  }
}

const BITS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
}

type Place = { readonly at: number; readonly end: number }

/** The places of all matches, of which empty ones are between two characters. */
export function placesOf(call: Call, pattern: RE2JS, text: string): readonly Place[] {
  const matcher = pattern.matcher(text)
  const places: Place[] = []
  while (matcher.find()) {
    call.machine.limits.step(call.at, 16)
    if (places.length > MATCHES_MAX)
      throw new TemplateFault(call.at, `the pattern matches more than ${MATCHES_MAX} times`, 'limit')
    places.push({ at: matcher.start(), end: matcher.end() })
  }
  return places
}

/** The pieces between the matches. As in Java, empty pieces at the end are dropped. */
export function splitBy(call: Call, pattern: RE2JS, text: string): readonly string[] {
  let at = 0
  const pieces: string[] = []
  for (const place of placesOf(call, pattern, text)) {
    if (place.end === 0) continue
    pieces.push(text.slice(at, place.at))
    at = place.end
  }
  pieces.push(text.slice(at))
  while (pieces.length > 1 && pieces.at(-1) === '') pieces.pop()
  return pieces
}

/** The text with the matches replaced; `$1` is a group. */
export function replacedBy(
  call: Call,
  pattern: RE2JS,
  [text, by]: readonly [string, string],
  flags: string,
): string {
  const matcher = pattern.matcher(text)
  const count = pattern.groupCount()
  const wrong = [...by.matchAll(/\\?\$(\d?)/g)].find(
    ([whole, group]) => !whole.startsWith('\\') && (group === '' || Number(group) > count),
  )
  if (wrong) call.fail(`replaces by ${wrong[0]}, which is not a group`)
  try {
    return flags.includes('f') ? matcher.replaceFirst(by, true) : matcher.replaceAll(by, true)
  } catch (error) {
    if (error instanceof RE2JSException) return call.fail(`takes a replacement, not ${by}`)
    throw error
  }
}

/** `?matches`: whether the whole text matches, and each match in it. */
export const matches: BuiltIn = (call) => {
  const [text, pattern] = [call.string, call.coerced(0)]
  const compiled = patternOf(call, pattern, flagsOf(call, 1), text)
  const groupsOf = (matcher: ReturnType<RE2JS['matcher']>) =>
    new Sequence(
      Array.from({ length: matcher.groupCount() + 1 }, (_, index): Value | undefined => {
        const group = matcher.group(index)
        return group === null ? undefined : call.made(group)
      }),
    )
  const whole = compiled.matcher(text)
  const isWhole = whole.matches()
  const matcher = compiled.matcher(text)
  const items: Match[] = []
  while (matcher.find()) {
    call.machine.limits.step(call.at, 16)
    const { text: found, isTainted } = call.made(text.slice(matcher.start(), matcher.end()))
    items.push(new Match(found, isTainted, groupsOf(matcher)))
  }
  return new Matches(items, isWhole, isWhole ? groupsOf(whole) : null)
}

/** `?groups`: the parts of a match in parentheses, after the match itself. */
export const groups: BuiltIn = (call) => {
  const { target } = call
  if (!(target instanceof Match) && !(target instanceof Matches))
    return call.fail(`is of a match, not of ${typeOf(target)}`)
  return target.groups ?? call.fail('is of a text that does not match')
}
