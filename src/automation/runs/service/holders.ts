import { readsScripts } from '../../../access/rights/permissions.ts'
import { accountOf } from '../../../access/session/service.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Runnable } from '../../scripts/service/runnable.ts'
import type { RunRow } from '../store.ts'

type Account = NonNullable<Awaited<ReturnType<typeof accountOf>>>

/** The users whose rights a run has: the rights that `user` and all `others` have in common. None of `others` is an
 * administrator. */
export type Holders = { readonly user: Account; readonly others: readonly Account[] }

/** Finds the users whose rights a run has: its orderer, and the users who last changed its script and its configuration. An
 * administrator has them all and limits no other user, also once that account is deleted.
 * @returns a sentence where one of these users may not run scripts any more */
export async function holdersOf(
  ports: Pick<Ports, 'database'>,
  { userId, order }: Pick<RunRow, 'userId' | 'order'>,
  { script, configuration }: Pick<Runnable, 'script' | 'configuration'>,
): Promise<Holders | string> {
  const orderer = userId === null ? null : await accountOf(ports, userId)
  if (!orderer || !readsScripts(orderer.role))
    return 'The user who ordered the run was deleted, or may not run scripts any more.'
  const bounding: Account[] = []
  for (const { changedBy, changedRole, did } of [
    ...(order.boundBy ?? []).map((id) => ({
      changedBy: id,
      changedRole: null,
      did: 'chose what is run again',
    })),
    {
      changedBy: script.changedBy,
      changedRole: script.changedRole,
      did: 'last changed the files of the script',
    },
    {
      changedBy: configuration.changedBy,
      changedRole: configuration.changedRole,
      did: 'last changed the run configuration',
    },
  ]) {
    if (changedBy === null) continue
    const account = await accountOf(ports, changedBy)
    if (!account && changedRole === 'administrator') continue
    if (!account || !readsScripts(account.role))
      return `The user who ${did} was deleted, or may not run scripts any more. Ask an administrator to save it again.`
    bounding.push(account)
  }
  const lesser = [orderer, ...bounding].filter(({ role }) => role !== 'administrator')
  const [user = orderer, ...others] = new Map(lesser.map((account) => [account.userId, account])).values()
  return { user, others }
}
