import { Webhook } from 'standardwebhooks'
import { cutText } from '../../../lib/text.ts'
import type { Target } from '../recipients/target.ts'
import { textOf } from '../texts/message.ts'
import type { WebhookCall, Parcel } from './notification.ts'
import { payloadOf } from './payload.ts'

/** A target that is reached over HTTP. */
export type HttpTarget = Exclude<Target, { type: 'user' | 'group' | 'email' | 'script' }>

const NTFY_PRIORITIES: Readonly<Record<string, number>> = { major: 5, minor: 4, warning: 3 }
/** What Telegram takes in one message, in UTF-16 code units. */
const TELEGRAM_MAX = 4_096

/** The request that tells a parcel to a target.
 * @param now epoch ms: when a webhook is signed */
export function callOf(target: HttpTarget, parcel: Parcel, now: number): WebhookCall {
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
): WebhookCall {
  const body = JSON.stringify(payloadOf(parcel))
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

function ntfyCall({ url, topic, token }: Extract<Target, { type: 'ntfy' }>, parcel: Parcel): WebhookCall {
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

function call(url: string, parcel: Parcel, body: object): WebhookCall {
  return { url, headers: headersOf(parcel), body: JSON.stringify(body) }
}

function headersOf({ key }: Parcel): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'Tidemark', 'idempotency-key': key }
}

function urlBelow(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}
