import type { Body } from '../../api/client.ts'

const CONDITION =
  /^(.+?) (>=|<=|<>|>|<|=|contains|starts_with|ends_with|matches|not_contains|not_matches) ("[^"]*"|-?[\d.]+)(?: (\d+) times)?(?: until (-?[\d.]+)(?: (\d+) times)?)?$/

/** `Load > 90 predicted in 60m over 64m`. */
const PREDICTED = /^(.+) predicted in (\d+)m over (\d+)m$/
/** `Load <> usual of the day over 7d`, with the least width of the band. */
const USUAL = /^(.+?) (>|<|<>) usual of the (day|week) over (\d+)d(?: wide (\d+))?$/

type Names = { readonly numbers: readonly string[]; readonly texts: readonly string[] }

/** The limits of one level as they are on the wire, from `Load > 90 3 times until 80 and Memory > 95`.
 * @throws {RangeError} when it is no condition, or names no value of the job */
export function conditionsOf(text: string, names: Names): Body {
  const mode = / and /.test(text) ? 'and' : 'or'
  return { mode, conditions: text.split(` ${mode} `).map((part) => conditionOf(part, names)) }
}

function conditionOf(text: string, names: Names): Body {
  const [, predicted, within, window] = PREDICTED.exec(text) ?? []
  if (predicted !== undefined)
    return {
      ...conditionOf(predicted, names),
      inFuture: { within: `PT${within}M`, window: `PT${window}M` },
    }
  const [, learned = '', side, season, days, width] = USUAL.exec(text) ?? []
  if (side === undefined) return plainConditionOf(text, names)
  const adaptiveValues = { season, window: `P${days}D`, minSamples: 3, minWidth: Number(width ?? 0) }
  return { key: keyOf(learned, names), operator: side, value: 0, adaptiveValues }
}

function plainConditionOf(text: string, names: Names): Body {
  const [, name = '', operator, value = '', times, until, untilTimes] = CONDITION.exec(text) ?? []
  if (operator === undefined) throw new RangeError(`\`${text}\` is no condition`)
  const recovery = { value: Number(until), repetition: Number(untilTimes ?? 1) }
  return {
    key: keyOf(name, names),
    operator,
    value: readingOf(value),
    repetition: Number(times ?? 1),
    ...(until !== undefined && { recovery }),
  }
}

/** A number, or a text in quotes. */
export function readingOf(text: string): number | string {
  return text.startsWith('"') ? text.slice(1, -1) : Number(text)
}

/** What a value is called on the wire. @throws {RangeError} when the job has no such value */
export function keyOf(name: string, { numbers, texts }: Names): string {
  if (name === 'error code') return 'errorCode'
  if (numbers.includes(name)) return `returnValue${numbers.indexOf(name) + 1}`
  if (texts.includes(name)) return `stringValue${texts.indexOf(name) + 1}`
  throw new RangeError(`the job has no value "${name}"`)
}
