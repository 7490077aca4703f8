import { expect } from 'bun:test'
import Supercluster from 'supercluster'

import { BOXES, GROUPS, isInBox, PLACES } from '../data/places.ts'
import type { Box, Place } from '../data/places.ts'
import { logIn, PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { hasSourceServer, mariadbServer, SOURCE_PASSWORD, sourceServer } from './source-server.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type Cluster = {
  readonly id: string
  readonly geometry: { readonly type: 'Point'; readonly coordinates: readonly [number, number] }
  readonly properties: {
    readonly cluster?: boolean
    readonly link?: boolean
    readonly point_count?: number
    readonly expansion_zoom?: number
    readonly worstState?: string | null
    readonly states?: Readonly<Record<string, number>>
    readonly aggregates?: Readonly<Record<string, number | null>>
    readonly key?: string | null
    readonly state?: string | null
    readonly from?: string
    readonly to?: string
    readonly count?: number
  }
}
type Answer = {
  readonly features: readonly Cluster[]
  readonly innerLinks: number
  readonly outerLinks: number
  readonly truncated: boolean
}
type Leaves = {
  readonly features: readonly { readonly properties: Readonly<Record<string, unknown>> }[]
  readonly truncated: boolean
}

const COLUMNS = ['id', 'lat', 'lon', 'state', 'load'] as const
/** Links by the ids of places: within a group, between two, to a place without coordinates, and to none. */
const LINKS = [
  [0, 1, 'ok'],
  [0, 8, 'ok'],
  [1, 9, 'major'],
  [8, 0, null],
  [0, PLACES.length - 1, 'ok'],
  [0, 999_999, 'ok'],
] as const

const literal = (value: string | number | null) => (typeof value === 'string' ? `'${value}'` : String(value))
const valuesOf = (rows: readonly (readonly (string | number | null)[])[]) =>
  rows.map((row) => `(${row.map(literal).join(',')})`).join(',')
const csvOf = (names: readonly string[], rows: readonly (readonly (string | number | null)[])[]) =>
  [names, ...rows].map((row) => row.map((cell) => cell ?? '').join(',')).join('\n')

const rowOf = (place: Place) => COLUMNS.map((name) => place[name])
const SCHEMA = `
  create table places (id bigint primary key, lat double precision, lon double precision, state varchar(20), ${'"load"'} double precision);
  insert into places values ${valuesOf(PLACES.map(rowOf))};
  create table links (a bigint, b bigint, state varchar(20));
  insert into links values ${valuesOf(LINKS)};
  create table texts (id bigint primary key, lat varchar(20), lon varchar(20));
  insert into texts values (1, '47.5', '8.5'), (2, 'n/a', '8.5'), (3, '', '8.5'), (4, '47.5', null), (5, '-1e1', '20');`

let prepared: Promise<unknown> | null = null
let made = 0

function tables(): Promise<unknown> {
  return (prepared ??= Promise.all([
    sourceServer().sql(`create schema mapped; set search_path to mapped; ${SCHEMA}
      grant usage on schema mapped to reader; grant select on all tables in schema mapped to reader;`),
    mariadbServer()
      ?.sql(`create database mapped character set utf8mb4; use mapped; ${SCHEMA.replaceAll('"', '`')}
      create user 'mapper'@'%' identified by '${SOURCE_PASSWORD}'; grant select on mapped.* to 'mapper'@'%';`),
  ]))
}

async function importTable(client: Client, source: number, name: string, text: string) {
  const file = await good<{ id: string }>(
    client.request('POST', `/dataSources/${source}/uploads`, {
      text,
      headers: { 'content-type': 'text/csv' },
    }),
  )
  await good(
    client.request('POST', `/dataSources/${source}/import`, { json: { upload: file.id, table: name } }),
  )
}

async function makeImported(client: Client): Promise<number> {
  const json = { name: `mapped files ${++made}`, type: 'csv' }
  const { id } = await good<Made>(client.request('POST', '/dataSources', { json }))
  await importTable(client, id, 'places', csvOf(COLUMNS, PLACES.map(rowOf)))
  await importTable(client, id, 'links', csvOf(['a', 'b', 'state'], LINKS))
  await importTable(client, id, 'texts', 'id,lat,lon\n1,47.5,8.5\n2,n/a,8.5\n3,,8.5\n4,47.5,\n5,-1e1,20')
  return id
}

async function makeDatabase(client: Client, type: 'postgresql' | 'mysql') {
  await tables()
  const isMysql = type === 'mysql'
  const connection = {
    host: '127.0.0.1',
    port: isMysql ? mariadbServer()?.port : sourceServer().port,
    database: isMysql ? 'mapped' : 'postgres',
    ...(isMysql ? {} : { schema: 'mapped' }),
    user: isMysql ? 'mapper' : 'reader',
    password: SOURCE_PASSWORD,
    tls: 'disable',
  }
  const json = { name: `mapped ${type} ${++made}`, type, connection }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

const sources = once(async (client) => {
  const kinds: Record<string, number> = { imported: await makeImported(client) }
  if (hasSourceServer) kinds['postgresql'] = await makeDatabase(client, 'postgresql')
  if (hasSourceServer && mariadbServer()) kinds['mysql'] = await makeDatabase(client, 'mysql')
  return kinds
})

async function published(client: Client, json: object): Promise<number> {
  const { id } = await good<Made>(
    client.request('POST', '/dataQueries', { json: { name: `mapped query ${++made}`, ...json } }),
  )
  await good(client.request('POST', `/dataQueries/${id}/publish`, { json: {} }))
  return id
}

const ON_MAP = 'lat=lat&lon=lon&key=id&state=state&aggregate=SUM:load'
const AGGREGATES = [
  { fn: 'SUM', column: 'load' },
  { fn: 'AVG', column: 'load' },
  { fn: 'MIN', column: 'load' },
  { fn: 'COUNT', column: 'load' },
]
const onMap = (dataSourceId: number, change: object = {}) => ({
  points: {
    dataSourceId,
    table: 'places',
    lat: 'lat',
    lon: 'lon',
    key: 'id',
    state: 'state',
    aggregates: AGGREGATES,
  },
  ...change,
})
const cluster = (client: Client, json: object, as: object = { as: 'Data_Editor' }) =>
  good<Answer>(client.request('POST', '/gis/cluster', { json, ...as }))

const countOf = ({ properties }: Cluster) => (properties.link === true ? 0 : (properties.point_count ?? 1))
const totalOf = ({ features }: Answer) => features.reduce((sum, feature) => sum + countOf(feature), 0)
const inBox = (box: Box) => PLACES.filter((place) => isInBox(place, box))
const WORLD: Box = [-180, -90, 180, 90]

const stage = once(async (client) => {
  const { imported = 0 } = await sources(client)
  const text = 'SELECT * FROM places'
  return { imported, query: await published(client, { dataSourceId: imported, text }) }
})

const AT = 'dataSourceId={imported}&table=places&lat=lat&lon=lon'
const LINES = [
  ['POST /gis/cluster', onMap(1)],
  [`GET /gis/cluster?${AT}`, undefined],
  [`GET /gis/cluster/c0-0-0/leaves?${AT}`, undefined],
  ['GET /dataQuery/{query}/cluster?lat=lat&lon=lon', undefined],
  ['GET /dataQueries/{query}/cluster/c0-0-0/leaves?lat=lat&lon=lon', undefined],
] as const

/** Queries that are refused, each with where it is wrong. */
const WRONG = [
  ['an unknown column', `${AT}&key=nothing`, '?key'],
  ['a latitude of another name', AT.replace('lat=lat', 'lat=y'), '?lat'],
  ['no longitude', AT.replace('&lon=lon', ''), '?lon'],
  ['three numbers', `${AT}&bbox=1,2,3`, '?bbox'],
  ['a text in a box', `${AT}&bbox=1,2,3,x`, '?bbox/3'],
  ['south above north', `${AT}&bbox=1,3,3,2`, '?bbox'],
  ['a latitude of 91', `${AT}&bbox=1,3,3,91`, '?bbox/3'],
  ['a longitude of 541', `${AT}&bbox=1,3,541,4`, '?bbox/2'],
  ['zoom 25', `${AT}&zoom=25`, '?zoom'],
  ['zoom -1', `${AT}&zoom=-1`, '?zoom'],
  ['no radius', `${AT}&radius=0`, '?radius'],
  ['513 pixels', `${AT}&radius=513`, '?radius'],
  ['clusters of one', `${AT}&minPoints=1`, '?minPoints'],
  ['clusters of 1,001', `${AT}&minPoints=1001`, '?minPoints'],
  ['no zoom with clusters', `${AT}&maxZoom=25`, '?maxZoom'],
  ['an unknown function', `${AT}&aggregate=MEDIAN:load`, '?aggregate'],
  ['a sum of states', `${AT}&aggregate=SUM:nothing`, '?aggregate'],
  ['a filter that is not JSON', `${AT}&filter=x`, '?filter'],
  ['21 states', `${AT}&states=${Array.from({ length: 21 }, (_, at) => at).join(',')}`, '?states'],
] as const

const BODY = 'POST /gis/cluster'
const rows: readonly Row[] = [
  ...LINES.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['dashboard_viewer', 'editor', 'collector'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...WRONG.map(([title, query, pointer]): Row => ({
    title,
    call: `GET /gis/cluster?${query}`,
    answers: 'invalid',
    pointers: [pointer],
  })),
  {
    title: 'the greatest values',
    call: `GET /gis/cluster?${AT}&zoom=24&radius=512&minPoints=1000&maxZoom=24`,
    answers: 200,
  },
  {
    title: 'the least values',
    call: `GET /gis/cluster?${AT}&zoom=0&radius=1&minPoints=2&maxZoom=0`,
    answers: 200,
  },
  { title: 'a box around the world', call: `GET /gis/cluster?${AT}&bbox=-540,-90,540,90`, answers: 200 },
  {
    title: 'no data source',
    call: 'GET /gis/cluster?dataSourceId=999999&table=t&lat=a&lon=b',
    answers: 'not_found',
  },
  { title: 'no table', call: `GET /gis/cluster?${AT.replace('places', 'nothing')}`, answers: 'not_found' },
  { title: 'no data query', call: 'GET /dataQueries/999999/cluster?lat=lat&lon=lon', answers: 'not_found' },
  {
    title: 'an unknown column',
    call: 'GET /dataQueries/{query}/cluster?lat=lat&lon=x',
    answers: 'invalid',
    pointers: ['?lon'],
  },
  {
    title: 'an unknown parameter',
    call: 'GET /dataQueries/{query}/cluster?lat=lat&lon=lon&parameters=%7B%22x%22%3A1%7D',
    answers: 'invalid',
    pointers: ['?parameters/x'],
  },
  { title: 'no id', call: `GET /gis/cluster/5/leaves?${AT}`, answers: 'not_found' },
  { title: 'an empty cell', call: `GET /gis/cluster/c0-7-7/leaves?${AT}`, answers: 'not_found' },
  {
    title: 'no leaves',
    call: `GET /gis/cluster/c0-7-7/leaves?${AT}&limit=0`,
    answers: 'invalid',
    pointers: ['?limit'],
  },
  {
    title: '1,001 leaves',
    call: `GET /gis/cluster/c0-7-7/leaves?${AT}&limit=1001`,
    answers: 'invalid',
    pointers: ['?limit'],
  },
  {
    title: 'links without keys',
    call: BODY,
    json: {
      points: { dataSourceId: 1, table: 'places', lat: 'lat', lon: 'lon' },
      links: { dataSourceId: 1, table: 'links', from: 'a', to: 'b' },
    },
    answers: 'invalid',
    pointers: ['/points/key'],
  },
  {
    title: '11 aggregates',
    call: BODY,
    json: {
      points: {
        dataSourceId: 1,
        table: 'places',
        lat: 'lat',
        lon: 'lon',
        aggregates: Array(11).fill(AGGREGATES[0]),
      },
    },
    answers: 'invalid',
  },
]

/** The counts of the clusters that Supercluster makes of the places, in order. */
function oracle(zoom: number): readonly number[] {
  const index = new Supercluster({ radius: 60, extent: 512, maxZoom: 16, minPoints: 2 })
  index.load(
    inBox([-179, -90, 179, 90]).map(({ lat, lon }) => ({
      type: 'Feature' as const,
      properties: {},
      geometry: { type: 'Point' as const, coordinates: [lon ?? 0, lat ?? 0] },
    })),
  )
  return index
    .getClusters([-180, -90, 180, 90], zoom)
    .map(({ properties }) => Number((properties as { point_count?: number }).point_count ?? 1))
    .sort((one, other) => one - other)
}

const life: Scenario[] = [
  {
    title: 'each route goes on as an operation after its wait',
    async run(client) {
      const { imported, query } = await stage(client)
      const ofTable = `dataSourceId=${imported}&table=places&lat=lat&lon=lon&wait=PT0S`
      const places = 'lat=lat&lon=lon&wait=PT0S'
      for (const path of [
        `/gis/cluster?${ofTable}`,
        `/gis/cluster/c0-0-0/leaves?${ofTable}`,
        `/dataQueries/${query}/cluster?${places}`,
        `/dataQueries/${query}/cluster/c0-0-0/leaves?${places}`,
      ])
        expectAnswer(await client.request('GET', path), { answers: 202 })
      const json = onMap(imported)
      expectAnswer(await client.request('POST', '/gis/cluster?wait=PT0S', { json }), { answers: 202 })
    },
  },
  {
    title:
      'the counts in a box add up to its points, also across the date line, at the poles and without area',
    async run(client) {
      for (const [kind, source] of Object.entries(await sources(client)))
        for (const [at, bbox] of (kind === 'postgresql' ? BOXES : BOXES.slice(0, 8)).entries()) {
          const answer = await cluster(client, onMap(source, { bbox, zoom: (at * 3) % 18 }))
          expect(answer.truncated).toBe(false)
          expect([kind, bbox, totalOf(answer)]).toEqual([kind, bbox, inBox(bbox).length])
        }
    },
  },
  {
    title:
      'groups of places have the counts of Supercluster, but for the date line, whose sides it does not join',
    async run(client) {
      const filter = { column: 'lon', op: 'between', values: [-179, 179] }
      for (const [kind, source] of Object.entries(await sources(client)))
        for (const zoom of [5, 6, 7]) {
          const { points, ...rest } = onMap(source, { zoom })
          const { features } = await cluster(client, { points: { ...points, filter }, ...rest })
          const counts = features.map(countOf).sort((one, other) => one - other)
          expect([kind, zoom, counts]).toEqual([kind, zoom, [...oracle(zoom)]])
        }
    },
  },
  {
    title: 'a cluster has its states, the worst one, its aggregates and a place; a single point its key',
    decidedAbovePorts: 'clusters on maps',
    async run(client) {
      for (const source of Object.values(await sources(client))) {
        const { features } = await cluster(client, onMap(source, { zoom: 6, bbox: [8, 47, 9, 48] }))
        const own = PLACES.slice(0, 8)
        expect(features).toHaveLength(1)
        const loads = own.flatMap(({ load }) => load ?? [])
        const sum = loads.reduce((total, load) => total + load, 0)
        expect(features[0]?.properties).toMatchObject({
          cluster: true,
          point_count: 8,
          worstState: 'major',
          states: { major: 1, minor: 1, ok: 4 },
          aggregates: {
            'SUM:load': sum,
            'AVG:load': sum / loads.length,
            'MIN:load': 1.5,
            'COUNT:load': loads.length,
          },
        })
        const [lon = 0, lat = 0] = features[0]?.geometry.coordinates ?? []
        expect([Math.abs(lon - 8.54) < 0.02, Math.abs(lat - 47.37) < 0.02]).toEqual([true, true])
        const others = { zoom: 6, bbox: [8, 47, 9, 48], states: ['unknown', 'ok'] }
        const [other] = (await cluster(client, onMap(source, others))).features
        expect(other?.properties).toMatchObject({ worstState: 'unknown', states: { unknown: 1, ok: 4 } })
        const [alone] = (await cluster(client, onMap(source, { bbox: [0, 0, 0, 0] }))).features
        const origin = PLACES.find(({ lat: y, lon: x }) => y === 0 && x === 0)
        expect(alone).toMatchObject({
          id: `p:${origin?.id}`,
          geometry: { coordinates: [0, 0] },
          properties: { cluster: false, key: String(origin?.id) },
        })
      }
    },
  },
  {
    title:
      'ids stay over refreshes; the expansion zoom parts a cluster; beyond the greatest zoom all points are single',
    async run(client) {
      const { imported } = await stage(client)
      const ids = async (change: object) =>
        (await cluster(client, onMap(imported, change))).features.map(({ id }) => id).sort()
      const before = await ids({ zoom: 5 })
      await importAgain(client, imported)
      expect(await ids({ zoom: 5 })).toEqual(before)
      const bbox = [8, 47, 9, 48]
      const [one] = (await cluster(client, onMap(imported, { zoom: 5, bbox }))).features
      const zoom = one?.properties.expansion_zoom ?? 0
      expect(
        (await cluster(client, onMap(imported, { zoom: zoom + 1, bbox }))).features.length,
      ).toBeGreaterThan(1)
      expect((await cluster(client, onMap(imported, { zoom: zoom - 2, bbox }))).features).toHaveLength(1)
      const singles = await cluster(client, onMap(imported, { zoom: 5, maxZoom: 4, bbox }))
      expect(singles.features.map(({ id }) => id).sort()).toEqual(
        PLACES.slice(0, 8).map(({ id }) => `p:${id}`),
      )
    },
  },
  {
    title: 'cells with fewer points than a cluster needs have single points',
    decidedAbovePorts: 'clusters on maps',
    async run(client) {
      for (const source of Object.values(await sources(client))) {
        const { features } = await cluster(client, onMap(source, { zoom: 6, minPoints: 10 }))
        const single = features.filter(({ properties }) => properties.cluster === false)
        const odd = inBox(WORLD).length - GROUPS.reduce((sum, _, group) => sum + 8 + group * 3, 0)
        expect(single.map(({ id }) => id)).toHaveLength(8 + odd)
        expect(new Set(single.map(({ id }) => id)).size).toBe(8 + odd)
        expect(features.length - single.length).toBe(GROUPS.length - 1)
        const zero = single.find(({ id }) => id === 'p:3')
        expect(zero?.properties).toMatchObject({ key: '3', state: 'major', aggregates: { 'SUM:load': 3.5 } })
      }
    },
  },
  {
    title: 'links collapse onto clusters with their worst state; inner and outer ones are counted',
    decidedAbovePorts: 'clusters on maps',
    async run(client) {
      const all = await sources(client)
      for (const source of Object.values(all)) {
        const links = { dataSourceId: source, table: 'links', from: 'a', to: 'b', state: 'state' }
        const answer = await cluster(client, onMap(source, { zoom: 6, links }))
        const found = answer.features.filter(({ properties }) => properties.link)
        const byCount = new Map(answer.features.map((feature) => [countOf(feature), feature.id]))
        const [zurich, bern] = [byCount.get(8) ?? '', byCount.get(11) ?? '']
        expect(found.map(({ properties }) => properties)).toEqual([
          { link: true, from: zurich, to: bern, count: 2, worstState: 'major' },
          { link: true, from: bern, to: zurich, count: 1, worstState: null },
        ])
        expect([answer.innerLinks, answer.outerLinks]).toEqual([1, 2])
        const single = await cluster(client, onMap(source, { zoom: 6, maxZoom: 5, links }))
        expect(
          single.features
            .filter(({ properties }) => properties.link)
            .map(({ id }) => id)
            .sort(),
        ).toEqual(['l:p:0:p:1', 'l:p:0:p:8', 'l:p:1:p:9', 'l:p:8:p:0'])
      }
      const { imported = 0, postgresql } = all
      if (postgresql === undefined) return
      const text = 'SELECT a, b FROM links WHERE a = ${a}'
      const parameters = [{ name: 'a', type: 'number' }]
      const queryId = await published(client, { dataSourceId: postgresql, text, parameters })
      const links = { queryId, parameters: { a: 1 }, from: 'a', to: 'b' }
      const mixed = await cluster(client, onMap(imported, { zoom: 6, links }))
      expect(mixed.features.filter(({ properties }) => properties.link)).toHaveLength(1)
    },
  },
  {
    title: 'texts that are numbers are places; other texts are not',
    decidedAbovePorts: 'clusters on maps',
    async run(client) {
      for (const source of Object.values(await sources(client))) {
        const points = { dataSourceId: source, table: 'texts', lat: 'lat', lon: 'lon', key: 'id' }
        const { features } = await cluster(client, { points, zoom: 9 })
        const found = new Map(features.map(({ id, geometry }) => [id, geometry.coordinates]))
        expect(Object.fromEntries(found)).toEqual({ 'p:1': [8.5, 47.5], 'p:5': [20, -10] })
        const queryId = await published(client, {
          dataSourceId: source,
          text: "SELECT id, CASE WHEN id = 1 THEN '47.5' ELSE 'n/a' END AS lat, 8.5 AS lon FROM texts",
        })
        const read = await cluster(client, { points: { queryId, lat: 'lat', lon: 'lon', key: 'id' } })
        expect(read.features.map(({ id }) => id)).toEqual(['p:1'])
      }
    },
  },
  {
    title:
      'the result of a data query is clustered with its parameters, and a cluster has its rows as leaves',
    async run(client) {
      for (const source of Object.values(await sources(client))) {
        const queryId = await published(client, {
          dataSourceId: source,
          text: 'SELECT id, lat AS y, lon AS x, state FROM places WHERE id < ${below} -- all',
          parameters: [{ name: 'below', type: 'number', default: 3 }],
        })
        const path = `/dataQuery/${queryId}/cluster`
        const at = 'lat=y&lon=x&key=id&state=state&zoom=6'
        const read = async (query: string) =>
          (await good<Answer>(client.request('GET', `${path}?${query}`, { as: 'Data_Editor' }))).features
        expect((await read(at)).map(countOf)).toEqual([3])
        const parameters = encodeURIComponent(JSON.stringify({ below: 8 }))
        const filter = encodeURIComponent(JSON.stringify({ column: 'id', op: 'gt', value: 1 }))
        const all = `${at}&parameters=${parameters}&filter=${filter}`
        const [first] = await read(all)
        expect(first?.properties.point_count).toBe(6)
        const leaves = async (query: string) =>
          good<Leaves>(client.request('GET', `${path}/${first?.id}/leaves?${query}`, { as: 'Data_Editor' }))
        const pages = [await leaves(`${all}&limit=4`), await leaves(`${all}&limit=4&offset=4`)]
        expect(pages.map(({ truncated }) => truncated)).toEqual([true, false])
        const found = pages.flatMap(({ features }) => features.map(({ properties }) => properties))
        expect(new Set(found.map(({ id }) => Number(id)))).toEqual(new Set([2, 3, 4, 5, 6, 7]))
        expect(Object.keys(found[0] ?? {})).toEqual(['id', 'y', 'x', 'state'])
      }
    },
  },
  {
    title: 'a table is clustered by GET, and its leaves are its rows',
    async run(client) {
      const { imported } = await stage(client)
      const query = `dataSourceId=${imported}&table=places&${ON_MAP}&zoom=6&bbox=170,-30,-170,0`
      const answer = await good<Answer>(client.request('GET', `/gis/cluster?${query}`, { as: 'Data_Editor' }))
      const inside = inBox([170, -30, -170, 0])
      expect(totalOf(answer)).toBe(inside.length)
      const dateLine = answer.features.find(({ properties }) => (properties.point_count ?? 0) > 2)
      expect(dateLine?.properties.point_count).toBe(17)
      expect(Math.abs(dateLine?.geometry.coordinates[0] ?? 0)).toBeGreaterThan(179.9)
      const leaves = await good<Leaves>(
        client.request('GET', `/gis/cluster/${dateLine?.id}/leaves?${query}&limit=100`, {
          as: 'Data_Editor',
        }),
      )
      const ids = leaves.features.map(({ properties }) => Number(properties['id']))
      expect(new Set(ids)).toEqual(new Set(inside.filter(({ lat }) => lat !== 0).map(({ id }) => id)))
      expect(ids).toHaveLength(17)
    },
  },
  {
    title: 'scopes hold in clusters, their states, aggregates, links and leaves',
    decidedAbovePorts: 'clusters on maps',
    async run(client) {
      const source = await makeImported(client)
      const filter = { column: 'id', op: 'lt', value: '${user.properties.below}' }
      const scope = (json: object) =>
        good(
          client.request('POST', `/dataSources/${source}/scopes`, {
            json: { name: `mapped ${++made}`, subjects: { roles: ['Data_Editor'] }, ...json },
          }),
        )
      await scope({ tables: ['places'], filter, hiddenColumns: ['load'] })
      await scope({ tables: ['links'], filter: { column: 'a', op: 'eq', value: 0 } })
      const username = `mapped reader ${++made}`
      const properties = [{ key: 'below', value: '5' }]
      await good(
        client.request('POST', '/users', {
          json: { username, password: PASSWORD, role: 'Data_Editor', properties },
        }),
      )
      const session = await logIn(client, { username, password: PASSWORD })
      const as = { as: null, headers: { 'x-session-id': session } } as const
      const points = {
        dataSourceId: source,
        table: 'places',
        lat: 'lat',
        lon: 'lon',
        key: 'id',
        state: 'state',
      }
      const links = { dataSourceId: source, table: 'links', from: 'a', to: 'b' }
      const answer = await cluster(client, { points, links, zoom: 6 }, as)
      expect(answer.features.map(({ properties: own }) => own)).toMatchObject([
        { point_count: 5, states: { ok: 2 } },
      ])
      expect([answer.innerLinks, answer.outerLinks]).toEqual([1, 3])
      const hidden = { ...points, aggregates: [{ fn: 'SUM', column: 'load' }] }
      expectAnswer(await client.request('POST', '/gis/cluster', { json: { points: hidden }, ...as }), {
        answers: 'invalid',
        pointers: ['/points/aggregates'],
      })
      const at = `dataSourceId=${source}&table=places&lat=lat&lon=lon&zoom=6`
      const leaves = await good<Leaves>(
        client.request('GET', `/gis/cluster/${answer.features[0]?.id}/leaves?${at}`, as),
      )
      expect(leaves.features.map((leaf) => Object.keys(leaf.properties))[0]).toEqual([
        'id',
        'lat',
        'lon',
        'state',
      ])
      expect(leaves.features).toHaveLength(5)
      const id = await published(client, { dataSourceId: source, text: 'SELECT * FROM places' })
      const read = await good<Answer>(
        client.request('GET', `/dataQueries/${id}/cluster?lat=lat&lon=lon&zoom=6`, as),
      )
      expect(totalOf(read)).toBe(5)
    },
  },
]

const importAgain = async (client: Client, source: number) => {
  const text = csvOf(COLUMNS, PLACES.map(rowOf).toReversed())
  const file = await good<{ id: string }>(
    client.request('POST', `/dataSources/${source}/uploads`, {
      text,
      headers: { 'content-type': 'text/csv' },
    }),
  )
  const json = { upload: file.id, table: 'places', mode: 'replace' }
  await good(client.request('POST', `/dataSources/${source}/import`, { json }))
}

export const geoSuite: Suite = { name: 'clusters on maps', scenarios: [...table(stage, rows), ...life] }
