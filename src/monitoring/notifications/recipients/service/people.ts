import type { Ports } from '../../../../ports/index.ts'
import type { Destination } from '../../channels/service.ts'
import { listMemberIds, listPeople } from '../store.ts'
import type { Person } from '../store.ts'
import type { Target } from '../target.ts'

/** Who stands behind a target, by id; null where it is not made of users. */
export async function peopleOf(
  { database }: Pick<Ports, 'database'>,
  target: Target,
): Promise<readonly Person[] | null> {
  if (target.type === 'user') return listPeople(database, [target.userId])
  if (target.type === 'group') return listPeople(database, await listMemberIds(database, target.userGroupId))
  return null
}

/** Where something goes that is for everybody behind a target, or why it goes nowhere. */
export async function addressesOf(
  ports: Pick<Ports, 'database'>,
  target: Target,
): Promise<{ readonly destination: Destination } | { readonly fault: string }> {
  if (target.type !== 'user' && target.type !== 'group') return { destination: target }
  const people = (await peopleOf(ports, target)) ?? []
  const addresses = people.map(({ email }) => email).filter((email) => email !== '')
  if (addresses.length === 0) return { fault: 'No user with a mail address is behind this recipient.' }
  return { destination: { type: 'email', addresses } }
}
