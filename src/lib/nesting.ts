/** Whether objects and arrays of JSON are nested in at most so many levels, found without recursion. */
export function isNestedWithin(json: unknown, levelsMax: number): boolean {
  let level = [json].filter(isContainer)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levelsMax) return false
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return true
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
