import type { Level, State } from '../../domain/state.ts'
import { bareState, isLevel, isMaintained } from '../states/state.ts'
import { changeOf, heldReasonOf, rank } from './alarm.ts'
import type {
  Alarm,
  AlarmChange,
  AlarmEvent,
  Assignment,
  ChangeKind,
  CloseReason,
  Step,
  Terms,
} from './alarm.ts'

/** Applies an event to an alarm, after all time-based changes that were due before the event. */
export function stepAlarm(alarm: Alarm, event: AlarmEvent, terms: Terms): Step {
  const course = new Course(alarm, terms)
  course.pass(event.at)
  const isTaken = course.alarm.endAt === null || event.kind === 'comment'
  if (event.kind !== 'time' && isTaken) course.take(event)
  // The event may have made a change due at its own instant.
  course.pass(event.at)
  return { alarm: course.alarm, changes: course.changes }
}

/** When time changes the alarm next; null for never. */
export function dueAtOf(alarm: Alarm, terms: Pick<Terms, 'recoveryDelayMs'>): number | null {
  return dueOf(alarm, terms)?.at ?? null
}

type DueStep = { readonly at: number; readonly what: 'recovery' | 'assignment' | 'delay' }

function dueOf(alarm: Alarm, { recoveryDelayMs }: Pick<Terms, 'recoveryDelayMs'>): DueStep | null {
  if (alarm.endAt !== null) return null
  const { wellSinceAt, status, assignedUntilAt, delayedUntilAt } = alarm
  const dues: DueStep[] = []
  if (wellSinceAt !== null && !alarm.flapping)
    dues.push({ at: wellSinceAt + recoveryDelayMs, what: 'recovery' })
  if (status === 'assigned' && assignedUntilAt !== null)
    dues.push({ at: assignedUntilAt, what: 'assignment' })
  if (delayedUntilAt !== null && heldReasonOf(alarm) === 'delay')
    dues.push({ at: delayedUntilAt, what: 'delay' })
  // Of changes that are due at the same instant, the first in this list wins.
  return dues.reduce<DueStep | null>(
    (least, due) => (least === null || due.at < least.at ? due : least),
    null,
  )
}

/** An alarm while an event is applied to it. */
class Course {
  alarm: Alarm
  readonly changes: AlarmChange[] = []
  readonly #terms: Terms

  constructor(alarm: Alarm, terms: Terms) {
    this.alarm = alarm
    this.#terms = terms
  }

  /** Applies all time-based changes that are due until an instant, each dated when it was due. */
  pass(until: number): void {
    for (
      let due = dueOf(this.alarm, this.#terms);
      due && due.at <= until;
      due = dueOf(this.alarm, this.#terms)
    ) {
      if (due.what === 'recovery') this.#close(Math.max(due.at, this.#lastAt), 'ok')
      else if (due.what === 'assignment')
        this.#set('assignment_expired', due.at, { ...FREE }, { was: this.alarm.assigneeId })
      else this.#hold(due.at, { delayedUntilAt: null })
    }
  }

  take(event: Exclude<AlarmEvent, { kind: 'time' }>): void {
    const { at } = event
    switch (event.kind) {
      case 'state':
        this.#turn(event.state, at)
        break
      case 'flapping':
        this.#hold(at, { flapping: event.isFlapping })
        break
      case 'message': {
        const { message, errorCode, isNewCode } = event
        this.#set('updated', at, {}, { message, errorCode, isNewCode })
        break
      }
      case 'assignment':
        this.#assign(event)
        break
      case 'orphaned':
        this.#set('unassigned', at, { ...FREE }, { reason: 'user_deleted' })
        break
      case 'suppression':
        this.#suppress(event.by, at)
        break
      case 'comment':
        this.#set('commented', at, {}, { by: event.by, text: event.text })
        break
    }
  }

  #turn(state: State, at: number): void {
    // The state `no_data` does not change an alarm.
    if (state === 'no_data') return
    if (state === 'undefined') return this.#close(at, 'undefined')
    const bare = bareState(state)
    // A hold begins before and ends after the changes that come with it.
    if (isMaintained(state)) this.#hold(at, { maintained: true })
    if (isLevel(bare)) this.#follow(bare, at)
    else this.#recover(at)
    if (!isMaintained(state)) this.#hold(at, { maintained: false })
  }

  #recover(at: number): void {
    if (this.alarm.wellSinceAt !== null) return
    if (this.#terms.recoveryDelayMs === 0 && !this.alarm.flapping) this.#close(at, 'ok')
    else this.#set('recovering', at, { wellSinceAt: at })
  }

  #follow(state: Level, at: number): void {
    const { state: was, worstState, assigneeId } = this.alarm
    if (this.alarm.wellSinceAt !== null) this.#set('relapsed', at, { wellSinceAt: null })
    if (state === was) return
    const worst = rank(state) < rank(worstState) ? state : worstState
    const fields = { state, worstState: worst }
    if (rank(state) > rank(was)) return this.#set('eased', at, fields, { was })
    const isFreed = this.alarm.status === 'assigned' && !this.alarm.sticky
    this.#set('worsened', at, isFreed ? { ...fields, ...FREE } : fields, {
      was,
      unassigned: isFreed ? assigneeId : null,
    })
  }

  #assign({ at, assigneeId, untilAt, sticky, by }: Assignment & { at: number; by: number }): void {
    if (assigneeId === null) {
      if (this.alarm.status === 'assigned')
        this.#set('unassigned', at, { ...FREE }, { by, was: this.alarm.assigneeId })
      return
    }
    const given = { status: 'assigned', assigneeId, assignedUntilAt: untilAt, sticky } as const
    this.#set('assigned', at, given, { by, until: untilAt, sticky })
  }

  #suppress(by: number | null, at: number): void {
    const was = this.alarm.suppressedBy
    if (by === was) return
    this.#set(by === null ? 'released' : 'suppressed', at, { suppressedBy: by }, { was })
  }

  #hold(at: number, holds: Partial<Pick<Alarm, 'maintained' | 'flapping' | 'delayedUntilAt'>>): void {
    const { alarm } = this
    if (alarm.endAt !== null) return
    const next = { ...alarm, ...holds }
    if (
      next.maintained === alarm.maintained &&
      next.flapping === alarm.flapping &&
      !('delayedUntilAt' in holds)
    )
      return
    // A delay that ended under another hold is over.
    const delayedUntilAt = (next.delayedUntilAt ?? 0) > at ? next.delayedUntilAt : null
    const kind = heldReasonOf({ ...next, delayedUntilAt }) === null ? 'unheld' : 'held'
    this.#set(kind, at, { ...next, delayedUntilAt }, { was: heldReasonOf(alarm) })
  }

  #close(at: number, reason: CloseReason): void {
    const endAt = this.alarm.wellSinceAt ?? at
    this.#set('closed', at, { ...CLOSED, endAt }, { reason, beginAt: this.alarm.beginAt, endAt })
  }

  #set(kind: ChangeKind, at: number, fields: Partial<Alarm>, more: object = {}): void {
    this.alarm = { ...this.alarm, ...fields }
    this.changes.push(changeOf(kind, at, this.alarm, more))
  }

  /** A change that is applied late is not dated before the change that blocked it. */
  get #lastAt(): number {
    return this.changes.at(-1)?.at ?? 0
  }
}

const FREE = { status: 'open', assigneeId: null, assignedUntilAt: null, sticky: false } as const

/** Fields that are reset when an alarm closes. The assignee stays on record. */
const CLOSED = {
  status: 'closed',
  assignedUntilAt: null,
  suppressedBy: null,
  maintained: false,
  flapping: false,
  delayedUntilAt: null,
  wellSinceAt: null,
} as const
