import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The width of an element in px, so that a chart draws text at its true size. */
export function useWidth<E extends Element>(initial: number): readonly [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(initial)
  useEffect(() => {
    if (!element.current) return undefined
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(200, entry.contentRect.width)),
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
