/** `value` events are of jobs that a reader has asked for; `script` events report the progress of runs. */
export const EVENT_KINDS = ['state', 'alarm', 'value', 'script'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** The events that a reader may see now. */
export type Visibility = {
  /** Whether the reader may see an object; `above` has the ids from the root down to the object. */
  sees(above: readonly number[]): boolean
  /** Whether the reader may see scripts. */
  readonly seesScripts: boolean
  /** The role and the grants of the reader, as a text that is compared. */
  readonly rights: string
}

/** The events that a reader has asked for. */
export type EventFilter = {
  readonly kinds: ReadonlySet<EventKind>
  /** Events of these objects and of all objects below them; null for all. Does not apply to values. */
  readonly objectIds: ReadonlySet<number> | null
  /** The jobs whose values are wanted. */
  readonly jobIds: ReadonlySet<number>
}

/** A request for a stream. */
export type Reading = {
  /** The HTTP request: at the edge another object answers it. */
  readonly request: Request
  readonly userId: number
  readonly wanted: EventFilter
  /** The id of the last event of an earlier stream; null for a new one. */
  readonly lastEventId: string | null
  /** Whether the stream ends after the events that exist now. */
  readonly once: boolean
  /** Reads the present rights of the reader; null once the reader's credentials are no longer valid. */
  readonly look: () => Promise<Visibility | null>
}

/** An event that is not stored: the progress of a run of a script. It has no place in the tree. */
export type EphemeralEvent = { readonly kind: 'script'; readonly data: object }

/** The stream of events. An installation has one, so that all readers get the same events in the same order. */
export interface Events {
  /** Opens a stream of server-sent events (WHATWG HTML). @throws {Refusal} unauthenticated, overloaded, unavailable */
  open(reading: Reading): Promise<Response>
  /** Publishes committed changes to all readers, in the order of their commits. Does nothing without readers. Never
   * rejects: changes that cannot be published now are published later. */
  committed(): Promise<void>
  /** Publishes an event to all readers. A reader that resumes within the window of the stream gets it, too. */
  publish(passing: EphemeralEvent): Promise<void>
}
