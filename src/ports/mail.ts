/** A file that comes with a mail. */
export type Attachment = { readonly name: string; readonly mediaType: string; readonly content: string }

/** A mail of plain text. */
export type Letter = {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly attachments?: readonly Attachment[]
  /** The identity of the mail, the same in every attempt. */
  readonly id: string
}

/** The last reply of a mail server: its code (RFC 5321), 0 without a reply, and its text. */
export type MailReply = { readonly code: number; readonly text: string }

/** The operator's mail server. */
export interface Mail {
  /** Hands a mail over; a reply of 250 means that the server has taken it, for one address at least. Nothing in a letter
   * can add a header or an address. */
  send(letter: Letter, signal: AbortSignal): Promise<MailReply>
}
