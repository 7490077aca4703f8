import type { JSX } from 'preact'

import { IconButton } from '../../kit/controls.tsx'
import { State, stateWord } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { stateOf } from './places.ts'
import type { Link, Place } from './places.ts'

const SHOWN_MAX = 200

/** The places of the map as a list, the worst first, for the keyboard and for screen readers. */
export function PlaceList({
  places,
  links,
  current,
  onPlace,
  onMembers,
}: {
  readonly places: readonly Place[]
  readonly links: readonly Link[]
  readonly current: string | null
  readonly onPlace: (place: Place) => void
  /** Lists the points of a cluster. */
  readonly onMembers: (cluster: Place) => void
}): JSX.Element {
  if (places.length === 0) return <p class="quiet pad">{t('map.none')}</p>
  return (
    <>
      <ul class="place-list" aria-label={t('map.list')}>
        {places.slice(0, SHOWN_MAX).map((place) => (
          <li key={place.id}>
            <button
              type="button"
              class="place"
              {...(place.id === current ? { 'aria-current': true as const } : {})}
              onClick={() => onPlace(place)}
            >
              <State state={stateOf(place.state)} look="lone" />
              <span class="cut">
                <b>{nameOf(place)}</b>
                {place.count > 1 && <span class="path">{statesText(place)}</span>}
                {linksText(place, links)}
              </span>
            </button>
            {place.count > 1 && (
              <IconButton
                small
                icon="table"
                label={t('map.membersOf', { count: place.count })}
                onClick={() => onMembers(place)}
              />
            )}
          </li>
        ))}
      </ul>
      {places.length > SHOWN_MAX && (
        <p class="label pad">{t('map.more', { shown: SHOWN_MAX, count: places.length })}</p>
      )}
    </>
  )
}

function nameOf({ name, count, lat, lon }: Place): string {
  if (count > 1) return t('map.places', { count })
  return name ?? `${lat.toFixed(2)}, ${lon.toFixed(2)}`
}

/** How many places of a cluster have each state. */
function statesText({ states }: Place): string {
  return Object.entries(states)
    .map(([state, count]) => t('map.ofState', { count, state: wordOf(state) }))
    .join(', ')
}

const wordOf = (state: string): string => {
  const known = stateOf(state)
  return known === undefined ? state : stateWord(known)
}

function linksText({ id }: Place, links: readonly Link[]): JSX.Element | null {
  const own = links.filter(({ ends }) => ends.includes(id))
  if (own.length === 0) return null
  const count = own.reduce((sum, link) => sum + link.count, 0)
  return <span class="path">{t('map.links', { count })}</span>
}
