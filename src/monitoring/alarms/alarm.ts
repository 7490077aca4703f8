import type { Level, State } from '../../domain/state.ts'
import { isLevel, LEVELS } from '../states/state.ts'

/** What an alarm goes through; the order is that of its life. */
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

/** What an alarm is at an instant. */
export type Alarm = {
  readonly status: Status
  /** The latest of the object's states that was bad, and the worst since it opened. */
  readonly state: Level
  readonly worstState: Level
  readonly beginAt: number
  /** When the object got well; null until it closes. */
  readonly endAt: number | null
  readonly assigneeId: number | null
  readonly assignedUntilAt: number | null
  readonly sticky: boolean
  /** The open alarm that explains this one. */
  readonly suppressedBy: number | null
  readonly maintained: boolean
  readonly flapping: boolean
  /** When its delay passes; null once it has. */
  readonly delayedUntilAt: number | null
  /** Since when the object is well, as long as that has not closed it. */
  readonly wellSinceAt: number | null
}

/** What the link of an alarm says of it. */
export type Terms = {
  readonly minState: Level
  readonly delayMs: number
  readonly recoveryDelayMs: number
}

/** The object got well, or nobody means to know: it was stopped, or has no children any more. */
export type CloseReason = 'ok' | 'undefined'

/** One thing that happened to an alarm, with how it stands after it. */
export type AlarmChange = {
  readonly kind: ChangeKind
  readonly at: number
  readonly state: Level
  readonly details: {
    /** Whether nobody is to be told: it is held, suppressed, assigned, or the object is well. */
    readonly isSilent: boolean
    readonly status: Status
    readonly heldReason: HeldReason | null
    readonly suppressedBy: number | null
    readonly assigneeId: number | null
    readonly [more: string]: unknown
  }
}

export type Assignment = {
  /** Null takes it from whoever has it. */
  readonly assigneeId: number | null
  /** Null for good. */
  readonly untilAt: number | null
  readonly sticky: boolean
}

/** What can happen to an alarm; to a closed one only that something is said on it. */
export type AlarmEvent = { readonly at: number } & (
  | { readonly kind: 'state'; readonly state: State }
  | { readonly kind: 'flapping'; readonly isFlapping: boolean }
  /** What is wrong is something else now, and the state is as it was. */
  | {
      readonly kind: 'message'
      readonly message: string | null
      readonly errorCode: number
      readonly isNewCode: boolean
    }
  /** Only time passes. */
  | { readonly kind: 'time' }
  | ({ readonly kind: 'assignment'; readonly by: number } & Assignment)
  /** Who had it is gone. */
  | { readonly kind: 'orphaned' }
  | { readonly kind: 'suppression'; readonly by: number | null }
  | { readonly kind: 'comment'; readonly by: number; readonly text: string }
)

export type Step = { readonly alarm: Alarm; readonly changes: readonly AlarmChange[] }

/** Why an alarm is not told, if anything holds it: what lasts longest first. */
export function heldReasonOf(
  alarm: Pick<Alarm, 'maintained' | 'flapping' | 'delayedUntilAt'>,
): HeldReason | null {
  if (alarm.maintained) return 'maintenance'
  if (alarm.flapping) return 'flapping'
  return alarm.delayedUntilAt === null ? null : 'delay'
}

/** Whether nobody is to be told of it. */
export function isSilent(alarm: Alarm): boolean {
  return (
    alarm.status !== 'open' ||
    alarm.suppressedBy !== null ||
    alarm.wellSinceAt !== null ||
    heldReasonOf(alarm) !== null
  )
}

/** Whether a state is bad enough for a link. What is in maintenance is not bad: it opens nothing. */
export function opens(state: State, { minState }: Pick<Terms, 'minState'>): state is Level {
  return isLevel(state) && rank(state) <= rank(minState)
}

/** A new alarm, of an object that has just become bad. */
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
  // Flapping is worth a word of its own.
  return { alarm, changes: isFlapping ? [...told, changeOf('held', at, alarm)] : told }
}

/** A change to how an alarm stands now. */
export function changeOf(kind: ChangeKind, at: number, alarm: Alarm, more: object = {}): AlarmChange {
  const { status, suppressedBy, assigneeId, state } = alarm
  const heldReason = heldReasonOf(alarm)
  const stands = { isSilent: isSilent(alarm), status, heldReason, suppressedBy, assigneeId }
  return { kind, at, state, details: { ...stands, ...more } }
}

/** The lower, the worse. */
export function rank(level: Level): number {
  return LEVELS.indexOf(level)
}
