import { Mutex } from '../../../../lib/mutex.ts'
import { commit } from '../../../../ports/database.ts'
import type { Write } from '../../../../ports/database.ts'
import type { Ports } from '../../../../ports/index.ts'
import { traced } from '../../../../ports/traces.ts'
import type { Outcome } from '../../channels/outcome.ts'
import { listPeople, noteResult, readRecipients } from '../../recipients/service/reads.ts'
import type { Recipient } from '../../recipients/service/reads.ts'
import { notifyAddressee } from '../../recipients/service/targets-of.ts'
import type { Addressee } from '../../recipients/service/targets-of.ts'
import type { MessageItem } from '../../texts/message.ts'
import { againAt, waitMs } from '../backoff.ts'
import { findPause } from '../store/pauses.ts'
import * as store from '../store/messages.ts'
import type { DueMessage } from '../store/messages.ts'
import { formMessages } from './messages.ts'

/** The maximum number of messages being sent at the same time. */
const SENDING_MAX = 50
/** How many of these may be retries, so that receivers that hang leave room for others. */
const RETRIES_MAX = 25
/** How long the record of a message is kept. */
const KEPT_MS = 400 * 86_400_000
const TIDY_MS = 3_600_000
/** The number of values of two random bytes. */
const CHANCES = 65_536

/** Sends messages to their receivers; one for each installation. */
export type Notifier = {
  /** When `runDue` must be called next, epoch ms; 0 if unknown. */
  readonly nextAt: number
  /** Creates messages from due notices and starts to send due messages; each attempt is recorded before it begins.
   * Never waits for a receiver. */
  runDue(): Promise<void>
  /** Resolves when no message is being sent. */
  sent(): Promise<void>
  /** Tells the notifier that there may be new notices. */
  wake(): void
}

/** Creates the notifier of an installation. Its state is in the database only, so a new process continues its work.
 * Each addressee gets one message at a time, independently of others while there is room.
 * @param onEnd called when a message is finished, and `nextAt` may have changed */
export function openNotifier(ports: Ports, onEnd: () => void = () => {}): Notifier {
  const lock = new Mutex()
  const way = new Way(ports, () => {
    wake()
    onEnd()
  })
  let nextAt = 0
  let wakes = 0
  let tidiedAt = 0

  function wake(): void {
    wakes++
    nextAt = 0
  }

  async function carry(): Promise<void> {
    const now = ports.clock.now()
    const before = wakes
    if ((await findPause(ports.database)) !== null) {
      if (wakes === before) nextAt = Infinity
      return
    }
    if (now - tidiedAt >= TIDY_MS || now < tidiedAt) {
      await commit(ports.database, [store.removeOld(ports.database, now - KEPT_MS)])
      tidiedAt = now
    }
    const recipients = await readRecipients(ports.database)
    const readyAt = await formMessages(ports, recipients, now)
    await way.begin(recipients, now)
    // Messages without room begin when another one ends.
    const { dueAt, tryAt } = await store.readNext(ports.database, now)
    // Wake-ups during the run may stand for notices that it did not read.
    nextAt = wakes === before ? Math.min(readyAt, dueAt, tryAt) : 0
  }

  return {
    get nextAt() {
      return nextAt
    },
    runDue: () => lock.run(carry),
    sent: () => way.empty(),
    wake,
  }
}

/** The messages being sent, each until its receiver has answered or its time is over. */
class Way {
  readonly #ports: Ports
  readonly #onEnd: () => void
  readonly #sending = new Map<number, { readonly ended: Promise<void>; readonly isRetry: boolean }>()

  constructor(ports: Ports, onEnd: () => void) {
    this.#ports = ports
    this.#onEnd = onEnd
  }

  /** Starts to send due messages up to the limit, first attempts first. */
  async begin(recipients: ReadonlyMap<number, Recipient>, now: number): Promise<void> {
    const { database } = this.#ports
    const messages = await this.#due(now)
    if (messages.length === 0) return
    const ids = messages.map(({ id }) => id)
    const [notices, people] = await Promise.all([
      store.readNoticesOf(database, ids),
      listPeople(database, [...new Set(messages.map(({ userId }) => userId))]),
    ])
    const attempts = messages.map(({ id, attempts: before }) => {
      return { id, nextAt: now + waitMs(before + 1, chanceOf(this.#ports)) }
    })
    // If the process dies now, the message is sent again with the same key.
    await commit(database, [store.noteAttempts(database, attempts)])
    const byMessage = Map.groupBy(notices, ({ notificationId }) => notificationId)
    for (const [index, message] of messages.entries()) {
      const recipient = recipients.get(message.recipientId)
      // The recipient was deleted together with its messages.
      if (!recipient) continue
      const person = people.find(({ id }) => id === message.userId) ?? null
      this.#send(message, {
        to: { recipient, person },
        items: (byMessage.get(message.id) ?? []).map(({ kind, facts }) => ({ ...facts, kind })),
        nextAt: attempts[index]?.nextAt ?? now,
      })
    }
  }

  async empty(): Promise<void> {
    while (this.#sending.size > 0) {
      await Promise.all([...this.#sending.values()].map(({ ended }) => ended))
    }
  }

  async #due(now: number): Promise<readonly DueMessage[]> {
    const room = SENDING_MAX - this.#sending.size
    let retries = [...this.#sending.values()].filter(({ isRetry }) => isRetry).length
    if (room <= 0) return []
    const due = await store.readMessages(this.#ports.database, now, {
      except: [...this.#sending.keys()],
      limit: room,
    })
    return due.filter(({ attempts }) => attempts === 0 || retries++ < RETRIES_MAX)
  }

  #send(message: DueMessage, what: Sending): void {
    const { id, attempts } = message
    const ended = sendAndRecord(this.#ports, message, what)
      .catch((error: unknown) => {
        this.#ports.log.error(
          'notifications: storing the result of a notification failed; it will be sent again',
          error,
          {
            notificationId: id,
          },
        )
      })
      .finally(() => {
        this.#sending.delete(id)
        this.#onEnd()
      })
    this.#sending.set(id, { ended, isRetry: attempts > 0 })
  }
}

type Sending = {
  readonly to: Addressee
  readonly items: readonly MessageItem[]
  /** When the next attempt is made if this one fails. */
  readonly nextAt: number
}

async function sendAndRecord(
  ports: Ports,
  message: DueMessage,
  { to, items, nextAt }: Sending,
): Promise<void> {
  const { id, key, createdAt, attempts } = message
  const attributes = {
    'tidemark.notification.id': id,
    'tidemark.notification.attempt': attempts + 1,
    'tidemark.recipient.id': to.recipient.id,
    'tidemark.recipient.type': to.recipient.type,
  }
  const outcome = await traced(
    ports,
    { name: `notify ${to.recipient.type}`, kind: 'client', attributes },
    () => notifyAddressee(ports, to, { key, createdAt, items }),
    ({ kind }) => ({ failure: kind === 'sent' ? null : 'The attempt failed; see the notification.' }),
  )
  await conclude(ports, message, { outcome, nextAt })
}

/** Records the outcome of an attempt. */
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
    const isDead = outcome.isFinal || at >= giveUpAt
    writes.push(
      isDead
        ? store.finish(database, id, { status: 'dead', detail, finishedAt: at })
        : store.retry(database, id, {
            detail,
            nextAt: againAt({ at, nextAt, giveUpAt }, outcome.retryAfterMs),
          }),
    )
    if (isDead)
      log.warn('notifications: a notification failed for good; no more attempts are made', {
        notificationId: id,
        recipientId,
      })
  }
  await commit(database, writes)
}

function chanceOf({ secrets }: Ports): number {
  const [high = 0, low = 0] = secrets.random(2)
  return (high * 256 + low) / CHANCES
}
