import { durationMs } from '../../../lib/duration.ts'
import type { State } from '../../../domain/state.ts'
import { LEVELS } from '../../states/state.ts'
import type { Rules } from '../recipients/schema.ts'
import type { Facts } from '../texts/message.ts'
import type { Kind } from '../texts/words.ts'

/** A change of an alarm. */
export type AlarmChangeToNotify = {
  readonly id: number
  readonly alarmId: number
  readonly at: number
  readonly kind: string
  readonly details: {
    /** Whether no notification is due after the change. */
    readonly isSilent?: boolean
    readonly heldReason?: string | null
    /** For `updated`: whether the error code changed, and not only the message. */
    readonly isNewCode?: boolean
    /** `deleted` or `unlinked` if the alarm closed because its object or link was deleted. */
    readonly reason?: unknown
  }
}

/** A recipient, or one of its users; the user is 0 for a recipient without users. */
export type Addressee = { readonly recipientId: number; readonly userId: number }

/** A notice of an alarm that was sent or is waiting. */
export type PastNotice = Addressee & {
  readonly kind: Kind
  readonly dueAt: number
  /** Whether it is part of a message. */
  readonly isTaken: boolean
  readonly facts: Facts
}

export type NewNotice = Addressee & {
  readonly changeId: number
  readonly alarmId: number
  readonly kind: Kind
  readonly step: number
  readonly dueAt: number
  readonly facts: Facts
}

/** The data that decides who is notified of a change. */
export type Circumstances = {
  /** The recipient of the alarm's link; null for none. */
  readonly recipientId: number | null
  /** The events of the link: some of `opened`, `worsened`, `flapping` and `closed`; null if the link was deleted. */
  readonly events: readonly string[] | null
  /** The alarm as messages show it; null if it was deleted. */
  readonly facts: Facts | null
  /** The object and all objects above it. */
  readonly within: readonly number[]
  /** Earlier notices of this alarm, sent or waiting. */
  readonly past: readonly PastNotice[]
  readonly rulesOf: (recipientId: number) => Rules | null
  /** The users of a recipient to notify of this alarm; one 0 for a recipient without users. */
  readonly usersOf: (recipientId: number) => readonly number[]
}

export type Plan = {
  readonly notices: readonly NewNotice[]
  /** Which waiting notices are dropped: none, those that are due after the change, or all. */
  readonly dropped: 'nothing' | 'later' | 'all'
}

/** Kinds after which an addressee is also notified when the alarm closes. */
const PROBLEMS: ReadonlySet<Kind> = new Set([
  'opened',
  'worsened',
  'updated',
  'again',
  'reminder',
  'escalation',
  'flapping',
])
/** Changes after which an alarm is notified that was silent before. */
const NOTIFYING_KINDS: ReadonlySet<string> = new Set([
  'opened',
  'unheld',
  'released',
  'unassigned',
  'assignment_expired',
  'relapsed',
  'readdressed',
])
/** Changes after which the alarm may close soon: notices that are already due are still sent. */
const ENDING: ReadonlySet<string> = new Set(['recovering', 'closed'])

/** The notices of a change, and the waiting notices that it drops. */
export function planOf(change: AlarmChangeToNotify, circumstances: Circumstances): Plan {
  const notifies = (event: string) => circumstances.events?.includes(event) ?? event === 'closed'
  if (change.kind === 'closed') {
    return { notices: notifies('closed') ? endOf(change, circumstances) : [], dropped: 'later' }
  }
  if (change.details.isSilent === true) {
    const isFlapping = change.kind === 'held' && change.details.heldReason === 'flapping'
    const notices = isFlapping && notifies('flapping') ? toAll(change, circumstances, () => 'flapping') : []
    return { notices, dropped: ENDING.has(change.kind) ? 'later' : 'all' }
  }
  return audiblePlanOf(change, circumstances, notifies)
}

/** The plan of a change after which the alarm is notified. */
function audiblePlanOf(
  change: AlarmChangeToNotify,
  circumstances: Circumstances,
  notifies: (event: string) => boolean,
): Plan {
  if (change.kind === 'worsened' && notifies('worsened')) {
    return { notices: worsened(change, circumstances), dropped: 'nothing' }
  }
  if (change.kind === 'updated' && change.details.isNewCode === true && notifies('opened')) {
    const kindOf = (addressee: Addressee) => (isKnown(change, circumstances, addressee) ? 'updated' : null)
    return { notices: toAll(change, circumstances, kindOf), dropped: 'nothing' }
  }
  // Notices that wait for the former recipient are dropped.
  const dropped = change.kind === 'readdressed' ? 'all' : 'nothing'
  if (!NOTIFYING_KINDS.has(change.kind) || !notifies('opened')) return { notices: [], dropped }
  const notices = toAll(change, circumstances, (addressee) => openingKind(change, circumstances, addressee))
  return { notices: [...notices, ...laterOf(change, circumstances)], dropped }
}

/** All addressees that know the alarm are notified of its end, in its latest form. */
function endOf(change: AlarmChangeToNotify, { past, facts, rulesOf }: Circumstances): NewNotice[] {
  const isGone = change.details.reason === 'deleted' || change.details.reason === 'unlinked'
  const known = past.filter((one) => isKnownBy(one, change.at))
  const last = new Map(known.map((one) => [`${one.recipientId} ${one.userId}`, one]))
  return [...last.values()]
    .filter(({ recipientId }) => rulesOf(recipientId)?.recovery === true)
    .map((one) => {
      const state: State = isGone ? 'undefined' : 'ok'
      const ended = { ...(facts ?? one.facts), state, endAt: facts?.endAt ?? change.at }
      return noticeOf(change, one, { kind: isGone ? 'gone' : 'closed', facts: ended })
    })
}

/** An addressee that is notified for the first time, because the alarm is bad enough now, gets reminders and
 * escalations as well. */
function worsened(change: AlarmChangeToNotify, circumstances: Circumstances): NewNotice[] {
  const notices = toAll(change, circumstances, () => 'worsened')
  const isNews = notices.some((one) => !isKnown(change, circumstances, one))
  return isNews ? [...notices, ...laterOf(change, circumstances)] : notices
}

function openingKind(
  change: AlarmChangeToNotify,
  circumstances: Circumstances,
  addressee: Addressee,
): Kind | null {
  if (!isKnown(change, circumstances, addressee)) return 'opened'
  // The recovery was short and was not notified.
  return change.kind === 'relapsed' ? null : 'again'
}

/** Immediate notices to the recipient of the link. */
function toAll(
  change: AlarmChangeToNotify,
  circumstances: Circumstances,
  kindOf: (addressee: Addressee) => Kind | null,
): NewNotice[] {
  const { recipientId, facts } = circumstances
  if (recipientId === null || !facts || !isWanted(recipientId, facts, circumstances)) return []
  return circumstances.usersOf(recipientId).flatMap((userId) => {
    const addressee = { recipientId, userId }
    const kind = kindOf(addressee)
    return kind === null ? [] : [noticeOf(change, addressee, { kind, facts })]
  })
}

/** The first reminder and the escalations, which later changes may drop. */
function laterOf(change: AlarmChangeToNotify, circumstances: Circumstances): NewNotice[] {
  const { recipientId, facts, rulesOf, usersOf } = circumstances
  const rules = recipientId === null ? null : rulesOf(recipientId)
  if (recipientId === null || !facts || !rules || !isWanted(recipientId, facts, circumstances)) return []
  const { reminder } = rules
  const reminders = reminder
    ? usersOf(recipientId).map((userId) => {
        const dueAt = change.at + durationMs(reminder.every)
        return noticeOf(change, { recipientId, userId }, { kind: 'reminder', facts, step: 1, dueAt })
      })
    : []
  const escalations = rules.escalation.flatMap((one, index) => {
    if (!isWanted(one.recipientId, facts, circumstances)) return []
    const dueAt = change.at + durationMs(one.after)
    return usersOf(one.recipientId).map((userId) => {
      const addressee = { recipientId: one.recipientId, userId }
      return noticeOf(change, addressee, { kind: 'escalation', facts, step: index + 1, dueAt })
    })
  })
  return [...reminders, ...escalations]
}

/** Whether a recipient exists and wants notifications of such an alarm. */
function isWanted(recipientId: number, facts: Facts, { rulesOf, within }: Circumstances): boolean {
  const rules = rulesOf(recipientId)
  if (!rules) return false
  const isBadEnough = rankOf(facts.state) <= rankOf(rules.minState)
  return isBadEnough && (rules.objectIds.length === 0 || rules.objectIds.some((id) => within.includes(id)))
}

/** The lower, the worse. */
function rankOf(state: string): number {
  const rank = (LEVELS as readonly string[]).indexOf(state)
  return rank === -1 ? LEVELS.length : rank
}

function isKnown(
  change: AlarmChangeToNotify,
  { past }: Circumstances,
  { recipientId, userId }: Addressee,
): boolean {
  return past.some(
    (one) => one.recipientId === recipientId && one.userId === userId && isKnownBy(one, change.at),
  )
}

function isKnownBy({ kind, isTaken, dueAt }: PastNotice, at: number): boolean {
  return PROBLEMS.has(kind) && (isTaken || dueAt <= at)
}

function noticeOf(
  { id, alarmId, at }: AlarmChangeToNotify,
  { recipientId, userId }: Addressee,
  notice: Pick<NewNotice, 'kind' | 'facts'> & Partial<Pick<NewNotice, 'step' | 'dueAt'>>,
): NewNotice {
  return { changeId: id, alarmId, recipientId, userId, step: 0, dueAt: at, ...notice }
}
