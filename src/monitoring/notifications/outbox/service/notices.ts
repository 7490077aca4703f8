import { idsOf } from '../../../../access/rights/permissions.ts'
import { commit } from '../../../../ports/database.ts'
import type { Ports } from '../../../../ports/index.ts'
import { readRecipients, saveHandedOut } from '../../recipients/service/reads.ts'
import type { Recipient } from '../../recipients/service/reads.ts'
import { personOnCall } from '../duty.ts'
import { planOf } from '../plan.ts'
import type { PastNotice, Plan } from '../plan.ts'
import * as store from '../store/notices.ts'
import type { ChangeRow } from '../store/notices.ts'

const CHANGES_AT_ONCE = 500

/** Creates notices of the alarm changes since the last run, in one commit with its progress.
 * @returns whether there were any changes */
export async function makeNotices({ database, clock }: Pick<Ports, 'database' | 'clock'>): Promise<boolean> {
  for (let made = 0; ; made++) {
    const changes = eachAlarmOnce(await readChanges(database, clock.now()))
    const last = changes.at(-1)
    if (!last) return made > 0
    const { plans, handedOut } = await planned(database, changes)
    const notices = plans.flatMap((plan) => plan.notices)
    const dropped = changes.flatMap(({ alarmId, at }, index) => {
      const which = plans[index]?.dropped ?? 'nothing'
      return which === 'nothing' ? [] : [{ alarmId, at, which }]
    })
    const writes = [
      ...(dropped.length > 0 ? [store.dropNotices(database, dropped)] : []),
      ...store.insertNotices(database, notices),
      ...[...handedOut].map(([id, count]) => saveHandedOut(database, id, count)),
      store.saveProgress(database, { from: last.afterId, to: last.id }),
    ]
    try {
      await commit(database, writes)
    } catch (error) {
      // The process that was faster has created the notices.
      if (!store.isOvertaken(error)) throw error
    }
  }
}

/** The next changes. One that is dated later than now counts as of now, so that no notice waits for the clock: a sender's clock may
 * be ahead, or the clock of the service was set back. */
async function readChanges(database: Ports['database'], now: number): Promise<readonly ChangeRow[]> {
  const changes = await store.readChanges(database, CHANGES_AT_ONCE)
  return changes.map((change) => ({ ...change, at: Math.min(change.at, now) }))
}

/** The first changes that belong to different alarms: notices of an alarm depend on its earlier ones. */
function eachAlarmOnce(changes: readonly ChangeRow[]): readonly ChangeRow[] {
  const seen = new Set<number>()
  const end = changes.findIndex(({ alarmId }) => seen.size === seen.add(alarmId).size)
  return end === -1 ? changes : changes.slice(0, end)
}

async function planned(
  database: Ports['database'],
  changes: readonly ChangeRow[],
): Promise<{ readonly plans: readonly Plan[]; readonly handedOut: ReadonlyMap<number, number> }> {
  const [recipients, past] = await Promise.all([
    readRecipients(database),
    store.readPast(
      database,
      changes.map(({ alarmId }) => alarmId),
    ),
  ])
  const handedOut = new Map<number, number>()
  const plans = changes.map((change) => {
    const before = past.get(change.alarmId) ?? []
    // Once for each alarm, because the call assigns the alarm to a member.
    const users = new Map<number, readonly number[]>()
    const chosen = (id: number) => {
      const recipient = recipients.get(id)
      const known = users.get(id) ?? (recipient ? usersOf(recipient, { change, before, handedOut }) : [])
      users.set(id, known)
      return known
    }
    return planOf(change, {
      recipientId: change.recipientId,
      events: change.events,
      facts: change.facts,
      within: idsOf(change.path ?? ''),
      past: before,
      rulesOf: (id) => recipients.get(id)?.rules ?? null,
      usersOf: chosen,
    })
  })
  return { plans, handedOut }
}

type Hand = {
  readonly change: ChangeRow
  readonly before: readonly PastNotice[]
  /** The number of alarms assigned to members, by recipient, if it has grown. */
  readonly handedOut: Map<number, number>
}

/** The users of a recipient to notify of an alarm: those who were notified before, or the one on duty, or all. */
function usersOf(
  { id, members, rules, handedOut: kept }: Recipient,
  { change, before, handedOut }: Hand,
): readonly number[] {
  // A recipient without users, or without remaining ones, so that the failure is visible.
  if (members.length === 0) return [0]
  if (!rules.rotation) return members
  const notified = before.filter((one) => one.recipientId === id).map(({ userId }) => userId)
  const stayed = [...new Set(notified)].filter((userId) => members.includes(userId))
  if (stayed.length > 0) return stayed
  const count = handedOut.get(id) ?? kept
  const userId = personOnCall(rules, members, { at: change.at, handedOut: count })
  if (userId === null) return members
  handedOut.set(id, count + 1)
  return [userId]
}
