/** A mail of plain text. */
export type Letter = {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** What the mail is known by, the same whenever it is sent again. */
  readonly id: string
}

/** What a mail server said in the end: its reply code (RFC 5321), 0 where it said nothing, and its words. */
export type MailReply = { readonly code: number; readonly text: string }

/** The operator's mail server. */
export interface Mail {
  /** Hands a mail over; a reply of 250 means that the server has taken it, for one address at least. Nothing in a letter
   * can add a header or an address. */
  send(letter: Letter, signal: AbortSignal): Promise<MailReply>
}
