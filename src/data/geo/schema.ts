import * as z from 'zod'
import { STATES } from '../../domain/state.ts'
import { idParam } from '../../http/openapi-answers.ts'
import { storableText } from '../../http/text-schemas.ts'
import { pageLimit } from '../../http/paging.ts'
import { waitQuery } from '../../operations/work/schema.ts'
import { filterSchema } from '../filters/schema.ts'
import { filterQuery, jsonQuery } from '../selection/schema.ts'
import { parameterValues } from '../queries/run-schema.ts'

const NAME_MAX = 255
const ZOOM_MAX = 24
const RADIUS_MAX = 512
const POINTS_MIN_MAX = 1_000
const STATES_MAX = 20
const AGGREGATES_MAX = 10
const LEAVES_MAX = 1_000
const OFFSET_MAX = 1_000_000_000
const PARAMETERS_MAX_CHARS = 15_000

const FUNCTIONS = ['SUM', 'AVG', 'MIN', 'MAX', 'COUNT'] as const

const column = storableText.min(1).max(NAME_MAX)
const lat = column.describe('The column with the latitude, in degrees.')
const lon = column.describe('The column with the longitude, in degrees.')
const key = column
  .optional()
  .describe('The column whose values identify points. Links name points by these values.')
const state = column.optional().describe('The column with the state of a point.')
const linkState = column.optional().describe('The column with the state of a link.')

const degrees = (most: number) => z.number().min(-most).max(most)
const longitude = degrees(540)
const latitude = degrees(90)
const box = z
  .tuple([longitude, latitude, longitude, latitude])
  .refine(([, south, , north]) => south <= north, 'must have its south below its north')
const BOX_TEXT =
  'West, south, east and north in degrees. West is greater than east where the box crosses the date line.'
const WORLD: [number, number, number, number] = [-180, -90, 180, 90]

const zoom = z
  .int()
  .min(0)
  .max(ZOOM_MAX)
  .describe('The zoom of the map, on which a tile of 512 pixels is the world at 0.')
const radius = z
  .int()
  .min(1)
  .max(RADIUS_MAX)
  .describe('The pixels within which points are one cluster; by default 60.')
const minPoints = z
  .int()
  .min(2)
  .max(POINTS_MIN_MAX)
  .describe('The smallest number of points of a cluster; by default 2.')
const maxZoom = z
  .int()
  .min(0)
  .max(ZOOM_MAX)
  .describe('The greatest zoom with clusters; beyond it all points are single. By default 16.')
const RADIUS_DEFAULT = 60
const MIN_POINTS_DEFAULT = 2
const MAX_ZOOM_DEFAULT = 16

const stateNames = z
  .array(storableText.min(1).max(NAME_MAX))
  .max(STATES_MAX)
  .describe(
    'The states in their order, the worst first, in any letter case; by default the states of Tidemark.',
  )

const aggregate = z.strictObject({ fn: z.enum(FUNCTIONS), column: column.describe('A column of numbers.') })

const filter = filterSchema.optional().describe('The rows that count.')
const table = column.describe('The name of a table or view.')
const dataSourceId = z.int().positive().describe('The data source.')
const queryId = z.int().positive().describe('The data query, of which the published version counts.')

/** A source by the field that tells the forms apart. */
const sourced = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.union([
    z.strictObject({ dataSourceId, table, filter, ...shape }),
    z.strictObject({ queryId, parameters: parameterValues, filter, ...shape }),
  ])

export const clusterBody = z
  .strictObject({
    points: sourced({ lat, lon, key, state, aggregates: z.array(aggregate).max(AGGREGATES_MAX).default([]) }),
    links: sourced({
      from: column.describe('The column with the key of the point where a link begins.'),
      to: column.describe('The column with the key of the point where a link ends.'),
      state: linkState,
    })
      .optional()
      .describe('Links between points, by their keys.'),
    bbox: box.default(WORLD).describe(`${BOX_TEXT} By default the world.`),
    zoom: zoom.default(0),
    radius: radius.default(RADIUS_DEFAULT),
    minPoints: minPoints.default(MIN_POINTS_DEFAULT),
    maxZoom: maxZoom.default(MAX_ZOOM_DEFAULT),
    states: stateNames.default([...STATES]),
  })
  .meta({
    examples: [
      {
        points: { dataSourceId: 1, table: 'plants', lat: 'lat', lon: 'lon', key: 'id', state: 'state' },
        bbox: [5.9, 45.8, 10.5, 47.8],
        zoom: 7,
      },
    ],
  })

const numberList = z
  .string()
  .max(200)
  .transform((text) => text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part))))

/** Repeated parameters as a list. */
const listOf = <Item extends z.ZodType<unknown, string>>(one: Item, max: number) =>
  z.union([one.transform((value) => [value]), z.array(one).max(max)])

const AGGREGATE = /^(SUM|AVG|MIN|MAX|COUNT):(.+)$/s
const aggregateQuery = storableText
  .max(NAME_MAX + 10)
  .regex(AGGREGATE, 'must be a function and a column, such as SUM:amount')
  .transform((text): { fn: (typeof FUNCTIONS)[number]; column: string } => {
    const [, fn, of = ''] = AGGREGATE.exec(text) ?? []
    return { fn: FUNCTIONS.find((one) => one === fn) ?? 'SUM', column: of }
  })

const coerced = (schema: z.ZodInt, byDefault: number) =>
  z.coerce
    .number()
    .pipe(schema)
    .default(byDefault)
    .describe(schema.description ?? '')

const pointsQuery = {
  lat,
  lon,
  key,
  state,
  aggregate: listOf(aggregateQuery, AGGREGATES_MAX)
    .default([])
    .describe('`SUM:column`, or AVG, MIN, MAX or COUNT of a column of numbers; can be repeated.'),
  bbox: numberList
    .pipe(box)
    .default(WORLD)
    .describe(`${BOX_TEXT} With commas between them; by default the world.`)
    .meta({ type: 'string', examples: ['5.9,45.8,10.5,47.8'] }),
  zoom: coerced(zoom, 0),
  radius: coerced(radius, RADIUS_DEFAULT),
  minPoints: coerced(minPoints, MIN_POINTS_DEFAULT),
  maxZoom: coerced(maxZoom, MAX_ZOOM_DEFAULT),
  states: storableText
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(stateNames)
    .default([...STATES])
    .describe(
      'The states with commas between them, the worst first, in any letter case; by default the states of Tidemark.',
    )
    .meta({ type: 'string', examples: ['major,minor,ok'] }),
  filter: filterQuery,
  wait: waitQuery('How long to wait for the result; by default 30 seconds. Then the answer is 202.'),
}
const leavesShape = {
  limit: pageLimit(LEAVES_MAX).default(10).describe('The number of points.'),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(OFFSET_MAX)
    .default(0)
    .describe('The number of points to leave out before the first one.'),
}

export const tableClusterQuery = z.object({
  ...pointsQuery,
  dataSourceId: idParam.describe('The data source.'),
  table,
})
export const queryClusterQuery = z.object({
  ...pointsQuery,
  parameters: jsonQuery(parameterValues, PARAMETERS_MAX_CHARS)
    .default({})
    .describe('Values of the parameters of the data query by their names, as JSON.')
    .meta({ type: 'string', examples: ['{"region":"north"}'] }),
})
export const tableLeavesQuery = tableClusterQuery.extend(leavesShape)
export const queryLeavesQuery = queryClusterQuery.extend(leavesShape)

const cluster = z
  .string()
  .regex(/^c\d{1,2}-\d{1,11}-\d{1,11}$/, 'must be the id of a cluster')
  .describe('The id of the cluster, in the answer to the same query.')
export const leavesPath = z.object({ cluster })
export const queryLeavesPath = z.object({ id: idParam, cluster })

export type ClusterBody = z.output<typeof clusterBody>
export type Aggregate = z.output<typeof aggregate>
type PointsQuery = Omit<z.output<typeof queryClusterQuery>, 'parameters' | 'wait'>

/** A request in the query as a body. */
export function bodyOf(
  source:
    | { dataSourceId: number; table: string }
    | (Pick<z.output<typeof queryClusterQuery>, 'parameters'> & { queryId: number }),
  { lat: la, lon: lo, key: k, state: s, aggregate: aggregates, filter: f, ...map }: PointsQuery,
): ClusterBody {
  const { bbox, zoom: z0, radius: r, minPoints: least, maxZoom: most, states } = map
  return {
    points: {
      ...source,
      lat: la,
      lon: lo,
      aggregates,
      ...(k !== undefined && { key: k }),
      ...(s !== undefined && { state: s }),
      ...(f !== undefined && { filter: f }),
    },
    bbox,
    zoom: z0,
    radius: r,
    minPoints: least,
    maxZoom: most,
    states,
  }
}
