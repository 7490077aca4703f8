import * as z from 'zod'
import { durationMs, isFixedDuration } from '../lib/duration.ts'
import { urlOf } from '../lib/urls.ts'
import { commaSeparated } from './environment.ts'

const TIMEOUT_MAX_MS = 60_000

/** The variables of outgoing notifications. */
export const notificationVariables = {
  TIDEMARK_SMTP_URL: z
    .string()
    .refine((text) => mailServerOf(text) !== null, 'must look like smtps://user:password@mail.example.org')
    .optional()
    .describe(
      'The mail server: smtps: uses TLS, smtp: uses STARTTLS unless the URL ends with ?tls=none. Default: no mail server.',
    ),
  TIDEMARK_MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\p{Cc}]{1,100} )?<?[^\s<>@,;]+@[^\s<>@,;]+>?$/u,
      'must be an address such as tidemark@example.org',
    )
    .default('tidemark@localhost')
    .describe('The sender address of mails.'),
  TIDEMARK_OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform((text) => commaSeparated(text.toLowerCase()))
    .refine(
      (hosts) => !hosts.some((host) => host.includes('*')),
      'has a wildcard, which would open every private address to users; list the hosts, such as hooks.lan or 10.0.0.7:8080',
    )
    .refine(
      (hosts) => hosts.every(isHost),
      'must be comma-separated hosts such as hooks.lan or 10.0.0.7:8080',
    )
    .describe(
      'Comma-separated hosts (`host` or `host:port`) that user-supplied URLs may reach even if they are private or use plain HTTP.',
    ),
  TIDEMARK_NOTIFICATION_TIMEOUT: z
    .string()
    .refine(
      (text) => isFixedDuration(text, TIMEOUT_MAX_MS, 1),
      'must be an ISO 8601 duration of up to PT1M, such as PT10S',
    )
    .default('PT10S')
    .describe("The time limit for the answer of a notification's receiver."),
}

const variables = z.object(notificationVariables)

export type NotificationSettings = {
  /** Null without a mail server. */
  readonly mail: MailSettings | null
  /** Hosts, or hosts with ports. */
  readonly outboundAllow: ReadonlySet<string>
  readonly notificationTimeoutMs: number
}

export type MailSettings = {
  readonly host: string
  readonly port: number
  readonly tls: 'always' | 'starttls' | 'none'
  /** Empty for a server without authentication. */
  readonly user: string
  readonly password: string
  readonly from: string
}

/** The settings that checked variables stand for. */
export function notificationSettingsOf(values: z.output<typeof variables>): NotificationSettings {
  const server = mailServerOf(values.TIDEMARK_SMTP_URL ?? '')
  return {
    mail: server && { ...server, from: values.TIDEMARK_MAIL_FROM },
    outboundAllow: new Set(values.TIDEMARK_OUTBOUND_ALLOW),
    notificationTimeoutMs: durationMs(values.TIDEMARK_NOTIFICATION_TIMEOUT),
  }
}

function isHost(text: string): boolean {
  return urlOf(`https://${text}`)?.host === text
}

/** The settings in an `smtp:` or `smtps:` URL; null for any other text. */
function mailServerOf(text: string): Omit<MailSettings, 'from'> | null {
  const url = urlOf(text)
  const way = url && MAIL_WAYS[url.protocol + url.search]
  if (!url || !way || url.hostname === '') return null
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === null || password === null) return null
  const port = url.port === '' ? way.port : Number(url.port)
  return { host: url.hostname.replaceAll(/[[\]]/g, ''), port, tls: way.tls, user, password }
}

const MAIL_WAYS: Readonly<Record<string, Pick<MailSettings, 'port' | 'tls'>>> = {
  'smtps:': { port: 465, tls: 'always' },
  'smtp:': { port: 587, tls: 'starttls' },
  'smtp:?tls=none': { port: 587, tls: 'none' },
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
