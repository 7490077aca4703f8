import type * as z from 'zod'
import type { RunState } from '../domain/run-state.ts'
import type { Fault } from '../lib/errors.ts'
import type { IdExpression, Write } from './database.ts'

/** The most characters that the parameters of a run may have as JSON: they become an environment variable. */
export const PARAMETERS_MAX = 64 * 1024

/** A script and one of its run configurations; null is the default configuration. */
export type ScriptReference = { readonly scriptId: number; readonly runConfigurationId: number | null }

/** A run that the service orders in the name of a user. */
export type RunRequest = ScriptReference & {
  /** Null where the user was deleted. */
  readonly userId: number | null
  /** The subject of the refusal when this user may not run scripts. */
  readonly userLabel: string
  readonly trigger: 'alarm' | 'dataSource'
  /** The parameters of the run, which have at most `PARAMETERS_MAX` characters as JSON. */
  readonly parameters: Readonly<Record<string, z.core.util.JSONType>>
  /** Requests of one user with the same key within 24 hours order one run. */
  readonly key: string
}

/** How far a run is that the service has ordered. */
export type OrderedRun = {
  readonly state: RunState
  readonly isEnded: boolean
  /** The reason of an end without success. */
  readonly error: string | null
  /** The files that it has left. */
  readonly outputs: readonly RunOutput[]
}

/** A file of a run. `blob` is the key of its bytes in the port `blobs`; they go when the run is deleted. */
export type RunOutput = { readonly name: string; readonly sizeBytes: number; readonly blob: string }

/** An object that needs scripts: a widget, a data source or a recipient of alarms. */
export type ScriptDependent = {
  readonly kind: 'widget' | 'dataSource' | 'alarmRecipient'
  readonly ownerId: IdExpression
  /** The only part that changes; absent: all parts. */
  readonly part?: string
}

/** A script that a part of an object needs; the name is for people. */
export type NeededScript = { readonly scriptId: number; readonly part: string; readonly name: string }

/** Scripts, for rooms below them. `automation` gives this port, and hosts wire it with `withScripts`. */
export interface Scripts {
  /** Orders a run, and returns its id. @throws {Refusal} forbidden, not_found, no_runner, overloaded,
   * idempotency_conflict where the key belongs to another order */
  order(request: RunRequest): Promise<string>
  /** A run; null where it was deleted. */
  run(id: string): Promise<OrderedRun | null>
  /** Ends a run, at once or as soon as its runner hears of it. A run that has ended stays as it is. */
  cancel(id: string): Promise<void>
  /** The faults of a reference, with pointers to its fields; none when script and configuration exist. */
  faultsOf(reference: ScriptReference): Promise<readonly Fault[]>
  /** The writes that replace the scripts that an object, or a part of it, needs. They belong in the commit that changes the object. A script
   * that an object needs is not deleted without `force`. */
  dependents(dependent: ScriptDependent, needed: readonly NeededScript[]): readonly Write[]
}
