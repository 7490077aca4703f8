import type { Difference } from './difference.ts'
import type { Wanted } from './manifest.ts'

export type Property = { readonly key: string; readonly value: string }
export type Actual = { readonly id: number; readonly properties: readonly Property[] } & Readonly<
  Record<string, unknown>
>

/** An object of the manifest beside its state in the service. */
export type Step = {
  readonly wanted: Wanted
  readonly path: string
  /** Null for an object that is to be created. */
  readonly id: number | null
  /** The version of the object, for If-Match. */
  readonly etag: string | null
  /** The properties of the object after the plan. */
  readonly properties: readonly Property[]
  readonly changes: readonly Difference[]
  readonly linkChanges: readonly Difference[]
  /** The differences of the children of a service level object or container. */
  readonly childChanges: readonly Difference[]
  /** The object before the plan; null for one that is to be created. */
  readonly actual: Actual | null
  readonly children: readonly Step[]
}
