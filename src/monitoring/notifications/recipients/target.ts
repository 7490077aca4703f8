import * as z from 'zod'
import { mailAddress } from '../../../access/users/schema.ts'
import { storableText } from '../../../http/text-schemas.ts'

const ADDRESSES_MAX = 20
const URL_MAX = 2_048

const url = storableText.max(URL_MAX)
/** `whsec_` and 24 to 64 bytes in base64 (Standard Webhooks, *Signature scheme*). */
const signingSecret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'must be whsec_ and 24 to 64 bytes in base64',
  )
const token = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must have no spaces')

/** The targets by type, with their secrets. */
export const TARGETS = {
  user: z.strictObject({ userId: z.int().positive() }),
  group: z.strictObject({ userGroupId: z.int().positive() }),
  email: z.strictObject({ addresses: z.array(mailAddress).min(1).max(ADDRESSES_MAX) }),
  webhook: z.strictObject({
    url,
    secret: signingSecret
      .optional()
      .describe(
        'The signing secret. If absent, the current secret stays, or the service creates one and shows it only in the answer to this call.',
      ),
  }),
  slack: z.strictObject({ url }),
  teams: z.strictObject({ url }),
  telegram: z.strictObject({
    token: z.string().regex(/^\d{1,20}:[\w-]{1,100}$/, 'must be a bot token'),
    chatId: z.string().regex(/^(?:-?\d{1,20}|@\w{1,64})$/, 'must be the id or the @name of a chat'),
    apiUrl: url.default('https://api.telegram.org'),
  }),
  ntfy: z.strictObject({
    url: url.default('https://ntfy.sh'),
    topic: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, - or _'),
    token: token.optional(),
  }),
  script: z.strictObject({
    scriptId: z.int().positive(),
    runConfigurationId: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('The run configuration; null for the default one of the script.'),
  }),
} as const

export type TargetType = keyof typeof TARGETS

export const TARGET_TYPES = Object.keys(TARGETS) as [TargetType, ...TargetType[]]

/** Stored fields of a target that the body does not have. */
type Beside<T extends TargetType> = T extends 'script'
  ? {
      /** The user who set the target; the script runs with this user's rights. */
      readonly userId: number
    }
  : T extends 'webhook'
    ? { readonly secret: string }
    : unknown

/** A type of recipient with its target. */
export type Target = {
  [T in TargetType]: { readonly type: T } & z.output<(typeof TARGETS)[T]> & Beside<T>
}[TargetType]

/** The target without secrets: of a URL only the host, of an address only its first letter and its domain. */
export function shownTarget(target: Target): string {
  switch (target.type) {
    case 'user':
      return `user ${target.userId}`
    case 'group':
      return `userGroup ${target.userGroupId}`
    case 'script':
      return shownScript(target)
    case 'email':
      return target.addresses.map((one) => `${one.slice(0, 1)}…${one.slice(one.lastIndexOf('@'))}`).join(', ')
    case 'telegram':
      return `${originOf(target.apiUrl)}/… ${target.chatId.slice(0, 2)}…`
    case 'ntfy':
      return `${originOf(target.url)}/${target.topic.slice(0, 1)}…`
    case 'webhook':
    case 'slack':
    case 'teams':
      return `${originOf(target.url)}/…`
  }
}

function shownScript({ scriptId, runConfigurationId, userId }: Extract<Target, { type: 'script' }>): string {
  const configuration = runConfigurationId === null ? '' : `, runConfiguration ${runConfigurationId}`
  return `script ${scriptId}${configuration}, as user ${userId}`
}

/** The URL of a target with an HTTP endpoint, and the name of its field; null for others. */
export function urlOfTarget(target: Target): { readonly field: string; readonly url: string } | null {
  if (target.type === 'telegram') return { field: 'apiUrl', url: target.apiUrl }
  return 'url' in target ? { field: 'url', url: target.url } : null
}

function originOf(text: string): string {
  return new URL(text).origin
}
