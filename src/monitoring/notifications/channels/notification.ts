import type { Manner, MessageItem } from '../texts/message.ts'
import type { Beginning } from './answers.ts'

/** One message to one recipient. */
export type Notification = {
  /** The idempotency key; the same for each attempt. */
  readonly key: string
  /** When the message was created, epoch ms. */
  readonly createdAt: number
  readonly items: readonly MessageItem[]
  readonly manner: Manner
}

/** The POST request of a notification. */
export type WebhookCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer of a receiver: its status and the start of its body. */
export type Reply = Beginning & { readonly status: number; readonly retryAfterMs: number | null }
