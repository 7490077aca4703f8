import type { JSX } from 'preact'

import { useUrl } from '../../../api/resource.ts'
import { Card, KeyValues, PageHead } from '../../../kit/data.tsx'
import { Empty, Show, Skeleton } from '../../../kit/feedback.tsx'
import { objectLink } from '../../../kit/location.ts'
import { nameOf, ROOT_ID } from '../../../kit/object-name.ts'
import { State } from '../../../kit/state.tsx'
import { StateChanges } from '../../../kit/state-changes.tsx'
import { t } from '../../../language/t.ts'
import type { Place } from '../trail.ts'
import { useBranch, useStoppedJobs } from '../tree/reading.tsx'
import { AddButton, PlaceActions } from './actions.tsx'
import { ChildrenTable } from './children-table.tsx'
import type { PlaceObject } from './object.ts'
import { Outages } from './outages.tsx'
import { placeSentence } from './sentence.ts'

type Props = {
  readonly type: 'group' | 'device'
  readonly id: number
  /** The objects above; null until they are read. */
  readonly above: readonly Place[] | null
}

/** The page of a group or a device: its state, what is inside, what changed, its outages. */
export function PlacePage({ type, id, above }: Props): JSX.Element {
  const branch = useBranch(type, id)
  // A user without a grant on the root sees which objects it has, and may not read it.
  const mayRead = id !== ROOT_ID || branch.data?.permissions?.read === true
  const object = useUrl<PlaceObject>(mayRead ? `/${type}s/${id}` : null, ['state'])
  const stopped = useStoppedJobs()
  if (branch.data?.permissions?.read === false)
    return (
      <>
        <PageHead title={nameOf(branch.data)} badge={<State state={branch.data.state} />} />
        <div class="body">
          <ChildrenTable items={branch.data.children ?? []} stopped={stopped} empty={null} />
        </div>
      </>
    )
  if (id === ROOT_ID && branch.failure?.status === 404)
    return (
      <>
        <PageHead title={t('kit.root')} />
        <div class="body">
          <Card>
            <Empty title={t('objects.noneOpen')} text={t('objects.noneOpenText')} />
          </Card>
        </div>
      </>
    )
  return (
    <Show
      isPage
      resource={mayRead ? object : { ...object, failure: branch.failure, reload: branch.reload }}
      what={t('objects.objectFailed')}
      skeleton={<Skeleton lines={8} height="24rem" />}
    >
      {(place) => (
        <>
          <PageHead
            crumbs={crumbsOf(place, above)}
            title={nameOf(place)}
            badge={branch.data && <State state={branch.data.state} />}
            actions={<PlaceActions type={type} place={place} etag={object.etag} />}
            sentence={
              branch.data &&
              placeSentence({
                counts: branch.data.counts,
                hasChildren: place.hasChildren,
                reasons: place.reasons,
              })
            }
          />
          <div class="body">
            <div class="two">
              <div class="col spread">
                <Show resource={branch} what={t('objects.childrenFailed')} skeleton={<Skeleton lines={6} />}>
                  {({ children = [] }) => (
                    <ChildrenTable
                      items={children}
                      stopped={stopped}
                      empty={
                        <Empty
                          title={t(`objects.emptyInside.${type}`)}
                          text={t(`objects.emptyText.${type}`)}
                          action={<AddButton type={type} place={place} />}
                        />
                      }
                    />
                  )}
                </Show>
                <Outages type={type} id={id} />
              </div>
              <div class="col spread">
                <StateChanges type={type} id={id} />
                <Details place={place} type={type} />
              </div>
            </div>
          </div>
        </>
      )}
    </Show>
  )
}

/** The objects above a place, as links; null while they are read. Places below the root have no links. */
function crumbsOf({ id, parentId }: PlaceObject, above: Props['above']) {
  if (id === ROOT_ID || parentId === ROOT_ID) return []
  return above && above.map((one) => ({ text: one.name, href: objectLink(one.type, one.id) }))
}

/** The facts of a place: its kind, id, addresses and properties. Empty ones are left out. */
function Details({ place, type }: { readonly place: PlaceObject; readonly type: string }): JSX.Element {
  const rows: (readonly [name: string, value: string | undefined])[] = [
    [t('objects.kind'), t(`objects.type.${type}`)],
    [t('objects.id'), `#${place.id}`],
    [t('objects.address'), place.address],
    [t('objects.netmask'), place.netmask],
    [t('objects.deviceName'), place.deviceName],
    ...place.properties.map(({ key, value }) => [key, value] as const),
  ]
  return (
    <Card title={t('objects.details')}>
      <div class="pad">
        <KeyValues rows={rows.flatMap(([name, value]) => (value ? [[name, value] as const] : []))} />
      </div>
    </Card>
  )
}
