import { unseal } from '../../../../access/session/keys.ts'
import type { Ports } from '../../../../ports/index.ts'
import { failed } from '../../channels/outcome.ts'
import type { Outcome } from '../../channels/outcome.ts'
import type { Notification } from '../../channels/notification.ts'
import { tell } from '../../channels/service.ts'
import { languageOf } from '../../texts/words.ts'
import type { Person, RecipientRow } from '../store.ts'
import type { Target } from '../target.ts'

/** A recipient, and of one that is made of users the one whom it is for; null where that one is gone. */
export type Addressee = { readonly recipient: RecipientRow; readonly person: Person | null }

/** Tells one addressee something, a user by themselves in their own language and zone, and says what became of it. */
export async function tellAddressee(
  ports: Ports,
  { recipient, person }: Addressee,
  notification: Omit<Notification, 'manner'>,
): Promise<Outcome> {
  const target = await openTarget(ports, recipient).catch((error: unknown) => {
    ports.log.error('notifications: the target of a recipient cannot be decrypted; enter it again', error, {
      recipientId: recipient.id,
    })
    return null
  })
  if (!target)
    return failed(
      'The target cannot be decrypted: the installation key has changed or is missing. Enter the target again.',
    )
  const { rules, name } = recipient
  const manner = {
    recipient: name,
    language: person ? languageOf(person.language) : rules.language,
    timeZone: person ? person.timeZone : rules.timeZone,
    templates: rules.templates,
  }
  if (target.type !== 'user' && target.type !== 'group')
    return tell(ports, target, { ...notification, manner })
  if (!person || person.email === '') return failed('The user does not exist or has no mail address.')
  return tell(ports, { type: 'email', addresses: [person.email] }, { ...notification, manner })
}

/** What a recipient's target is. @throws {Error} when it was sealed with a key that is not here */
export async function openTarget(
  { secrets }: Pick<Ports, 'secrets'>,
  { type, target }: Pick<RecipientRow, 'type' | 'target'>,
): Promise<Target> {
  const bytes = await unseal(secrets, target, purposeOf(type))
  return JSON.parse(new TextDecoder().decode(bytes)) as Target
}

/** A secret is good for a recipient of its own type only. */
export function purposeOf(type: string): string {
  return `alarm recipient ${type}`
}
