import { durationMs } from '../../../lib/duration.ts'
import type { State } from '../../../domain/state.ts'
import { LEVELS } from '../../states/state.ts'
import type { Rules } from '../recipients/schema.ts'
import type { Facts } from '../texts/message.ts'
import type { Kind } from '../texts/words.ts'

/** One thing that happened to an alarm. */
export type AlarmChangeToNotify = {
  readonly id: number
  readonly alarmId: number
  readonly at: number
  readonly kind: string
  readonly details: {
    /** Whether nobody is to be told of the alarm as it stands after the change. */
    readonly isSilent?: boolean
    readonly heldReason?: string | null
    /** Of an update: whether the error code is another one, and not only the message. */
    readonly isNewCode?: boolean
    /** `deleted` or `unlinked` where the alarm went with its object or its link. */
    readonly reason?: unknown
  }
}

/** Somebody to be told: a recipient, or one of the users it is made of; the user is 0 where it is made of none. */
export type Addressee = { readonly recipientId: number; readonly userId: number }

/** Something that was or will be told of an alarm. */
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

/** What decides who is told of a change, and of what. */
export type Circumstances = {
  /** Whom the link of the alarm names; null for nobody. */
  readonly recipientId: number | null
  /** What the link tells: some of `opened`, `worsened`, `flapping` and `closed`; null where it is gone. */
  readonly events: readonly string[] | null
  /** The alarm as it is told; null where it is gone. */
  readonly facts: Facts | null
  /** The object and all that it is in. */
  readonly within: readonly number[]
  /** What was told of this alarm before, or waits to be. */
  readonly past: readonly PastNotice[]
  readonly rulesOf: (recipientId: number) => Rules | null
  /** The users of a recipient that are to be told of this alarm; one 0 where it is made of none. */
  readonly usersOf: (recipientId: number) => readonly number[]
}

export type Plan = {
  readonly notices: readonly NewNotice[]
  /** Which of what waits is not told any more: nothing, what is due after the change, or all of it. */
  readonly dropped: 'nothing' | 'later' | 'all'
}

/** What makes an alarm known to somebody who is then to hear of its end. */
const PROBLEMS: ReadonlySet<Kind> = new Set([
  'opened',
  'worsened',
  'updated',
  'again',
  'reminder',
  'escalation',
  'flapping',
])
/** Changes after which an alarm is told that nobody was to be told of before. */
const LOUD: ReadonlySet<string> = new Set([
  'opened',
  'unheld',
  'released',
  'unassigned',
  'assignment_expired',
  'relapsed',
  'readdressed',
])
/** Changes after which the alarm may be over in a moment: what is due by then is told all the same. */
const ENDING: ReadonlySet<string> = new Set(['recovering', 'closed'])

/** Who is to be told what because of a change, when, and what of that before is not told any more. */
export function planOf(change: AlarmChangeToNotify, circumstances: Circumstances): Plan {
  const tells = (event: string) => circumstances.events?.includes(event) ?? event === 'closed'
  if (change.kind === 'closed') {
    return { notices: tells('closed') ? endOf(change, circumstances) : [], dropped: 'later' }
  }
  if (change.details.isSilent === true) {
    const isFlapping = change.kind === 'held' && change.details.heldReason === 'flapping'
    const notices = isFlapping && tells('flapping') ? toAll(change, circumstances, () => 'flapping') : []
    return { notices, dropped: ENDING.has(change.kind) ? 'later' : 'all' }
  }
  return loudPlanOf(change, circumstances, tells)
}

/** What a change means after which the alarm is told. */
function loudPlanOf(
  change: AlarmChangeToNotify,
  circumstances: Circumstances,
  tells: (event: string) => boolean,
): Plan {
  if (change.kind === 'worsened' && tells('worsened')) {
    return { notices: worsened(change, circumstances), dropped: 'nothing' }
  }
  if (change.kind === 'updated' && change.details.isNewCode === true && tells('opened')) {
    const kindOf = (addressee: Addressee) => (isKnown(change, circumstances, addressee) ? 'updated' : null)
    return { notices: toAll(change, circumstances, kindOf), dropped: 'nothing' }
  }
  // What waits for the recipient of before is dropped.
  const dropped = change.kind === 'readdressed' ? 'all' : 'nothing'
  if (!LOUD.has(change.kind) || !tells('opened')) return { notices: [], dropped }
  const notices = toAll(change, circumstances, (addressee) => loudKind(change, circumstances, addressee))
  return { notices: [...notices, ...laterOf(change, circumstances)], dropped }
}

/** Everybody who knows of the alarm hears of its end, with how it was told last. */
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

/** Whoever hears of the alarm for the first time because it is bad enough now is reminded and escalated, too. */
function worsened(change: AlarmChangeToNotify, circumstances: Circumstances): NewNotice[] {
  const notices = toAll(change, circumstances, () => 'worsened')
  const isNews = notices.some((one) => !isKnown(change, circumstances, one))
  return isNews ? [...notices, ...laterOf(change, circumstances)] : notices
}

function loudKind(
  change: AlarmChangeToNotify,
  circumstances: Circumstances,
  addressee: Addressee,
): Kind | null {
  if (!isKnown(change, circumstances, addressee)) return 'opened'
  // It was away for a moment, of which nobody has heard.
  return change.kind === 'relapsed' ? null : 'again'
}

/** What the recipient of the link is told at once. */
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

/** The first reminder, and what is escalated, unless something happens before. */
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

/** Whether a recipient is there and wants to hear of such an alarm. */
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
  told: Pick<NewNotice, 'kind' | 'facts'> & Partial<Pick<NewNotice, 'step' | 'dueAt'>>,
): NewNotice {
  return { changeId: id, alarmId, recipientId, userId, step: 0, dueAt: at, ...told }
}
