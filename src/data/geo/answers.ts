import * as z from 'zod'

const numbers = z
  .record(z.string(), z.number().nullable())
  .describe('The aggregates by their function and column. Null without numbers.')
  .meta({ examples: [{ 'SUM:amount': 12.5 }] })
const worstState = z.string().nullable().describe('The first of `states` that a point has; null for none.')
const position = z.tuple([z.number(), z.number()]).describe('Longitude and latitude.')
const pointGeometry = z.object({ type: z.literal('Point'), coordinates: position })

const clusterFeature = z.object({
  type: z.literal('Feature'),
  id: z.string().meta({ examples: ['c5-133-89'] }),
  geometry: pointGeometry,
  properties: z.object({
    cluster: z.literal(true),
    cluster_id: z.string().meta({ examples: ['c5-133-89'] }),
    point_count: z.int(),
    point_count_abbreviated: z.string().meta({ examples: ['1.2k'] }),
    expansion_zoom: z.int().describe('The zoom from which on it may be several.'),
    bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]).describe('The box of its points.'),
    worstState,
    states: z
      .record(z.string(), z.int())
      .describe('The number of points by state, without states that are not in `states`.')
      .meta({ examples: [{ ok: 220, major: 11 }] }),
    aggregates: numbers,
  }),
})
const pointFeature = z.object({
  type: z.literal('Feature'),
  id: z.string().meta({ examples: ['p:77'] }),
  geometry: pointGeometry,
  properties: z.object({
    cluster: z.literal(false),
    key: z.string().nullable().describe('The value of `key`, as text.'),
    state: z.string().nullable().describe('The one of `states` that the point has; null for others.'),
    aggregates: numbers,
  }),
})
const linkFeature = z.object({
  type: z.literal('Feature'),
  id: z.string().meta({ examples: ['l:c5-133-89:p:77'] }),
  geometry: z.object({ type: z.literal('LineString'), coordinates: z.tuple([position, position]) }),
  properties: z.object({
    link: z.literal(true),
    from: z.string().describe('The id of a cluster or a point.'),
    to: z.string().describe('The id of a cluster or a point.'),
    count: z.int().describe('The number of links.'),
    worstState,
  }),
})

export const clusterView = z
  .object({
    type: z.literal('FeatureCollection'),
    zoom: z.int(),
    features: z.array(z.union([clusterFeature, pointFeature, linkFeature])),
    innerLinks: z.int().describe('The number of links within one cluster, which are left out.'),
    outerLinks: z.int().describe('The number of links of which an end is not in the box.'),
    truncated: z
      .boolean()
      .describe(
        'Whether there are more features than an answer may have. Choose a smaller box or a smaller zoom.',
      ),
    durationMs: z.int().describe('The duration of the statements in milliseconds.'),
  })
  .meta({ id: 'GeoClusters' })

export const leavesView = z
  .object({
    type: z.literal('FeatureCollection'),
    features: z.array(
      z.object({
        type: z.literal('Feature'),
        geometry: pointGeometry,
        properties: z
          .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
          .describe('The columns of the row; of more than 90, the first 90.')
          .meta({ examples: [{ id: 77, name: 'Mill' }] }),
      }),
    ),
    truncated: z.boolean().describe('Whether there are more points than `limit`.'),
  })
  .meta({ id: 'GeoLeaves' })

export type ClusterView = z.output<typeof clusterView>
export type LeavesView = z.output<typeof leavesView>
