import { useEffect, useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { background } from '../../kit/background.ts'
import { ROOT_ID } from '../../kit/object-name.ts'
import { rememberVisit } from '../../shell/visited.ts'

export type Place = {
  readonly id: number
  readonly type: 'group' | 'device' | 'job'
  readonly name: string
  readonly parentId: number | null
}
const LEVELS_MAX = 64
const REFUSED = new Set([403, 404])
const places = new Map<number, Place>()

/** Forgets the ways to objects, after one was renamed or moved. */
export function forgetPlaces(): void {
  places.clear()
}

/** The objects above an object, without the root, which not every user may read; null until they are read. */
export function useTrail(type: Place['type'], id: number): readonly Place[] | null {
  const [trail, setTrail] = useState<{ readonly id: number; readonly above: readonly Place[] } | null>(null)
  useEffect(() => {
    let isLeft = false
    const read = async (): Promise<void> => {
      let above: readonly Place[] = []
      try {
        above = await placesAbove(type, id)
        const object = places.get(id)
        if (object) rememberVisit(object)
      } finally {
        if (!isLeft) setTrail({ id, above })
      }
    }
    background(read())
    return () => {
      isLeft = true
    }
  }, [type, id])
  return trail?.id === id ? trail.above : null
}

/** Reads the way up to the object below the root, as far as the caller may read it.
 * @throws {Failure} when the service cannot be reached */
async function placesAbove(type: Place['type'], id: number): Promise<readonly Place[]> {
  const above: Place[] = []
  let at = id === ROOT_ID ? null : await placeOf(type, id)
  while (at?.parentId != null && at.parentId !== ROOT_ID && above.length < LEVELS_MAX) {
    at = await placeOf(at.type === 'job' ? 'device' : 'group', at.parentId)
    if (at) above.unshift(at)
  }
  return above
}

async function placeOf(type: Place['type'], id: number): Promise<Place | null> {
  const known = places.get(id)
  if (known) return known
  try {
    const { name, parentId } = await call('get', `/${type}s/{id}`, { path: { id } })
    const place: Place = { id, type, name, parentId }
    places.set(id, place)
    return place
  } catch (error) {
    if (REFUSED.has(asFailure(error).status)) return null
    throw error
  }
}
