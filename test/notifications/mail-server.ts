import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions } from 'smtp-server'

import { SELF_SIGNED } from '../hosts/self-signed.ts'

export const MAIL_USER = { user: 'tidemark@mail', password: 'p@ss:word/1' } as const

/** A mail as the server got it. */
export type Mailed = { readonly from: string; readonly to: readonly string[]; readonly text: string }

/** How a server speaks: with TLS from the beginning, after STARTTLS, or not at all. */
export type Way = 'always' | 'starttls' | 'none'

/** A real mail server, which remembers what it was given. */
export class MailServer {
  readonly got: Mailed[] = []
  /** What it answers to an address; null takes it. */
  refuses: (address: string) => { code: number; text: string } | null = () => null
  readonly #server: SMTPServer

  private constructor(way: Way, options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      ...(way === 'none' ? { disabledCommands: ['STARTTLS'], authOptional: true } : SELF_SIGNED),
      secure: way === 'always',
      logger: false,
      onAuth: ({ username, password }, _session, done) =>
        username === MAIL_USER.user && password === MAIL_USER.password
          ? done(null, { user: username })
          : done(new Error('Who are you?')),
      onRcptTo: ({ address }, _session, done) => {
        const refusal = this.refuses(address)
        done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
      },
      onData: (stream, { envelope }, done) => {
        const parts: string[] = []
        stream.setEncoding('utf8')
        stream.on('data', (part: string) => parts.push(part))
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          this.got.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: parts.join('') })
          done()
        })
      },
      ...options,
    })
    // Whoever does not trust the certificate hangs up.
    this.#server.on('error', () => {})
  }

  static async start(way: Way, options: SMTPServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(way, options)
    await new Promise<void>((resolve) => {
      server.#server.listen(0, '127.0.0.1', () => resolve())
    })
    return server
  }

  get port(): number {
    const address = this.#server.server.address()
    if (typeof address !== 'object' || !address) throw new Error('The mail server does not listen.')
    return address.port
  }

  /** What was mailed since this was last called. */
  take(): Mailed[] {
    return this.got.splice(0)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
    })
  }
}
