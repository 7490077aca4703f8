import type { JSX } from 'preact'

import { WordField } from '../../../kit/word-field.tsx'
import { t } from '../../../language/t.ts'
import type { Widget, WidgetOf } from '../dashboard.ts'
import { FIRST_POINTS } from './first-values.ts'
import { ObjectField, RowColumnField, ThingField } from './fields.tsx'

type Objects = WidgetOf<'states'>['objects']
type Points = WidgetOf<'map'>['points']

const TYPES = ['all', 'group', 'device', 'job', 'slo', 'slc'] as const
const COLUMNS = ['lat', 'lon', 'state', 'label'] as const
const isOptional = (column: (typeof COLUMNS)[number]): boolean => column === 'state' || column === 'label'

/** The objects below a group, of one type or of all. */
export function ObjectsFields({
  objects,
  onChange,
}: {
  readonly objects: Objects
  readonly onChange: (objects: Objects) => void
}): JSX.Element {
  return (
    <>
      <ObjectField
        label={t('boards.below')}
        type="group"
        id={objects.groupId}
        onId={(groupId) => onChange({ ...objects, groupId })}
      />
      <WordField
        label={t('boards.objectType')}
        textOf={(word) => t(`boards.objectType.${word}`)}
        words={TYPES}
        value={objects.type ?? 'all'}
        onValue={(type) => onChange({ ...objects, type: type === 'all' ? null : type })}
      />
    </>
  )
}

/** The places on a map: rows with their columns of degrees, or objects with a place. */
export function PointsFields({
  widget,
  onChange,
}: {
  readonly widget: WidgetOf<'map'>
  readonly onChange: (widget: Widget) => void
}): JSX.Element {
  const { points } = widget
  const put = (next: Points): void => onChange({ ...widget, points: next })
  return (
    <>
      <WordField
        label={t('boards.source')}
        textOf={(word) => t(`boards.source.${word}`)}
        words={['dataQuery', 'objects']}
        value={points.type}
        onValue={(type) => put(FIRST_POINTS[type])}
      />
      {points.type === 'objects' ? (
        <ObjectsFields objects={points.objects} onChange={(objects) => put({ ...points, objects })} />
      ) : (
        <>
          <ThingField
            label={t('boards.query')}
            route="/dataQueries"
            id={points.dataQueryId}
            onId={(dataQueryId) => put({ ...points, dataQueryId })}
          />
          {COLUMNS.map((column) => (
            <RowColumnField
              key={column}
              label={t(`boards.point.${column}`)}
              value={points[column] ?? ''}
              {...(isOptional(column) && { none: t('boards.noColumn') })}
              onValue={(name) =>
                put({ ...points, [column]: name === '' && isOptional(column) ? null : name })
              }
            />
          ))}
        </>
      )}
    </>
  )
}
