import type { JSX } from 'preact'

import { Icon, StateIcon } from '../../../kit/icons.tsx'
import { nameOf } from '../../../kit/object-name.ts'
import { rankOf, shapeOf, State, stateWord } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import type { DataOf, ShownObject } from '../dashboard.ts'
import { ObjectWay } from './object-way.tsx'

/** Objects with their states: as tiles, of which the worst are filled, or as a list. */
export function ObjectStates({
  data: { objects, truncated },
  show,
}: {
  readonly data: DataOf<'objects'>
  readonly show: 'tiles' | 'list' | 'tree'
}): JSX.Element {
  if (objects.length === 0) return <p class="quiet pad">{t('boards.noObjects')}</p>
  return (
    <>
      {show === 'tiles' ? <Tiles objects={objects} /> : <List objects={objects} isTree={show === 'tree'} />}
      {truncated && <p class="label pad-x">{t('boards.truncatedObjects', { count: objects.length })}</p>}
    </>
  )
}

const textOf = ({ deviceName, ...object }: ShownObject): string =>
  deviceName === undefined ? nameOf(object) : `${deviceName} / ${object.name}`

function Tiles({ objects }: { readonly objects: readonly ShownObject[] }): JSX.Element {
  return (
    <ul class="state-tiles">
      {objects.map((object) => (
        <li key={object.id}>
          <ObjectWay
            object={object}
            label={`${textOf(object)}: ${stateWord(object.state)}`}
            data-s={shapeOf(object.state)}
          >
            <StateIcon shape={shapeOf(object.state)} />
          </ObjectWay>
        </li>
      ))}
    </ul>
  )
}

const LEVELS: Readonly<Record<ShownObject['type'], number>> = { group: 0, slo: 0, slc: 0, device: 1, job: 2 }

function List({
  objects,
  isTree,
}: {
  readonly objects: readonly ShownObject[]
  readonly isTree: boolean
}): JSX.Element {
  const rows = isTree ? objects : objects.toSorted((a, b) => rankOf(b.state) - rankOf(a.state))
  return (
    <ul class="board-list">
      {rows.map((object) => (
        <li key={object.id} style={isTree ? { paddingInlineStart: `${1 + LEVELS[object.type]}rem` } : {}}>
          <State state={object.state} look="plain" />
          <ObjectWay object={object} class="cut row">
            <Icon name={object.type === 'slc' ? 'slo' : object.type} />
            <span class="cut">{textOf(object)}</span>
          </ObjectWay>
        </li>
      ))}
    </ul>
  )
}
