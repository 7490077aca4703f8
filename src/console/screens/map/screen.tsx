import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { Card, PageHead } from '../../kit/data.tsx'
import { Empty, FailureNote, NoRight, Skeleton } from '../../kit/feedback.tsx'
import { addStyles } from '../../kit/own-styles.ts'
import { t } from '../../language/t.ts'
import { mayReadQueries } from '../data/use-query-columns.ts'
import styles from './map.css' with { type: 'text' }
import { MembersDialog } from './members-dialog.tsx'
import { boxAround, boxOf, fitted, placeOfText, placeText } from './mercator.ts'
import type { Box, MapPlace, Size } from './mercator.ts'
import { PlacesMap } from './places-map.tsx'
import { linksOf, placesOf, sentenceOf } from './places.ts'
import type { Place } from './places.ts'
import { bodyOf, FIELDS, NO_SOURCE } from './source.ts'
import type { PlaceSource } from './source.ts'
import { SourceFields } from './source-fields.tsx'
import { useClusters } from './use-clusters.ts'

addStyles(styles)

const WORLD: Box = [-180, -85, 180, 85]
const START: MapPlace = { lon: 10, lat: 30, zoom: 1 }
const KEEP_MS = 400

/** The map; for a role that may not read data, a page that names the roles that may, without a request that the API would refuse. */
export function Screen(): JSX.Element {
  if (mayReadQueries()) return <PlacesOnMap />
  return (
    <>
      <PageHead title={t('nav.map')} />
      <div class="body">
        <NoRight detail={t('map.needsRole')} />
      </div>
    </>
  )
}

/** Places of a table or of a data query on a map, as clusters with their worst state, with links between them. */
function PlacesOnMap(): JSX.Element {
  const { source, at, change } = useMapAddress()
  const [view, setView] = useState<MapPlace | null>(at)
  const [size, setSize] = useState<Size>({ width: 800, height: 500 })
  const [opened, setOpened] = useState<Place | null>(null)
  const box = view === null ? WORLD : boxOf(view, size)
  const clusters = useClusters(bodyOf(source, rounded(box), Math.floor(view?.zoom ?? 2)))
  const places = useMemo(() => (clusters.data ? placesOf(clusters.data) : []), [clusters.data])
  const links = useMemo(() => (clusters.data ? linksOf(clusters.data) : []), [clusters.data])
  // The first answer decides where the map looks.
  const all = boxOfPlaces(places)
  useEffect(() => {
    if (view === null && all !== null) setView(fitted(all, size))
  }, [clusters.data])
  useEffect(() => {
    if (view === null) return
    const timer = setTimeout(() => change({ at: placeText(view) }), KEEP_MS)
    return () => clearTimeout(timer)
  }, [view])
  const isReady = bodyOf(source, WORLD, 0) !== null
  const hasMap = clusters.data !== null || clusters.failure === null
  const sentence = sentenceOf(places)
  return (
    <>
      <PageHead title={t('nav.map')} sentence={isReady && clusters.data ? sentence : undefined} />
      <div class="body">
        <Card title={t('map.source')}>
          <SourceFields
            source={source}
            isOpen={!isReady}
            onChange={(part) => {
              setView(null)
              change({ ...part, at: '' })
            }}
          />
        </Card>
        {clusters.failure && (
          <FailureNote failure={clusters.failure} retry={clusters.reload} what={t('map.failed')} />
        )}
        {isReady ? (
          hasMap && (
            <div class="map-screen">
              <PlacesMap
                label={sentence}
                places={places}
                links={links}
                view={view ?? START}
                size={size}
                frame={(list) => (
                  <Card
                    title={t('map.list')}
                    note={clusters.data?.truncated === true ? t('map.truncated') : undefined}
                  >
                    {clusters.data ? list : <Skeleton lines={6} />}
                  </Card>
                )}
                onView={setView}
                onSize={setSize}
                onFit={() => setView(null)}
                onOpen={setOpened}
              />
            </div>
          )
        ) : (
          <Card>
            <Empty title={t('map.empty')} text={t('map.emptyText')} />
          </Card>
        )}
      </div>
      {opened && clusters.asked && (
        <MembersDialog
          cluster={opened}
          asked={clusters.asked}
          columns={source}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

/** A box that stays the same while a map moves by less than a pixel. */
function rounded([west, south, east, north]: Box): Box {
  const round = (value: number): number => Math.round(value * 1e4) / 1e4
  return [round(west), round(south), round(east), round(north)]
}

function boxOfPlaces(places: readonly Place[]): Box | null {
  return boxAround(
    places.flatMap(({ lon, lat, box }) =>
      box
        ? [
            { lon: box[0], lat: box[1] },
            { lon: box[2], lat: box[3] },
          ]
        : [{ lon, lat }],
    ),
  )
}

/** The source and the place of the map, which the address has. */
function useMapAddress() {
  const { query, route } = useLocation()
  const source = Object.fromEntries(FIELDS.map((field) => [field, query[field] ?? NO_SOURCE[field]]))
  return {
    source: source as PlaceSource,
    at: placeOfText(query['at'] ?? ''),
    change: (part: Readonly<Record<string, string>>): void => {
      const search = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(part))
        if (value === '') search.delete(name)
        else search.set(name, value)
      route(location.pathname + (search.size > 0 ? `?${search}` : ''), true)
    },
  }
}
