import { isJsonContainer } from '../../../lib/json.ts'
import { pointerOf } from '../../../lib/pointer.ts'

/** A difference between two JSON documents, close to JSON Patch (RFC 6902). */
export type Change = {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}

type Path = readonly (string | number)[]

/** The differences of two JSON documents, in the order of their places; at most `max`. */
export function changesBetween(from: unknown, to: unknown, max: number): Change[] {
  const changes: Change[] = []
  compare(from, to, [], (change) => {
    if (changes.length < max) changes.push(change)
  })
  return changes
}

function compare(from: unknown, to: unknown, path: Path, add: (change: Change) => void): void {
  if (JSON.stringify(from) === JSON.stringify(to)) return
  if (!isJsonContainer(from) || !isJsonContainer(to) || Array.isArray(from) !== Array.isArray(to)) {
    add({ op: 'replace', path: pointerOf(path), from, to })
    return
  }
  const [before, after] = [new Map(Object.entries(from)), new Map(Object.entries(to))]
  for (const [key, value] of before) {
    const place = [...path, key]
    if (after.has(key)) compare(value, after.get(key), place, add)
    else add({ op: 'remove', path: pointerOf(place), from: value })
  }
  for (const [key, value] of after) {
    if (!before.has(key)) add({ op: 'add', path: pointerOf([...path, key]), to: value })
  }
}
