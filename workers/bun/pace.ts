type Handle = (request: Request) => Response | Promise<Response>

/** How many requests beside deliveries begin in one turn of the event loop: a few milliseconds of work. */
const AT_ONCE = 16

/** Deliveries go first: of a burst of other requests a few begin in each turn of the event loop, in the order in which they
 * came, and deliveries that have arrived meanwhile are not kept waiting by the rest. */
export function deliveriesFirst(
  deliver: (request: Request) => Promise<Response> | null,
  handle: Handle,
): Handle {
  const waiting: (() => void)[] = []
  let begun = 0
  const turn = () => {
    const next = waiting.splice(0, AT_ONCE)
    begun = next.length
    if (begun > 0) setImmediate(turn)
    for (const begin of next) begin()
  }
  return (request) => {
    const delivered = deliver(request)
    if (delivered) return delivered
    if (begun === 0) setImmediate(turn)
    if (begun < AT_ONCE) {
      begun++
      return handle(request)
    }
    return new Promise((resolve) => waiting.push(() => resolve(handle(request))))
  }
}
