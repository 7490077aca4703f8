import type { Database } from '../../../../ports/database.ts'
import { listMembers, listRecipients, unknownPlaces } from '../store.ts'
import type { RecipientRow } from '../store.ts'
import { readGaps } from '../store/usage.ts'

export { listPeople, noteResult, saveHandedOut } from '../store.ts'
export type { Person } from '../store.ts'

/** A stored recipient with its encrypted target, and its users. */
export type Recipient = RecipientRow & { readonly members: readonly number[] }

/** The indexes of unknown recipients in a list of ids; null counts as known. */
export function unknownRecipients(
  database: Database,
  ids: readonly (number | null)[],
): Promise<readonly number[]> {
  return unknownPlaces(database, 'alarm_recipients', ids)
}

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

/** The ids of recipients that links use although no alarm reaches a person through them. */
export async function idleRecipients(database: Database): Promise<readonly number[]> {
  return [...new Set((await readGaps(database, null)).map(({ recipientId }) => recipientId))]
}
