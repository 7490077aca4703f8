/** `value` is of a job that somebody asked for; `script` is how a run goes on. */
export const EVENT_KINDS = ['state', 'alarm', 'value', 'script'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** What a reader may see at the moment. */
export type Visibility = {
  /** Whether that is an object with these ids from the root down to itself. */
  sees(above: readonly number[]): boolean
  /** Whether those are scripts. */
  readonly seesScripts: boolean
}

/** Which events somebody wants. */
export type EventFilter = {
  readonly kinds: ReadonlySet<EventKind>
  /** Events of these objects and of everything below them; null for all. Values do not mind. */
  readonly objectIds: ReadonlySet<number> | null
  /** The jobs whose values are wanted. */
  readonly jobIds: ReadonlySet<number>
}

/** A stream that somebody asks for. */
export type Reading = {
  /** What was asked, for a host that lets another place answer it. */
  readonly request: Request
  readonly userId: number
  readonly wanted: EventFilter
  /** Where an earlier stream ended. */
  readonly lastEventId: string | null
  /** Ends the stream once everything that there is was told. */
  readonly once: boolean
  /** What the reader may see as of now; null once nobody is known any more by what proved who it is. */
  readonly look: () => Promise<Visibility | null>
}

/** Something that nobody reads from where it is kept: how a run of a script goes on. It is in no tree. */
export type EphemeralEvent = { readonly kind: 'script'; readonly data: object }

/** What happens, for whoever reads along: one place per installation, so that everybody is told the same in the same order. */
export interface Events {
  /** A stream of events (WHATWG HTML, server-sent events). @throws {Refusal} unauthenticated, overloaded, unavailable */
  open(reading: Reading): Promise<Response>
  /** Changes were committed: whoever reads is told, in the order of their commits. Costs next to nothing while nobody
   * reads, and never rejects: what could not be told now is told later. */
  committed(): Promise<void>
  /** Tells whoever reads now; who comes back soon enough hears of it as well. */
  publish(passing: EphemeralEvent): Promise<void>
}
