import type { Database } from '../../../../ports/database.ts'
import { listMembers, listRecipients } from '../store.ts'
import type { RecipientRow } from '../store.ts'

export { listPeople, noteResult, saveHandedOut } from '../store.ts'
export type { Person } from '../store.ts'

/** A recipient as it is kept, its target sealed, with the users that it is made of. */
export type Recipient = RecipientRow & { readonly members: readonly number[] }

/** All recipients, by id. */
export async function readRecipients(database: Database): Promise<ReadonlyMap<number, Recipient>> {
  const [rows, members] = await Promise.all([listRecipients(database), listMembers(database)])
  const byRecipient = Map.groupBy(members, ({ recipientId }) => recipientId)
  return new Map(
    rows.map((row) => [
      row.id,
      { ...row, members: (byRecipient.get(row.id) ?? []).map(({ userId }) => userId) },
    ]),
  )
}
