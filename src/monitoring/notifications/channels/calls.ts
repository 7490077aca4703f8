import { Webhook } from 'standardwebhooks'
import { cutText } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { Target } from '../recipients/target.ts'
import { textOf } from '../texts/message.ts'
import type { Told } from '../texts/message.ts'
import type { Call, Parcel } from './parcel.ts'

/** A target that is reached over HTTP. */
export type HttpTarget = Exclude<Target, { type: 'user' | 'group' | 'email' }>

const NTFY_PRIORITIES: Readonly<Record<string, number>> = { major: 5, minor: 4, warning: 3 }
/** What Telegram takes in one message, in UTF-16 code units. */
const TELEGRAM_MAX = 4_096

/** The request that tells a parcel to a target.
 * @param now epoch ms: when a webhook is signed */
export function callOf(target: HttpTarget, parcel: Parcel, now: number): Call {
  switch (target.type) {
    case 'webhook':
      return webhookCall(target, parcel, now)
    case 'slack':
      return call(target.url, parcel, slackBody(parcel))
    case 'teams':
      return call(target.url, parcel, teamsBody(parcel))
    case 'telegram':
      return call(urlBelow(target.apiUrl, `bot${target.token}/sendMessage`), parcel, {
        chat_id: target.chatId,
        // Without a parse mode nothing in the text means anything.
        text: longText(parcel, TELEGRAM_MAX),
        link_preview_options: { is_disabled: true },
      })
    case 'ntfy':
      return ntfyCall(target, parcel)
  }
}

/** A message as Standard Webhooks says (*Payload structure*, *Signature scheme*). */
function webhookCall(
  { url, secret }: Extract<Target, { type: 'webhook' }>,
  parcel: Parcel,
  now: number,
): Call {
  const format = timeFormat(parcel.manner.timeZone)
  const text = textOf(parcel.told, parcel.manner)
  const body = JSON.stringify({
    type: typeOf(parcel.told),
    timestamp: format(parcel.createdAt),
    data: {
      recipient: parcel.manner.recipient,
      subject: text.subject,
      text: text.lines.join('\n'),
      alarms: parcel.told.map((one) => dataOf(one, format)),
    },
  })
  const at = new Date(now)
  return {
    url,
    headers: {
      ...headersOf(parcel),
      'webhook-id': parcel.key,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': new Webhook(secret).sign(parcel.key, at, body),
    },
    body,
  }
}

/** `alarm.opened` and the like; `alarms` where it is of several kinds. */
function typeOf(told: readonly Told[]): string {
  const kinds = new Set(told.map(({ kind }) => kind))
  const [only] = kinds
  return kinds.size === 1 && only ? `alarm.${only}` : 'alarms'
}

function dataOf(told: Told, format: (at: number) => string) {
  const { kind, alarmId, objectId, objectType, objectName, objectPath, state, worstState, message } = told
  const endAt = told.endAt
  return {
    event: kind,
    alarmId,
    object: { id: objectId, type: objectType, name: objectName, path: objectPath },
    state,
    worstState,
    message,
    begin: format(told.beginAt),
    end: endAt === null ? null : format(endAt),
    durationMs: endAt === null ? null : endAt - told.beginAt,
  }
}

function slackBody({ told, manner }: Parcel) {
  const { subject, lines } = textOf(told, manner, escapeSlack)
  return { text: [`*${subject}*`, ...lines].join('\n'), unfurl_links: false, unfurl_media: false }
}

/** Slack, *Formatting text*: these three are all that its markup begins with. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An adaptive card, as the workflow *When a Teams webhook request is received* takes it. */
function teamsBody({ told, manner }: Parcel) {
  const { subject, lines } = textOf(told, manner, escapeMarkdown)
  const block = (text: string) => ({ type: 'TextBlock', text, wrap: true })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ ...block(subject), weight: 'Bolder', size: 'Medium' }, ...lines.map(block)],
        },
      },
    ],
  }
}

/** Text blocks of cards take a part of Markdown: links, emphasis and lists. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]()<>#~|!]/g, String.raw`\$&`)
}

function ntfyCall({ url, topic, token }: Extract<Target, { type: 'ntfy' }>, parcel: Parcel): Call {
  const { subject, lines } = textOf(parcel.told, parcel.manner)
  const priority = Math.max(
    ...parcel.told.map(({ kind, state }) => (kind === 'closed' ? 3 : (NTFY_PRIORITIES[state] ?? 3))),
  )
  const sent = call(url, parcel, { topic, title: subject, message: lines.join('\n'), priority })
  return token === undefined
    ? sent
    : { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}` } }
}

function longText({ told, manner }: Parcel, max: number): string {
  const { subject, lines } = textOf(told, manner)
  return cutText([subject, ...lines].join('\n'), max)
}

function call(url: string, parcel: Parcel, body: object): Call {
  return { url, headers: headersOf(parcel), body: JSON.stringify(body) }
}

function headersOf({ key }: Parcel): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'Tidemark', 'idempotency-key': key }
}

function urlBelow(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}
