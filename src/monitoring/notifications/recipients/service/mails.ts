import { Refusal } from '../../../../lib/errors.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { Letter } from '../../../../ports/mail.ts'
import { sendLetter } from '../../channels/service.ts'
import type { TestResult } from '../schema.ts'
import { listMembersOf, listPeople, listRecipients } from '../store.ts'
import type { RecipientRow } from '../store.ts'
import { readTarget, UNREADABLE } from './targets-of.ts'

const MAILED: ReadonlySet<string> = new Set(['email', 'user', 'group'])
/** Mails at once to the members of one recipient. */
const MEMBERS_MAX = 20

/** Recipients that get mails, in the order of the ids. @throws {Refusal} invalid with pointers for others */
export async function requireMailed(ports: Ports, ids: readonly number[]): Promise<readonly RecipientRow[]> {
  const rows = new Map((await listRecipients(ports.database, ids)).map((row) => [row.id, row]))
  const faults = ids.flatMap((id, index) =>
    MAILED.has(rows.get(id)?.type ?? '')
      ? []
      : [
          {
            pointer: `/recipientIds/${index}`,
            message: 'must be the id of an alarm recipient that gets mails',
          },
        ],
  )
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
  return ids.flatMap((id) => rows.get(id) ?? [])
}

/** Mails a letter to a recipient, to each of the first 20 members separately, so that members do not see each other's
 * addresses. */
export async function mailTo(
  ports: Ports,
  recipient: RecipientRow,
  letter: Omit<Letter, 'to'>,
): Promise<TestResult> {
  const to = await addressesOf(ports, recipient)
  if (!to) return { status: 'failed', detail: UNREADABLE }
  if (to.length === 0) return { status: 'failed', detail: 'No member has a mail address.' }
  const outcomes = await Promise.all(
    to.map((addresses, index) =>
      sendLetter(ports, { ...letter, id: `${letter.id}_${index}`, to: addresses }),
    ),
  )
  const failure = outcomes.find(({ kind }) => kind === 'failed')
  return { status: failure ? 'failed' : 'ok', detail: (failure ?? outcomes[0])?.detail ?? '' }
}

/** The addresses of each mail; null for a target that cannot be decrypted. */
async function addressesOf(
  ports: Ports,
  recipient: RecipientRow,
): Promise<readonly (readonly string[])[] | null> {
  if (recipient.type === 'email') {
    const target = await readTarget(ports, recipient)
    return target && (target.type === 'email' ? [target.addresses] : [])
  }
  const people = await listPeople(ports.database, await listMembersOf(ports.database, recipient.id))
  return people
    .filter(({ email, isDisabled }) => email !== '' && !isDisabled)
    .slice(0, MEMBERS_MAX)
    .map(({ email }) => [email])
}
