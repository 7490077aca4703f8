import type { Answer, Item } from '../../api/client.ts'
import { t } from '../../language/t.ts'

export type Recipient = Item<'/alarmrecipients'>
export type Kind = Recipient['type']
export type Message = Item<'/notifications'>
export type AlarmLink = Answer<'/{parentType}/{parentId}/alarmLinks'>['links'][number]

/** The kinds of recipients with the fields of their targets. */
export const TARGETS: Readonly<Record<Kind, readonly string[]>> = {
  user: ['userId'],
  group: ['userGroupId'],
  email: ['addresses'],
  webhook: ['url'],
  slack: ['url'],
  teams: ['url'],
  telegram: ['token', 'chatId'],
  ntfy: ['url', 'topic', 'token'],
  script: ['scriptId'],
}
export const KINDS = Object.keys(TARGETS) as readonly Kind[]
const NUMBERS = new Set(['userId', 'userGroupId', 'scriptId'])
const OPTIONAL = new Set(['ntfy.url', 'ntfy.token'])

/** The target of a recipient from the texts of a form; null while a required field is empty. */
export function targetOf(kind: Kind, texts: Readonly<Record<string, string>>): object | null {
  const target: Record<string, unknown> = {}
  for (const field of TARGETS[kind]) {
    const text = (texts[field] ?? '').trim()
    if (text === '') {
      if (OPTIONAL.has(`${kind}.${field}`)) continue
      return null
    }
    if (field === 'addresses') target[field] = text.split(/[\s,;]+/).filter(Boolean)
    else target[field] = NUMBERS.has(field) ? Number(text) : text
  }
  return target
}

/** The number of recipients, and of those through which no alarm reaches a person. */
export function recipientsSentence(recipients: readonly Pick<Recipient, 'warnings'>[]): string {
  if (recipients.length === 0) return t('notifications.noneReached')
  const broken = recipients.filter(({ warnings }) => warnings.length > 0).length
  const count = t('notifications.count', { count: recipients.length })
  return broken === 0
    ? `${count} ${t('notifications.allReach')}`
    : `${count} ${t('notifications.broken', { count: broken })}`
}
