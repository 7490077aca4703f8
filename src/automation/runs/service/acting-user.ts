import { readsScripts } from '../../../access/rights/permissions.ts'
import { accountOf } from '../../../access/session/service.ts'
import { userOf } from '../../../access/session/service/callers.ts'
import type { UserCaller } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'

/** The user in whose name the service orders a run.
 * @param who the name of the user in the refusal
 * @throws {Refusal} forbidden where they are gone, or may not run scripts any more */
export async function callerFor(
  ports: Pick<Ports, 'database'>,
  userId: number | null,
  who: string,
): Promise<UserCaller> {
  const account = userId === null ? null : await accountOf(ports, userId)
  if (!account || !readsScripts(account.role))
    throw new Refusal('forbidden', `${who} was deleted, or may not run scripts any more.`)
  return userOf(account)
}
