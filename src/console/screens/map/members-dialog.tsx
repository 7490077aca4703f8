import type { JSX } from 'preact'

import { Button } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { FailureNote, Skeleton } from '../../kit/feedback.tsx'
import { Dialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { cellText } from '../data/cells.ts'
import type { Place } from './places.ts'
import { nameOf, StateText } from './places-dialog.tsx'
import type { Body, PlaceSource } from './source.ts'
import { useMembers } from './use-members.ts'
import type { Member } from './use-members.ts'

/** Columns beside the name and the state. */
const OTHERS_MAX = 6

/** The rows of a cluster of a table or of a data query. */
export function MembersDialog({
  cluster: { id, count },
  asked,
  columns: { key, state, lat, lon },
  onClose,
}: {
  readonly cluster: Place
  readonly asked: Body
  readonly columns: Pick<PlaceSource, 'key' | 'state' | 'lat' | 'lon'>
  readonly onClose: () => void
}): JSX.Element {
  const { items, failure, isLoading, more } = useMembers(id, asked)
  const rows = items.map((item, at) => ({ item, at }))
  const shown = new Set([key, state, lat, lon])
  const others = Object.keys(items[0]?.properties ?? {})
    .filter((name) => !shown.has(name))
    .slice(0, OTHERS_MAX)
  return (
    <Dialog
      wide
      title={t('map.members', { count })}
      onClose={onClose}
      footer={more && <Button onClick={more}>{t('map.moreMembers')}</Button>}
    >
      {failure && <FailureNote failure={failure} what={t('map.membersFailed')} />}
      {items.length > 0 && (
        <Table
          label={t('map.members', { count })}
          rows={rows}
          keyOf={({ at }) => at}
          columns={[
            { key: 'name', title: key || t('map.name'), cell: ({ item }) => memberName(item, key) },
            ...(state === ''
              ? []
              : [
                  {
                    key: 'state',
                    title: state,
                    cell: ({ item }: { readonly item: Member }) => <StateText text={textOf(item, state)} />,
                  },
                ]),
            ...others.map((name) => ({
              key: `column ${name}`,
              title: name,
              cell: ({ item }: { readonly item: Member }) => textOf(item, name),
            })),
          ]}
        />
      )}
      {isLoading && <Skeleton lines={4} />}
    </Dialog>
  )
}

function memberName(item: Member, key: string): string {
  const [lon, lat] = item.geometry.coordinates
  return nameOf({ name: key === '' ? null : textOf(item, key), lat, lon })
}

function textOf({ properties }: Member, name: string): string {
  return cellText(properties[name] ?? null, 'string')
}
