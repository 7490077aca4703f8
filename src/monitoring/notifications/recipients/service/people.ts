import type { Ports } from '../../../../ports/index.ts'
import type { Destination } from '../../channels/service.ts'
import { listMembersOf, listPeople } from '../store.ts'
import type { Target } from '../target.ts'

/** Where something goes that is for everybody behind a recipient, or why it goes nowhere. */
export async function addressesOf(
  { database }: Pick<Ports, 'database'>,
  recipientId: number,
  target: Target,
): Promise<{ readonly destination: Destination } | { readonly fault: string }> {
  if (target.type !== 'user' && target.type !== 'group') return { destination: target }
  const people = await listPeople(database, await listMembersOf(database, recipientId))
  const addresses = people.map(({ email }) => email).filter((email) => email !== '')
  if (addresses.length === 0) return { fault: 'No user with a mail address is behind this recipient.' }
  return { destination: { type: 'email', addresses } }
}
