import { permissionsOf } from '../../../../access/rights/permissions.ts'
import { rightsFor } from '../../../../access/rights/service.ts'
import { durationMs } from '../../../../lib/duration.ts'
import { base64url } from '../../../../lib/text.ts'
import { commit } from '../../../../ports/database.ts'
import type { Write } from '../../../../ports/database.ts'
import type { Ports } from '../../../../ports/index.ts'
import { listPeople } from '../../recipients/service/reads.ts'
import type { Person, Recipient } from '../../recipients/service/reads.ts'
import { TRIED_MS } from '../backoff.ts'
import { quietUntil } from '../duty.ts'
import * as store from '../store/messages.ts'
import type { DueRow } from '../store/messages.ts'
import { HOUR_MS } from '../../../../lib/time.ts'

const NOTICES_AT_ONCE = 5_000
const NOTICES_PER_MESSAGE = 1_000
const KEY_BYTES = 18

/** Due notices to the same addressee. */
type Pile = {
  readonly recipient: Recipient
  readonly userId: number
  readonly rows: readonly DueRow[]
}

/** Combines due notices into messages, one for each addressee, once the first notice has waited for others, the
 * addressee may be notified, and its rate limit allows it.
 * @returns when to look again at the remaining due notices; Infinity if none remain */
export async function formMessages(
  ports: Ports,
  recipients: ReadonlyMap<number, Recipient>,
  now: number,
): Promise<number> {
  const { database } = ports
  const rows = await store.readDue(database, now, NOTICES_AT_ONCE)
  const piles = pilesOf(rows, recipients)
  const [freeAt, people] = await Promise.all([
    freeAtOf(ports, piles, now),
    listPeople(database, [...new Set(piles.map(({ userId }) => userId))]),
  ])
  const writes: Write[] = []
  let nextAt = Infinity
  for (const pile of piles) {
    const readyAt = Math.max(groupedAt(pile), freeAt(pile))
    const quiet = quietUntil(pile.recipient.rules, pile.userId, now)
    const ids = pile.rows.map(({ id }) => id)
    if (quiet !== null) writes.push(store.postpone(database, ids, quiet))
    else if (readyAt > now) nextAt = Math.min(nextAt, readyAt)
    else {
      const person = people.find(({ id }) => id === pile.userId) ?? null
      writes.push(...(await messageOf(ports, pile, { person, now })))
    }
  }
  await commit(database, writes)
  return rows.length === NOTICES_AT_ONCE && writes.length > 0 ? now : nextAt
}

function pilesOf(rows: readonly DueRow[], recipients: ReadonlyMap<number, Recipient>): readonly Pile[] {
  const byAddressee = Map.groupBy(rows, ({ recipientId, userId }) => `${recipientId} ${userId}`)
  return [...byAddressee.values()].flatMap((all) => {
    const recipient = recipients.get(all[0]?.recipientId ?? 0)
    return recipient ? [{ recipient, userId: all[0]?.userId ?? 0, rows: all }] : []
  })
}

/** When the first notice of a pile has waited long enough for others. */
function groupedAt({ recipient, rows }: Pile): number {
  return Math.min(...rows.map(({ dueAt }) => dueAt)) + durationMs(recipient.rules.grouping)
}

/** When the rate limit of an addressee allows one more message. */
async function freeAtOf(
  { database }: Ports,
  piles: readonly Pile[],
  now: number,
): Promise<(pile: Pile) => number> {
  const asked = piles.map(({ recipient, userId }) => ({ recipientId: recipient.id, userId }))
  const made = await store.readMade(database, asked, now - HOUR_MS)
  return ({ recipient, userId }) => {
    const times = made.filter((one) => one.recipientId === recipient.id && one.userId === userId)
    const oldest = times[recipient.rules.messagesPerHour - 1]
    return oldest ? oldest.createdAt + HOUR_MS : now
  }
}

type At = { readonly person: Person | null; readonly now: number }

/** The writes of a pile's message and of its reminders. Alarms that the user may not read are left out: all of them if the
 * user is disabled. */
async function messageOf(ports: Ports, { recipient, userId, rows }: Pile, { person, now }: At) {
  const { database, secrets } = ports
  const mayRead = person ? await readableNotices(ports, person) : () => true
  const some = rows.slice(0, NOTICES_PER_MESSAGE)
  const readable = some.filter(mayRead)
  const hidden = some.filter((row) => !mayRead(row)).map(({ id }) => id)
  const writes = hidden.length > 0 ? [store.dropThese(database, hidden)] : []
  if (readable.length === 0) return writes
  const message = {
    key: `ntf_${base64url(secrets.random(KEY_BYTES))}`,
    recipientId: recipient.id,
    userId,
    createdAt: now,
    giveUpAt: now + TRIED_MS,
    noticeIds: readable.map(({ id }) => id),
  }
  writes.push(...store.insertMessage(database, message))
  const { reminder } = recipient.rules
  const again = readable.filter(({ kind, step }) => kind === 'reminder' && reminder && step < reminder.times)
  if (reminder && again.length > 0) {
    const dueAt = now + durationMs(reminder.every)
    const reminders = again.map(({ id }) => ({ afterId: id, dueAt }))
    writes.push(store.insertReminders(database, reminders))
  }
  return writes
}

/** The notices that a user may get: of readable objects and of deleted ones. */
async function readableNotices(
  ports: Ports,
  { id, role, isDisabled }: Person,
): Promise<(row: DueRow) => boolean> {
  if (isDisabled) return () => false
  const rights = await rightsFor(ports, { userId: id, role })
  return ({ path }) => path === null || permissionsOf(rights, { type: '', runBy: 0, path }).read
}
