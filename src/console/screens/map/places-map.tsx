import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { MapView } from './map-view.tsx'
import { canSplit, fitted } from './mercator.ts'
import type { MapPlace, Size } from './mercator.ts'
import { PlaceList } from './place-list.tsx'
import type { Link, Place } from './places.ts'

/** Places on a map, and the same places in a list. A chosen place moves the map to it; a cluster that no zoom splits is opened. */
export function PlacesMap({
  label,
  places,
  links = [],
  view,
  size,
  frame,
  onView,
  onSize,
  onFit,
  onOpen,
}: {
  /** The sentence about the map, which is its name. */
  readonly label: string
  readonly places: readonly Place[]
  readonly links?: readonly Link[]
  readonly view: MapPlace
  readonly size: Size
  /** Puts a frame around the list. */
  readonly frame: (list: JSX.Element) => JSX.Element
  readonly onView: (view: MapPlace) => void
  readonly onSize: (size: Size) => void
  /** Shows all places. */
  readonly onFit: () => void
  readonly onOpen: (cluster: Place) => void
}): JSX.Element {
  const [current, setCurrent] = useState<string | null>(null)
  const show = (place: Place): void => {
    setCurrent(place.id)
    if (place.count > 1 && !canSplit(place, view)) onOpen(place)
    else if (place.box && place.count > 1) {
      const inside = fitted(place.box, size)
      onView({ ...inside, zoom: Math.max(inside.zoom, view.zoom + 1, place.expandsAt ?? 0) })
    } else onView({ ...view, lon: place.lon, lat: place.lat })
  }
  const both = { places, links, current, onPlace: show }
  return (
    <>
      <MapView {...both} label={label} view={view} onView={onView} onSize={onSize} onFit={onFit} />
      {frame(<PlaceList {...both} onMembers={onOpen} />)}
    </>
  )
}
