import type { JSX } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { IconButton } from '../../kit/controls.tsx'
import { StateIcon } from '../../kit/icons.tsx'
import { shapeOf } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { LAND, UNIT } from './land.ts'
import { movedBy, project, withinWorld, worldPx } from './mercator.ts'
import type { MapPlace, Size } from './mercator.ts'
import { stateOf } from './places.ts'
import type { Link, Place } from './places.ts'

type Props = {
  /** The sentence about the map, which is its name. */
  readonly label: string
  readonly view: MapPlace
  readonly places: readonly Place[]
  readonly links: readonly Link[]
  /** The place that the list shows. */
  readonly current: string | null
  readonly onView: (view: MapPlace) => void
  readonly onPlace: (place: Place) => void
  readonly onSize: (size: Size) => void
  /** Shows all places. */
  readonly onFit: () => void
}

const STEP = 0.25
const SHOWN_MAX = 400

/** The land with places and links on it. It is drawn here: no request leaves the host. The list beside it has the same places. */
export function MapView(props: Props): JSX.Element {
  const { label, view, onView, onSize, onFit } = props
  const host = useRef<HTMLElement>(null)
  const [size, setSize] = useState<Size>({ width: 640, height: 400 })
  const id = useId()
  // Before the first frame: places would be drawn beyond the edge of a smaller map.
  useLayoutEffect(() => {
    const figure = host.current
    if (!figure) return undefined
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = figure
      if (width === 0 || height === 0) return
      setSize({ width, height })
      onSize({ width, height })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(figure)
    return () => observer.disconnect()
  }, [])
  const zoom = (by: number): void => onView(withinWorld({ ...view, zoom: view.zoom + by }))
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const act = keyed(event.key, { view, size, onView, zoom, onFit })
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <figure
      ref={host}
      class="map-view"
      role="group"
      tabIndex={0}
      aria-label={label}
      aria-describedby={`${id}-keys`}
      onKeyDown={press}
      onWheel={(event) => {
        if (!event.ctrlKey && document.activeElement !== host.current) return
        event.preventDefault()
        zoom(event.deltaY < 0 ? 0.5 : -0.5)
      }}
      onPointerDown={(event) => drag(event, view, onView)}
    >
      <span class="vh" id={`${id}-keys`}>
        {t('map.keys')}
      </span>
      <Drawing {...props} size={size} />
      <div class="map-buttons">
        <IconButton icon="plus" label={t('map.zoomIn')} onClick={() => zoom(1)} />
        <IconButton icon="minus" label={t('map.zoomOut')} onClick={() => zoom(-1)} />
        <IconButton icon="expand" label={t('map.fit')} onClick={onFit} />
      </div>
      <small class="map-credit">{t('map.credit')}</small>
    </figure>
  )
}

function keyed(
  key: string,
  {
    view,
    size: { width, height },
    onView,
    zoom,
    onFit,
  }: {
    readonly view: MapPlace
    readonly size: Size
    readonly onView: (view: MapPlace) => void
    readonly zoom: (by: number) => void
    readonly onFit: () => void
  },
): (() => void) | undefined {
  const move = (right: number, down: number) => () =>
    onView(movedBy(view, right * width * STEP, down * height * STEP))
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: move(-1, 0),
    ArrowRight: move(1, 0),
    ArrowUp: move(0, -1),
    ArrowDown: move(0, 1),
    '+': () => zoom(1),
    '=': () => zoom(1),
    '-': () => zoom(-1),
    Home: onFit,
  }
  return keys[key]
}

/** Moves the map with the pointer until its button is released. */
function drag(start: PointerEvent, view: MapPlace, onView: (view: MapPlace) => void): void {
  if (start.button !== 0 || (start.target as Element).closest('button')) return
  const move = (event: PointerEvent): void =>
    onView(movedBy(view, start.clientX - event.clientX, start.clientY - event.clientY))
  const release = (): void => {
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', release)
    removeEventListener('pointercancel', release)
  }
  addEventListener('pointermove', move)
  addEventListener('pointerup', release)
  addEventListener('pointercancel', release)
}

/** The land, links and places: hidden from screen readers, since the list has them. */
function Drawing({
  view,
  places,
  links,
  current,
  size: { width, height },
  onPlace,
}: Props & { readonly size: Size }): JSX.Element {
  const px = worldPx(view.zoom)
  const [x, y] = project(view.lon, view.lat)
  const unit = UNIT / px
  const [left, top] = [x * UNIT - (width * unit) / 2, y * UNIT - (height * unit) / 2]
  const placeOf = (lon: number, lat: number): readonly [number, number] => {
    const [atX, atY] = project(lon, lat)
    return [(atX - x) * px + width / 2, (atY - y) * px + height / 2]
  }
  return (
    <div aria-hidden="true">
      <svg class="land" viewBox={`${left} ${top} ${width * unit} ${height * unit}`}>
        <path d={LAND} vector-effect="non-scaling-stroke" />
      </svg>
      <svg class="links">
        {links.map(({ id, from, to, state, count }) => {
          const [[x1, y1], [x2, y2]] = [placeOf(...from), placeOf(...to)]
          return (
            <line
              key={id}
              x1={x1}
              y1={y1}
              x2={x2}
              y2={y2}
              data-s={shapeOf(stateOf(state))}
              stroke-width={Math.min(6, 1.5 + Math.log2(count))}
            />
          )
        })}
      </svg>
      {places.slice(0, SHOWN_MAX).map((place) => {
        const [atX, atY] = placeOf(place.lon, place.lat)
        if (atX < -40 || atY < -40 || atX > width + 40 || atY > height + 40) return null
        return (
          <button
            key={place.id}
            type="button"
            tabIndex={-1}
            class={place.id === current ? 'spot current' : 'spot'}
            data-s={shapeOf(stateOf(place.state))}
            title={place.name ?? String(place.count)}
            style={{ left: `${atX}px`, top: `${atY}px` }}
            onClick={() => onPlace(place)}
          >
            <StateIcon shape={shapeOf(stateOf(place.state))} />
            {place.count > 1 && <span>{place.count}</span>}
          </button>
        )
      })}
    </div>
  )
}
