import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Rows outside the view that are drawn too, above and below. */
const MARGIN_ROWS = 12

/** A list of rows of one height of which only those near the view are in the page: for trees, grids and logs of thousands.
 * @param rowPx the height of a row
 * @param focusAt the active row
 * @param head a row above the others, which stays in view; it is `headPx` high
 * @param focusId the object of the active row: the list scrolls to the row when another object becomes active, not when
 * rows that arrive above move it */
export function Windowed({
  count,
  rowPx,
  focusAt = null,
  focusId = focusAt,
  row,
  head,
  headPx = 0,
  class: className = '',
  ...rest
}: {
  readonly count: number
  readonly rowPx: number
  readonly focusAt?: number | null
  readonly focusId?: string | number | null
  readonly row: (at: number) => ComponentChildren
  readonly head?: ComponentChildren
  readonly headPx?: number
  readonly class?: string
} & Omit<JSX.IntrinsicElements['div'], 'children' | 'class'>): JSX.Element {
  const view = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const element = view.current
    if (!element) return undefined
    const measure = (): void => setRange({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [])
  useEffect(() => {
    const element = view.current
    if (!element || focusAt === null) return
    const top = focusAt * rowPx
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowPx + headPx > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPx + headPx - element.clientHeight
  }, [focusId, rowPx])
  const first = Math.max(0, Math.floor(range.top / rowPx) - MARGIN_ROWS)
  const last = Math.min(count, Math.ceil((range.top + range.height) / rowPx) + MARGIN_ROWS)
  return (
    <div ref={view} class={`windowed ${className}`} {...rest}>
      {head}
      <div role="presentation" style={{ height: `${count * rowPx}px`, position: 'relative' }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowPx}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, at) => row(first + at))}
        </div>
        {focusAt !== null && focusAt < count && (focusAt < first || focusAt >= last) && (
          // `aria-activedescendant` must name an element, also when the user has scrolled away from it.
          <div
            role="presentation"
            style={{ position: 'absolute', insetInline: 0, top: `${focusAt * rowPx}px` }}
          >
            {row(focusAt)}
          </div>
        )}
      </div>
    </div>
  )
}
