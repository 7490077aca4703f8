import { Temporal } from 'temporal-polyfill'

import { STATES } from '../../src/domain/state.ts'
import { TIME_ZONE } from '../hosts/host.ts'

/** What the placeholders of a sentence stood for: instants in epoch ms, durations in ms, numbers, and text. */
export type Given = {
  text(name: string): string
  number(name: string): number
  /** Undefined where an optional part was left out. */
  maybeText(name: string): string | undefined
  maybeNumber(name: string): number | undefined
}

/** The date that times without one belong to; it moves with every date that is written. */
export type Calendar = { date: string | null }

type Kind = { readonly source: string; read(text: string, calendar: Calendar): string | number }

const STEP_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }
const quoted = (text: string) => text.slice(1, -1)
const same = (text: string) => text

/** What may stand for a placeholder. */
const KINDS: Readonly<Record<string, Kind>> = {
  name: { source: '"[^"]*"', read: quoted },
  word: { source: '[\\w-]+', read: same },
  state: { source: STATES.join('|'), read: same },
  level: { source: 'major|minor|warning', read: same },
  levels: {
    source: '(?:major|minor|warning)(?:(?:, | and )(?:major|minor|warning))*',
    read: (text) => text.replaceAll(/, | and /g, ','),
  },
  number: { source: '-?\\d+(?:\\.\\d+)?', read: Number },
  duration: { source: '\\d+(?:\\.\\d+)?[dhms](?: \\d+(?:\\.\\d+)?[dhms])*', read: durationOf },
  time: {
    source: '(?:\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:[+-]\\d\\d:\\d\\d)?',
    read: instantOf,
  },
  date: { source: '\\d{4}-\\d\\d-\\d\\d', read: same },
  clock: { source: '\\d\\d:\\d\\d', read: same },
  anything: { source: '.+?', read: same },
}

/** A sentence with placeholders: `<time>`, or `<time:begin>` where it is called otherwise; `[may be left out]`; and
 * `{one|or another}`. */
export type Pattern = { read(text: string, calendar: Calendar): Given | null }

/** @throws {RangeError} when a placeholder is of no known kind */
export function patternOf(sentence: string): Pattern {
  const holders: { readonly name: string; readonly kind: Kind }[] = []
  const source = sentence.replaceAll(
    /<(\w+)(?::(\w+))?>|\[|\]|\{([^}]+)\}|[.*+?^$()|\\]/g,
    (found: string, kindName: string | undefined, name: string | undefined, either: string | undefined) => {
      if (found === '[') return '(?:'
      if (found === ']') return ')?'
      if (either !== undefined) return `(?:${either})`
      if (kindName === undefined) return `\\${found}`
      const kind = KINDS[kindName]
      if (!kind) throw new RangeError(`There is no kind ${kindName} for a placeholder.`)
      holders.push({ name: name ?? kindName, kind })
      return `(${kind.source})`
    },
  )
  const whole = new RegExp(`^${source}$`)
  return {
    read(text, calendar) {
      const match = whole.exec(text)
      if (!match) return null
      const values = new Map<string, string | number>()
      for (const [index, { name, kind }] of holders.entries()) {
        const found = match[index + 1]
        if (found !== undefined) values.set(name, kind.read(found, calendar))
      }
      return givenOf(values)
    },
  }
}

function givenOf(values: ReadonlyMap<string, string | number>): Given {
  const maybeText = (name: string) => (values.has(name) ? String(values.get(name)) : undefined)
  const maybeNumber = (name: string) => (values.has(name) ? Number(values.get(name)) : undefined)
  return {
    maybeText,
    maybeNumber,
    text: (name) => maybeText(name) ?? '',
    number: (name) => maybeNumber(name) ?? Number.NaN,
  }
}

/** Milliseconds of `1h 30m`. */
function durationOf(text: string): number {
  return text
    .split(' ')
    .reduce((sum, part) => sum + Number(part.slice(0, -1)) * (STEP_MS[part.at(-1) ?? ''] ?? 0), 0)
}

/** @throws {RangeError} when there is no date yet, or the clocks skip or repeat the time and no offset says which */
function instantOf(text: string, calendar: Calendar): number {
  const [first = '', second] = text.split(' ')
  if (second !== undefined) calendar.date = first
  if (calendar.date === null) throw new RangeError(`${text} needs a date: none was written before`)
  const time = second ?? first
  if (/[+-]\d\d:\d\d$/.test(time)) return Temporal.Instant.from(`${calendar.date}T${time}`).epochMilliseconds
  const local = Temporal.PlainDateTime.from(`${calendar.date}T${time}`)
  try {
    return local.toZonedDateTime(TIME_ZONE, { disambiguation: 'reject' }).epochMilliseconds
  } catch {
    throw new RangeError(`${text} is skipped or repeated on that day: write its offset, as 02:30+01:00`)
  }
}
