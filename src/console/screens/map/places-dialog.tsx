import type { JSX } from 'preact'

import { Table } from '../../kit/data.tsx'
import { Dialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { stateOf } from './places.ts'
import type { Place } from './places.ts'

/** The points of a cluster that the page itself has made, the worst first. */
export function PlacesDialog({
  cluster: { count, members = [] },
  onClose,
}: {
  readonly cluster: Place
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={t('map.members', { count })} onClose={onClose}>
      <Table
        label={t('map.members', { count })}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          { key: 'name', title: t('map.name'), cell: nameOf },
          {
            key: 'state',
            title: t('map.state'),
            cell: ({ state }) => (state === null ? null : <StateText text={state} />),
          },
        ]}
      />
    </Dialog>
  )
}

/** A state of Tidemark with its icon, or another text. */
export function StateText({ text }: { readonly text: string }): JSX.Element {
  const known = stateOf(text)
  return known === undefined ? <>{text}</> : <State state={known} />
}

/** The name of a point, or its degrees. */
export function nameOf({ name, lat, lon }: Pick<Place, 'name' | 'lat' | 'lon'>): string {
  return name ?? `${lat.toFixed(4)}, ${lon.toFixed(4)}`
}
