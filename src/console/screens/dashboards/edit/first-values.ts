import type { WidgetOf } from '../dashboard.ts'

/** The value of a job that widgets show at first. */
const FIRST_KEY = 'returnValue1'

/** All objects. */
export const EVERY_OBJECT: WidgetOf<'states'>['objects'] = { ids: [], groupId: 1, type: null }

/** The sources of a value that nothing is known of yet. */
export const FIRST_SOURCES = {
  job: { type: 'job', jobId: null, key: FIRST_KEY },
  dataQuery: { type: 'dataQuery', dataQueryId: null, column: 'value', aggregate: 'first' },
  forecast: { type: 'forecast', forecastId: null, group: {}, ahead: 'PT0S' },
} as const satisfies { readonly [T in Source['type']]: Extract<Source, { type: T }> }

/** The sources of the places on a map. */
export const FIRST_POINTS = {
  objects: { type: 'objects', objects: EVERY_OBJECT },
  dataQuery: { type: 'dataQuery', dataQueryId: null, lat: 'lat', lon: 'lon', state: null, label: null },
} as const satisfies { readonly [T in Points['type']]: Extract<Points, { type: T }> }

/** A series of a history before its job is chosen. */
export const FIRST_SERIES: WidgetOf<'history'>['series'][number] = {
  jobId: null,
  key: FIRST_KEY,
  mode: 'avg',
  color: null,
  axis: 'left',
}

type Source = WidgetOf<'value'>['source']
type Points = WidgetOf<'map'>['points']
