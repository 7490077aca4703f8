import type { Manner, MessageItem } from '../texts/message.ts'
import type { Beginning } from './answers.ts'

/** What is to be told to one recipient in one message. */
export type Notification = {
  /** What the receiver knows it by, the same whenever it is sent again. */
  readonly key: string
  /** When the message was made, epoch ms. */
  readonly createdAt: number
  readonly told: readonly MessageItem[]
  readonly manner: Manner
}

/** A request that tells it, always a POST. */
export type WebhookCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver answered: its status, and so much of its body as was read. */
export type Reply = Beginning & { readonly status: number; readonly retryAfterMs: number | null }
