import type { Answer, Item } from '../../api/client.ts'
import { t } from '../../language/t.ts'

export type Recipient = Item<'/alarmrecipients'>
export type Kind = Recipient['type']
export type Message = Item<'/notifications'>
export type AlarmLink = Answer<'/{parentType}/{parentId}/alarmLinks'>['links'][number]

export const STATES = ['warning', 'minor', 'major'] as const

type TargetField = { readonly name: string; readonly isOptional?: boolean; readonly isSecret?: boolean }
/** The kinds of recipients with the fields of their targets. */
export const TARGETS: Readonly<Record<Kind, readonly TargetField[]>> = {
  user: [{ name: 'userId' }],
  group: [{ name: 'userGroupId' }],
  email: [{ name: 'addresses' }],
  webhook: [{ name: 'url' }, { name: 'secret', isOptional: true, isSecret: true }],
  slack: [{ name: 'url' }],
  teams: [{ name: 'url' }],
  telegram: [{ name: 'token', isSecret: true }, { name: 'chatId' }, { name: 'apiUrl', isOptional: true }],
  ntfy: [
    { name: 'topic' },
    { name: 'url', isOptional: true },
    { name: 'token', isOptional: true, isSecret: true },
  ],
  script: [{ name: 'scriptId' }, { name: 'runConfigurationId', isOptional: true }],
}
export const KINDS = Object.keys(TARGETS) as readonly Kind[]
const NUMBERS = new Set(['userId', 'userGroupId', 'scriptId', 'runConfigurationId'])

/** The target of a recipient from the texts of a form; null while a required field is empty. */
export function targetOf(kind: Kind, texts: Readonly<Record<string, string>>): object | null {
  const target: Record<string, unknown> = {}
  for (const { name, isOptional } of TARGETS[kind]) {
    const text = (texts[name] ?? '').trim()
    if (text === '') {
      if (isOptional) continue
      return null
    }
    if (name === 'addresses') target[name] = text.split(/[\s,;]+/).filter(Boolean)
    else target[name] = NUMBERS.has(name) ? Number(text) : text
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
