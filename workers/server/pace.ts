import type { Handle } from '../../src/app.ts'

/** How many requests beside single deliveries begin in one turn of the event loop: a millisecond of work or two. */
const AT_ONCE = 4

/** Of a burst of requests a few begin in each turn of the event loop, in the order in which they came: what is not paced, as
 * single deliveries, is not kept waiting by the rest. */
export function spreadOverTurns(handle: Handle): Handle {
  const waiting: (() => void)[] = []
  let begun = 0
  const turn = () => {
    const next = waiting.splice(0, AT_ONCE)
    begun = next.length
    if (begun > 0) setImmediate(turn)
    for (const begin of next) begin()
  }
  return (request) => {
    if (begun === 0) setImmediate(turn)
    if (begun < AT_ONCE) {
      begun++
      return handle(request)
    }
    return new Promise((resolve) => waiting.push(() => resolve(handle(request))))
  }
}
