import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element in px, so that a chart draws text at its true size. */
export function useWidth<E extends Element>(initial: number): readonly [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const observed = useRef<{ readonly element: E | null; readonly observer: ResizeObserver } | null>(null)
  const [width, setWidth] = useState(initial)
  // In each render: another place of the page may have another element.
  useEffect(() => {
    const current = element.current
    if (observed.current?.element === current) return
    observed.current?.observer.disconnect()
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(200, entry.contentRect.width)),
    )
    if (current) observer.observe(current)
    observed.current = { element: current, observer }
  })
  useEffect(() => () => observed.current?.observer.disconnect(), [])
  return [element, width]
}
