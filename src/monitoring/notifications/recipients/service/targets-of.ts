import { unseal } from '../../../../access/session/keys.ts'
import type { Ports } from '../../../../ports/index.ts'
import { failed } from '../../channels/outcome.ts'
import type { Outcome } from '../../channels/outcome.ts'
import type { Notification } from '../../channels/notification.ts'
import { sendTo } from '../../channels/service.ts'
import { languageOf } from '../../texts/words.ts'
import type { Person, RecipientRow } from '../store.ts'
import type { Target } from '../target.ts'

/** A recipient, and the user that the message is for; null for other recipients and for a deleted user. */
export type Addressee = { readonly recipient: RecipientRow; readonly person: Person | null }

export const UNREADABLE =
  'The target cannot be decrypted: the installation key has changed or is missing. Enter the target again.'

/** Notifies one addressee, a user in their own language and time zone, and returns the outcome. */
export async function notifyAddressee(
  ports: Ports,
  { recipient, person }: Addressee,
  notification: Omit<Notification, 'manner'>,
): Promise<Outcome> {
  const target = await readTarget(ports, recipient)
  if (!target) return failed(UNREADABLE)
  const { rules, name } = recipient
  const manner = {
    recipient: name,
    language: person ? languageOf(person.language) : rules.language,
    timeZone: person ? person.timeZone : rules.timeZone,
    templates: rules.templates,
  }
  if (target.type !== 'user' && target.type !== 'group')
    return sendTo(ports, target, { ...notification, manner })
  if (!person || person.isDisabled || person.email === '')
    return failed('The user does not exist, is disabled or has no mail address.')
  return sendTo(ports, { type: 'email', addresses: [person.email] }, { ...notification, manner })
}

/** The target of a recipient; null, with an error in the log, when the installation key has changed. */
export function readTarget(ports: Ports, recipient: RecipientRow): Promise<Target | null> {
  return openTarget(ports, recipient).catch((error: unknown) => {
    ports.log.error('notifications: the target of a recipient cannot be decrypted; enter it again', error, {
      recipientId: recipient.id,
    })
    return null
  })
}

/** Decrypts a recipient's target. @throws {Error} when the installation key has changed */
export async function openTarget(
  { secrets }: Pick<Ports, 'secrets'>,
  { type, target }: Pick<RecipientRow, 'type' | 'target'>,
): Promise<Target> {
  const bytes = await unseal(secrets, target, purposeOf(type))
  return JSON.parse(new TextDecoder().decode(bytes)) as Target
}

/** Binds an encrypted target to the type of its recipient. */
export function purposeOf(type: string): string {
  return `alarm recipient ${type}`
}
