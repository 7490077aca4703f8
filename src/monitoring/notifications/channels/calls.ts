import { Webhook } from 'standardwebhooks'
import { cutText } from '../../../lib/text.ts'
import type { Target } from '../recipients/target.ts'
import { textOf } from '../texts/message.ts'
import type { WebhookCall, Notification } from './notification.ts'
import { payloadOf } from './payload.ts'

/** A target with an HTTP endpoint. */
export type HttpTarget = Exclude<Target, { type: 'user' | 'group' | 'email' | 'script' }>

const NTFY_PRIORITIES: Readonly<Record<string, number>> = { major: 5, minor: 4, warning: 3 }
/** The maximum length of a Telegram message, in UTF-16 code units. */
const TELEGRAM_MAX = 4_096

/** The request that sends a notification to a target.
 * @param now epoch ms: when a webhook is signed */
export function callOf(target: HttpTarget, notification: Notification, now: number): WebhookCall {
  switch (target.type) {
    case 'webhook':
      return webhookCall(target, notification, now)
    case 'slack':
      return call(target.url, notification, slackBody(notification))
    case 'teams':
      return call(target.url, notification, teamsBody(notification))
    case 'telegram':
      return call(urlBelow(target.apiUrl, `bot${target.token}/sendMessage`), notification, {
        chat_id: target.chatId,
        // Without a parse mode, Telegram reads no markup in the text.
        text: longText(notification, TELEGRAM_MAX),
        link_preview_options: { is_disabled: true },
      })
    case 'ntfy':
      return ntfyCall(target, notification)
  }
}

/** A message as in Standard Webhooks (*Payload structure*, *Signature scheme*). */
function webhookCall(
  { url, secret }: Extract<Target, { type: 'webhook' }>,
  notification: Notification,
  now: number,
): WebhookCall {
  const body = JSON.stringify(payloadOf(notification))
  const at = new Date(now)
  return {
    url,
    headers: {
      ...headersOf(notification),
      'webhook-id': notification.key,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': new Webhook(secret).sign(notification.key, at, body),
    },
    body,
  }
}

function slackBody({ items, manner }: Notification) {
  const { subject, lines } = textOf(items, manner, escapeSlack)
  return { text: [`*${subject}*`, ...lines].join('\n'), unfurl_links: false, unfurl_media: false }
}

/** Slack, *Formatting text*: all of its markup begins with one of these three characters. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An adaptive card for the workflow *When a Teams webhook request is received*. */
function teamsBody({ items, manner }: Notification) {
  const { subject, lines } = textOf(items, manner, escapeMarkdown)
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

/** Text blocks of cards support some Markdown: links, emphasis and lists. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]()<>#~|!]/g, String.raw`\$&`)
}

function ntfyCall(
  { url, topic, token }: Extract<Target, { type: 'ntfy' }>,
  notification: Notification,
): WebhookCall {
  const { subject, lines } = textOf(notification.items, notification.manner)
  const priority = Math.max(
    ...notification.items.map(({ kind, state }) => (kind === 'closed' ? 3 : (NTFY_PRIORITIES[state] ?? 3))),
  )
  const sent = call(url, notification, { topic, title: subject, message: lines.join('\n'), priority })
  return token === undefined
    ? sent
    : { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}` } }
}

function longText({ items, manner }: Notification, max: number): string {
  const { subject, lines } = textOf(items, manner)
  return cutText([subject, ...lines].join('\n'), max)
}

function call(url: string, notification: Notification, body: object): WebhookCall {
  return { url, headers: headersOf(notification), body: JSON.stringify(body) }
}

function headersOf({ key }: Notification): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'Tidemark', 'idempotency-key': key }
}

function urlBelow(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}
