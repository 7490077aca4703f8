import type { Spoken } from '../../../lib/language.ts'
import { cutText, oneLine } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import { readLimitNews } from '../../states/limit-news.ts'
import type { LimitNews } from '../../states/limit-news.ts'
import { filled } from './template.ts'
import type { Values } from './template.ts'
import { WORDS } from './words.ts'
import type { Kind } from './words.ts'

/** Alarms that a message lists; the others are counted. */
const SHOWN_MAX = 20
const SUBJECT_MAX = 200
const LINE_MAX = 2_000

/** The data of an alarm for messages. */
export type Facts = {
  readonly alarmId: number
  readonly objectId: number
  readonly objectType: string
  readonly objectName: string
  readonly objectPath: string
  readonly state: string
  readonly worstState: string
  readonly message: string
  /** The name and the unit of the value, for a message of a predicted or adaptive limit. */
  readonly value?: { readonly name: string; readonly unit: string }
  /** Epoch ms. */
  readonly beginAt: number
  /** Null while the alarm is open. */
  readonly endAt: number | null
  /** The last sign of life of a silent object, epoch ms; null for other alarms. */
  readonly silentSinceAt: number | null
  /** The time within which data was expected; null without a timeout. */
  readonly timeoutMs: number | null
}

/** One alarm of a message. */
export type MessageItem = Facts & { readonly kind: Kind }

/** The language and the form of messages for a recipient. */
export type Manner = {
  readonly recipient: string
  readonly language: Spoken
  readonly timeZone: string
  readonly templates: Readonly<
    Partial<Record<Spoken, { readonly subject: string; readonly text: string } | undefined>>
  >
}

/** A message for people; each line is a paragraph. */
export type Text = { readonly subject: string; readonly lines: readonly string[] }

/** The text about some alarms, the first 20 one by one. Values are shown unchanged, but without control characters.
 * @param escape makes values and words safe for the receiver's markup */
export function textOf(
  items: readonly MessageItem[],
  manner: Manner,
  escape: (text: string) => string = (text) => text,
): Text {
  const words = WORDS[manner.language]
  const template = manner.templates[manner.language]
  const lineOf = (one: MessageItem) => {
    const usual = one.endAt === null ? words.text : words.recovered
    return cutText(filled(template?.text ?? usual, valuesOf(one, manner), escape).trim(), LINE_MAX)
  }
  const [only, ...others] = items
  const well = items.filter(({ kind }) => kind === 'closed').length
  const subject =
    only && others.length === 0
      ? filled(template?.subject ?? words.subject, valuesOf(only, manner), escape)
      : words.several(items.length - well, well)
  const rest = items.length - SHOWN_MAX
  const lines = items.slice(0, SHOWN_MAX).map(lineOf)
  return {
    subject: cutText(subject, SUBJECT_MAX),
    lines: rest > 0 ? [...lines, escape(words.more(rest))] : lines,
  }
}

/** The value of each template field. */
function valuesOf(item: MessageItem, { recipient, language, timeZone }: Manner): Values {
  const { events, states } = WORDS[language]
  const format = (at: number) => writtenTime(at, timeZone)
  const endAt = item.endAt
  return {
    event: events[item.kind],
    'alarm.id': String(item.alarmId),
    'object.id': String(item.objectId),
    'object.type': item.objectType,
    'object.name': oneLine(item.objectName),
    'object.path': oneLine(item.objectPath),
    state: states[item.state] ?? item.state,
    worstState: states[item.worstState] ?? item.worstState,
    message: oneLine(messageOf(item, { language, timeZone })),
    begin: format(item.beginAt),
    end: endAt === null ? '' : format(endAt),
    duration: endAt === null ? '' : durationWords(endAt - item.beginAt, language),
    recipient: oneLine(recipient),
  }
}

/** The message of an object; for a silent object, since when and within which time data was expected; for a predicted
 * or adaptive limit, what is expected. */
export function messageOf(
  { message, silentSinceAt, timeoutMs, beginAt, value }: Facts,
  { language, timeZone }: Pick<Manner, 'language' | 'timeZone'>,
): string {
  const news = value ? readLimitNews(message) : null
  if (value && news) return limitWords(news, value, { language, timeZone })
  if (message !== '' || silentSinceAt === null) return message
  const since = writtenTime(silentSinceAt, timeZone)
  const isSameDay = since.slice(0, 10) === writtenTime(beginAt, timeZone).slice(0, 10)
  const every = timeoutMs === null ? null : durationWords(timeoutMs, language)
  return WORDS[language].silent(isSameDay ? since.slice(11, 19) : since, every)
}

function limitWords(
  news: LimitNews,
  { name, unit }: NonNullable<Facts['value']>,
  { language, timeZone }: Pick<Manner, 'language' | 'timeZone'>,
): string {
  const words = WORDS[language]
  const shown = (value: number | null) => (value === null ? null : `${value}${unit === '' ? '' : ` ${unit}`}`)
  if (news.kind === 'unusual')
    return words.unusual(name, shown(news.value) ?? '', {
      lower: shown(news.lower),
      upper: shown(news.upper),
    })
  const limit = `${words.relations[news.relation]} ${shown(news.limit) ?? ''}`
  return words.predicted(name, limit, writtenTime(news.at, timeZone))
}

/** An instant to the second: `2026-03-02 10:00:00 +01:00`. */
function writtenTime(at: number, timeZone: string): string {
  return timeFormat(timeZone)(Math.floor(at / 1_000) * 1_000).replace(/T(.{8})/, ' $1 ')
}

/** A duration in its two largest units, such as `2 h 5 min`. */
export function durationWords(ms: number, language: Spoken): string {
  const units = WORDS[language].units
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const parts = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  const first = parts.findIndex((part) => part > 0)
  if (first === -1) return `0 ${units[3]}`
  return parts
    .map((part, index) => (part > 0 && index <= first + 1 && index >= first ? `${part} ${units[index]}` : ''))
    .filter(Boolean)
    .join(' ')
}
