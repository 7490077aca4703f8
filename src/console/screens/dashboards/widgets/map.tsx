import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'

import { addStyles } from '../../../kit/own-styles.ts'
import { t } from '../../../language/t.ts'
import type { Cell } from '../../data/cells.ts'
import styles from '../../map/map.css' with { type: 'text' }
import { boxAround, fitted, worldPx } from '../../map/mercator.ts'
import type { MapPlace, Size } from '../../map/mercator.ts'
import { PlacesDialog } from '../../map/places-dialog.tsx'
import { PlacesMap } from '../../map/places-map.tsx'
import { clustered, sentenceOf } from '../../map/places.ts'
import type { Place } from '../../map/places.ts'
import type { DataOf, WidgetOf } from '../dashboard.ts'

addStyles(styles)

type Points = Extract<WidgetOf<'map'>['points'], { type: 'dataQuery' }>
/** The size of a cluster in px. */
const CELL_PX = 60

/** The rows of a data query on a map, near ones together with their worst state; the same places as a list below. */
export function PointsMap({
  points,
  data,
  title,
}: {
  readonly points: Points
  readonly data: DataOf<'rows'>
  readonly title: string
}): JSX.Element {
  const all = useMemo(() => placesIn(points, data), [points, data])
  const [size, setSize] = useState<Size>({ width: 480, height: 300 })
  const [moved, setMoved] = useState<MapPlace | null>(null)
  const [opened, setOpened] = useState<Place | null>(null)
  const around = boxAround(all)
  const view = moved ?? (around ? fitted(around, size) : { lon: 0, lat: 20, zoom: 0 })
  const places = clustered(all, (CELL_PX / worldPx(view.zoom)) * 360)
  return (
    <div class="points-map">
      <PlacesMap
        label={`${title}: ${sentenceOf(all)}`}
        places={places}
        view={view}
        size={size}
        frame={(list) => (
          <details class="pad">
            <summary>{t('map.list')}</summary>
            {list}
          </details>
        )}
        onView={setMoved}
        onSize={setSize}
        onFit={() => setMoved(null)}
        onOpen={setOpened}
      />
      {opened && <PlacesDialog cluster={opened} onClose={() => setOpened(null)} />}
      {data.truncated && <p class="label pad">{t('boards.truncated', { count: data.rows.length })}</p>}
    </div>
  )
}

function placesIn({ lat, lon, state, label }: Points, { columns, rows }: DataOf<'rows'>): readonly Place[] {
  const at = (name: string | null): number => columns.findIndex((column) => column.name === name)
  const [latAt, lonAt, stateAt, labelAt] = [at(lat), at(lon), at(state), at(label)]
  return rows.flatMap((row, place): Place[] => {
    const degrees = [row[lonAt], row[latAt]].map(numberOf)
    const [x, y] = degrees
    if (x === null || x === undefined || y === null || y === undefined) return []
    const own = row[stateAt] ?? null
    return [
      {
        id: String(place),
        lon: x,
        lat: y,
        count: 1,
        state: own === null ? null : String(own),
        states: own === null ? {} : { [String(own)]: 1 },
        name: labelAt < 0 ? null : String(row[labelAt] ?? ''),
        box: null,
        expandsAt: null,
      },
    ]
  })
}

function numberOf(value: Cell | undefined): number | null {
  if (value === null || value === undefined || value === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
