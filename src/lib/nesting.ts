import { isJsonContainer } from './json.ts'

/** Whether objects and arrays of JSON are nested in at most so many levels, found without recursion. */
export function isNestedWithin(json: unknown, levelsMax: number): boolean {
  let level = [json].filter(isJsonContainer)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levelsMax) return false
    level = level.flatMap((container) => Object.values(container).filter(isJsonContainer))
  }
  return true
}
