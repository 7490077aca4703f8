import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The height of the chart in its card. */
const CARD_PX = 300
const LOW_PX = 180
/** The height of everything else in the dialog of the chart. */
const CONTROLS_PX = 190

/** Whether a chart covers the page, and its height in px. The chart has the focus after the user has left the dialog.
 * @param box holds the chart */
export function useFullPage(box: RefObject<HTMLElement | null>): {
  readonly isFull: boolean
  readonly setFull: (isFull: boolean) => void
  readonly height: number
} {
  const [isFull, setFull] = useState(false)
  const [page, setPage] = useState(innerHeight)
  const wasFull = useRef(false)
  useEffect(() => {
    const measure = (): void => setPage(innerHeight)
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  useEffect(() => {
    if (wasFull.current && !isFull) box.current?.querySelector('figure')?.focus()
    wasFull.current = isFull
  }, [isFull])
  return { isFull, setFull, height: isFull ? Math.max(LOW_PX, page - CONTROLS_PX) : CARD_PX }
}
