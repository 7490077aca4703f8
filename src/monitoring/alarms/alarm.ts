import type { Level, State } from '../../domain/state.ts'
import { isLevel, LEVELS } from '../states/state.ts'

/** The changes of an alarm, in the order of its life. */
export const CHANGE_KINDS = [
  'opened',
  'worsened',
  'eased',
  'updated',
  'recovering',
  'relapsed',
  'held',
  'unheld',
  'suppressed',
  'released',
  'assigned',
  'unassigned',
  'assignment_expired',
  'commented',
  'readdressed',
  'closed',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const STATUSES = ['open', 'assigned', 'closed'] as const
export type Status = (typeof STATUSES)[number]

export const HELD_REASONS = ['maintenance', 'flapping', 'delay'] as const
export type HeldReason = (typeof HELD_REASONS)[number]

/** The state of an alarm at an instant. */
export type Alarm = {
  readonly status: Status
  /** The object's latest state of `warning` or worse, and the worst one since the alarm opened. */
  readonly state: Level
  readonly worstState: Level
  readonly beginAt: number
  /** When the object recovered; null until the alarm closes. */
  readonly endAt: number | null
  readonly assigneeId: number | null
  readonly assignedUntilAt: number | null
  readonly sticky: boolean
  /** The open alarm that is the cause of this one. */
  readonly suppressedBy: number | null
  readonly maintained: boolean
  readonly flapping: boolean
  /** When the delay of the link ends; null once it has ended. */
  readonly delayedUntilAt: number | null
  /** When the object recovered, while the recovery delay has not passed yet. */
  readonly wellSinceAt: number | null
}

/** The part of an alarm link that the alarm depends on. */
export type Terms = {
  readonly minState: Level
  readonly delayMs: number
  readonly recoveryDelayMs: number
}

/** `ok`: the object recovered. `undefined`: the object is no longer monitored, because it was stopped or has no
 * children left. */
export type CloseReason = 'ok' | 'undefined'

/** A change of an alarm, with the alarm's state after it. */
export type AlarmChange = {
  readonly kind: ChangeKind
  readonly at: number
  readonly state: Level
  readonly details: {
    /** Whether no notification is due: the alarm is held, suppressed or assigned, or the object is well. */
    readonly isSilent: boolean
    readonly status: Status
    readonly heldReason: HeldReason | null
    readonly suppressedBy: number | null
    readonly assigneeId: number | null
    readonly [more: string]: unknown
  }
}

export type Assignment = {
  /** The new assignee; null unassigns the alarm. */
  readonly assigneeId: number | null
  /** When the assignment ends; null for no end. */
  readonly untilAt: number | null
  readonly sticky: boolean
}

/** An event that can change an alarm. A closed alarm accepts comments only. */
export type AlarmEvent = { readonly at: number } & (
  | { readonly kind: 'state'; readonly state: State }
  | { readonly kind: 'flapping'; readonly isFlapping: boolean }
  /** The message or the error code of the job changed, but not its state. */
  | {
      readonly kind: 'message'
      readonly message: string | null
      readonly errorCode: number
      readonly isNewCode: boolean
    }
  /** Time has passed. */
  | { readonly kind: 'time' }
  | ({ readonly kind: 'assignment'; readonly by: number } & Assignment)
  /** The assignee was deleted. */
  | { readonly kind: 'orphaned' }
  | { readonly kind: 'suppression'; readonly by: number | null }
  | { readonly kind: 'comment'; readonly by: number; readonly text: string }
)

export type Step = { readonly alarm: Alarm; readonly changes: readonly AlarmChange[] }

/** Why notifications of an alarm are held back: the reason that lasts longest comes first. */
export function heldReasonOf(
  alarm: Pick<Alarm, 'maintained' | 'flapping' | 'delayedUntilAt'>,
): HeldReason | null {
  if (alarm.maintained) return 'maintenance'
  if (alarm.flapping) return 'flapping'
  return alarm.delayedUntilAt === null ? null : 'delay'
}

/** Whether no notification of the alarm is due. */
export function isSilent(alarm: Alarm): boolean {
  return (
    alarm.status !== 'open' ||
    alarm.suppressedBy !== null ||
    alarm.wellSinceAt !== null ||
    heldReasonOf(alarm) !== null
  )
}

/** Whether a state is bad enough for a link. States in maintenance never are. */
export function opens(state: State, { minState }: Pick<Terms, 'minState'>): state is Level {
  return isLevel(state) && rank(state) <= rank(minState)
}

/** A new alarm of an object whose state has become bad. */
export function openAlarm(
  { state, at, isFlapping }: { readonly state: Level; readonly at: number; readonly isFlapping: boolean },
  terms: Terms,
): Step {
  const alarm: Alarm = {
    status: 'open',
    state,
    worstState: state,
    beginAt: at,
    endAt: null,
    assigneeId: null,
    assignedUntilAt: null,
    sticky: false,
    suppressedBy: null,
    maintained: false,
    flapping: isFlapping,
    delayedUntilAt: terms.delayMs > 0 ? at + terms.delayMs : null,
    wellSinceAt: null,
  }
  const told = [changeOf('opened', at, alarm)]
  // A flapping object also gets a notification that it flaps.
  return { alarm, changes: isFlapping ? [...told, changeOf('held', at, alarm)] : told }
}

/** A change record with the current state of the alarm. */
export function changeOf(kind: ChangeKind, at: number, alarm: Alarm, more: object = {}): AlarmChange {
  const { status, suppressedBy, assigneeId, state } = alarm
  const heldReason = heldReasonOf(alarm)
  const stands = { isSilent: isSilent(alarm), status, heldReason, suppressedBy, assigneeId }
  return { kind, at, state, details: { ...stands, ...more } }
}

/** The severity as a number; the worse, the lower. */
export function rank(level: Level): number {
  return LEVELS.indexOf(level)
}
