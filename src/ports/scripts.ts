import type * as z from 'zod'
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
  readonly trigger: 'alarm'
  /** At most `PARAMETERS_MAX` characters as JSON. */
  readonly parameters: Readonly<Record<string, z.core.util.JSONType>>
  /** Requests of one user with the same key within 24 hours order one run. */
  readonly key: string
}

/** An object that needs scripts: a widget, a data source or a recipient of alarms. */
export type ScriptDependent = {
  readonly kind: 'widget' | 'dataSource' | 'alarmRecipient'
  readonly ownerId: IdExpression
}

/** A script that a part of an object needs; the name is for people. */
export type NeededScript = { readonly scriptId: number; readonly part: string; readonly name: string }

/** Scripts, for rooms below them. `automation` gives this port, and hosts wire it with `withScripts`. */
export interface Scripts {
  /** Orders a run, and returns its id. @throws {Refusal} forbidden, not_found, no_runner, overloaded,
   * idempotency_conflict where the key belongs to another order */
  order(request: RunRequest): Promise<string>
  /** The faults of a reference, with pointers to its fields; none when script and configuration exist. */
  faultsOf(reference: ScriptReference): Promise<readonly Fault[]>
  /** The writes that replace the scripts that an object needs. They belong in the commit that changes the object. A script
   * that an object needs is not deleted without `force`. */
  dependents(dependent: ScriptDependent, needed: readonly NeededScript[]): readonly Write[]
}
