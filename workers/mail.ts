import type { Letter, Mail, MailReply } from '../src/ports/mail.ts'
import type { MailSettings } from '../src/ports/notification-settings.ts'

/** Certificates that are trusted instead of the machine's. */
type Trust = { readonly ca?: string }

/** Mail by SMTP, on Bun and in workerd alike.
 * @param settings null where there is no server: every mail is answered with code 0 */
export function openMail(settings: MailSettings | null, { ca }: Trust = {}): Mail {
  if (!settings) return { send: () => Promise.resolve(NO_SERVER) }
  const { host, port, tls, user, password, from } = settings
  const options = {
    host,
    port,
    secure: tls === 'always',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user !== '' && { auth: { user, pass: password } }),
    ...(ca !== undefined && { tls: { ca } }),
    // A text must not be read as the name of a file or as a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return {
    async send(letter, signal) {
      try {
        // Loaded with the first mail, so that a service without mail starts faster.
        const { createTransport } = await import('nodemailer')
        const { accepted, rejected, response } = await createTransport(options).sendMail({
          ...mailOf(letter, from),
          signal,
        })
        const refused =
          rejected.length === 0 ? '' : ` Not taken for ${rejected.length} of ${letter.to.length}.`
        return { code: accepted.length > 0 ? 250 : 550, text: response + refused }
      } catch (error) {
        return replyOf(error)
      }
    },
  }
}

const NO_SERVER: MailReply = { code: 0, text: 'There is no mail server: set TIDEMARK_SMTP_URL.' }

function mailOf({ to, subject, text, id, attachments = [] }: Letter, from: string) {
  return {
    from,
    // As objects, because nodemailer reads a text as a list of addresses.
    to: to.map((address) => ({ name: '', address })),
    subject,
    text,
    attachments: attachments.map(({ name, mediaType, content }) => ({
      filename: name,
      contentType: mediaType,
      content,
    })),
    messageId: `<${id}@${from.replace(/^.*@/, '').replace(/>$/, '')}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

function replyOf(error: unknown): MailReply {
  const { responseCode, message } = error as { responseCode?: unknown; message?: unknown }
  return { code: typeof responseCode === 'number' ? responseCode : 0, text: String(message) }
}
