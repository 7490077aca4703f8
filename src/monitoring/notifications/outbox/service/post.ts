import { Lock } from '../../../../lib/lock.ts'
import { commit } from '../../../../ports/database.ts'
import type { Write } from '../../../../ports/database.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { Outcome } from '../../channels/outcome.ts'
import { listPeople, noteResult, readRecipients } from '../../recipients/service/reading.ts'
import type { Recipient } from '../../recipients/service/reading.ts'
import { tellAddressee } from '../../recipients/service/telling.ts'
import { waitMs } from '../backoff.ts'
import * as store from '../store/sending.ts'
import type { DueMessage } from '../store/sending.ts'
import { formMessages } from './forming.ts'

const MESSAGES_AT_ONCE = 20
/** How long the record of a message is kept. */
const KEPT_MS = 400 * 86_400_000
const TIDY_MS = 3_600_000
/** What two bytes at random are at most, and one more. */
const CHANCES = 65_536

/** Carries messages to their receivers: one in each installation, beside the flow. */
export type Post = {
  /** When something is to be sent next, epoch ms; 0 where that is not known. */
  readonly nextAt: number
  /** Makes messages of what is due and tries those that are; each is on record before it is tried. */
  settle(): Promise<void>
  /** There may be something new. */
  wake(): void
}

/** Opens the post of an installation. Nothing is kept but in the database: whoever opens it anew goes on. */
export function openPost(ports: Ports): Post {
  const lock = new Lock()
  let nextAt = 0
  let wakes = 0
  let tidiedAt = 0

  async function carry(): Promise<void> {
    const now = ports.clock.now()
    const before = wakes
    if (now - tidiedAt >= TIDY_MS || now < tidiedAt) {
      await commit(ports.database, [store.removeOld(ports.database, now - KEPT_MS)])
      tidiedAt = now
    }
    const recipients = await readRecipients(ports.database)
    const readyAt = await formMessages(ports, recipients, now)
    const tried = await sendMessages(ports, recipients, now)
    const { dueAt, tryAt } = await store.readNext(ports.database, now)
    // What came meanwhile was not seen, nor what may go on behind a message that has gone.
    nextAt = wakes === before && tried === 0 ? Math.min(readyAt, dueAt, tryAt) : 0
  }

  return {
    get nextAt() {
      return nextAt
    },
    settle: () => lock.run(carry),
    wake() {
      wakes++
      nextAt = 0
    },
  }
}

/** Tries the messages that are due, some at a time.
 * @returns how many */
async function sendMessages(
  ports: Ports,
  recipients: ReadonlyMap<number, Recipient>,
  now: number,
): Promise<number> {
  const { database } = ports
  const messages = await store.readMessages(database, now, MESSAGES_AT_ONCE)
  if (messages.length === 0) return 0
  const ids = messages.map(({ id }) => id)
  const [told, people] = await Promise.all([
    store.readTold(database, ids),
    listPeople(database, [...new Set(messages.map(({ userId }) => userId))]),
  ])
  const attempts = messages.map(({ id, attempts: before }) => {
    return { id, nextAt: now + waitMs(before + 1, chanceOf(ports)) }
  })
  // Whoever dies now has it tried again, under the same key.
  await commit(database, [store.noteAttempts(database, attempts)])
  const byMessage = Map.groupBy(told, ({ notificationId }) => notificationId)
  await Promise.all(
    messages.map(async (message, index) => {
      const recipient = recipients.get(message.recipientId)
      // It goes with its messages.
      if (!recipient) return
      const person = people.find(({ id }) => id === message.userId) ?? null
      const rows = byMessage.get(message.id) ?? []
      const outcome = await tellAddressee(
        ports,
        { recipient, person },
        {
          key: message.key,
          createdAt: message.createdAt,
          told: rows.map(({ kind, facts }) => ({ ...facts, kind })),
        },
      )
      await conclude(ports, message, { outcome, nextAt: attempts[index]?.nextAt ?? now })
    }),
  )
  return messages.length
}

/** Puts on record what became of a message. */
async function conclude(
  { database, clock, log }: Ports,
  { id, recipientId, giveUpAt }: DueMessage,
  { outcome, nextAt }: { readonly outcome: Outcome; readonly nextAt: number },
): Promise<void> {
  const at = clock.now()
  const { detail } = outcome
  const writes: Write[] = [
    noteResult(database, recipientId, { status: outcome.kind === 'sent' ? 'ok' : 'failed', detail, at }),
  ]
  if (outcome.kind === 'sent') {
    writes.push(store.finish(database, id, { status: 'sent', detail, finishedAt: at }))
  } else {
    const againAt = Math.max(nextAt, at + (outcome.retryAfterMs ?? 0))
    const isDead = outcome.isFinal || againAt > giveUpAt
    writes.push(
      isDead
        ? store.finish(database, id, { status: 'dead', detail, finishedAt: at })
        : store.retry(database, id, { detail, nextAt: againAt }),
    )
    if (isDead) log.warn('a notification was given up', { notificationId: id, recipientId })
  }
  await commit(database, writes)
}

function chanceOf({ secrets }: Ports): number {
  const [high = 0, low = 0] = secrets.random(2)
  return (high * 256 + low) / CHANCES
}
