import type { Context } from '../../../context.ts'
import type { Made } from '../made.ts'

/** The making of a plant, during one turn. */
export type Making = {
  /** The context of the service itself. */
  readonly context: Context
  readonly seed: string
  readonly anchorAt: number
  /** Ids by place; the plant's group has the place ''. */
  readonly ids: Map<string, number>
  readonly made: Made
}

/** @throws {Error} when the object was deleted during the making */
export function idOf({ ids }: Making, place: string): number {
  const id = ids.get(place)
  if (id === undefined) throw new Error(`The object ${place} of the demo plant is missing.`)
  return id
}
