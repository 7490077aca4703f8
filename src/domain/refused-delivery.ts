import type { Code, Fault } from '../lib/errors.ts'

/** A refused delivery to a known job. Its texts are bounded, and the excerpt has no values of unknown fields. */
export type RefusedDelivery = {
  /** Epoch ms. */
  readonly at: number
  readonly code: Code
  readonly detail: string
  readonly errors: readonly Fault[]
  readonly sender: DeliverySender
  /** The start of the body, or null where the body is not JSON or was not read. */
  readonly excerpt: string | null
  /** True where the sender is not authenticated or has no right to deliver to the job. */
  readonly isStranger: boolean
}

/** The sender of a delivery; null for each part that is not known. */
export type DeliverySender = {
  readonly userId: number | null
  readonly username: string | null
  /** The name of the personal token or the ping token. */
  readonly tokenName: string | null
  readonly address: string | null
  readonly agent: string | null
}
