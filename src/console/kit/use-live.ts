import { useEffect, useRef } from 'preact/hooks'

const PACE_MS = 10_000

/** Reads again every few seconds while figures move without an event, such as the cost of an outage that lasts. A hidden page
 * reads nothing. */
export function useLive(read: () => void, isMoving: boolean, everyMs = PACE_MS): void {
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) latest.current()
    }, everyMs)
    return () => clearInterval(timer)
  }, [isMoving, everyMs])
}
