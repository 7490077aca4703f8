/** What a file of a room is, read from its name or from the folder of that name it lies in. */
export type Part = 'routes' | 'service' | 'store' | 'schema' | 'pure'

/** Where in the house a file lies. */
export type Place =
  | { readonly kind: 'room'; readonly room: string; readonly part: Part }
  | { readonly kind: 'host'; readonly host: string }
  /** The web console, which runs in a browser. */
  | { readonly kind: 'console' }
  | { readonly kind: 'app' | 'state-pipeline' | 'background-jobs' | 'context' | 'db' | Layer }
  | { readonly kind: 'test' | 'tool' | 'unknown' }

/** The folders of `src` without rooms. */
type Layer = 'ports' | 'http' | 'lib' | 'domain' | 'timeseries' | 'templates'

/** The wings of `src`, lowest floor first; a room is a folder of a wing. A wing imports only itself and lower floors. */
const WINGS = [
  ['access'],
  ['operations'],
  ['content'],
  ['monitoring', 'data'],
  ['automation'],
  ['analytics'],
] as const

/** The sub-rooms of the engine, lowest first: each imports only itself and those before it. */
const ENGINE_FLOORS = [
  'host',
  'store',
  'blocks',
  'head',
  'wal',
  'flush',
  'retention',
  'query',
  'bands',
  'ingest',
  'recovery',
  'transfer',
  'service',
]
const ENGINE = 'monitoring/engine'
/** Sub-rooms of the engine that read and write its tables. */
const ENGINE_SERVICES = new Set(ENGINE_FLOORS.slice(ENGINE_FLOORS.indexOf('wal')))

/** The files right under `workers`, and in shared folders: what the hosts have in common, which knows none of them. */
export const COMMON = ''
const SHARED = new Set(['databases', 'server'])

const PARTS: ReadonlySet<string> = new Set<Part>(['routes', 'service', 'store', 'schema'])

/** Tells where a path, relative to the repository's root, lies in the house. */
export function placeOf(path: string): Place {
  const [top = '', second = '', ...rest] = path.split('/')
  if (second === '' || path.endsWith('.config.ts')) return { kind: 'tool' }
  if (top === 'src') return placeInSource(second, rest)
  if (top === 'workers')
    return { kind: 'host', host: rest.length > 0 && !SHARED.has(second) ? second : COMMON }
  if (top === 'db' || top === 'test') return { kind: top }
  if (top === 'clients') return { kind: 'tool' }
  return { kind: 'unknown' }
}

function placeInSource(second: string, rest: readonly string[]): Place {
  if (second === 'console') return { kind: 'console' }
  const [room = '', ...within] = rest
  if (wingFloorOf(second) >= 0 && within.length > 0) {
    return { kind: 'room', room: `${second}/${room}`, part: partOf(`${second}/${room}`, within) }
  }
  const single = stem(second)
  if (rest.length === 0 && isSingle(single)) return { kind: single }
  if (rest.length > 0 && isLayer(second)) return { kind: second }
  return { kind: 'unknown' }
}

function partOf(room: string, within: readonly string[]): Part {
  const named = within.map(stem).find(isPart)
  if (named) return named
  return room === ENGINE && ENGINE_SERVICES.has(stem(within[0] ?? '')) ? 'service' : 'pure'
}

/** The floor of a wing; -1 for a folder that is no wing. */
export function wingFloorOf(wing: string): number {
  return WINGS.findIndex((floor) => floor.some((name) => name === wing))
}

/** The floor of a file of the engine; undefined for every other file. */
export function engineFloorOf(path: string): number | undefined {
  const [, floor] = /^src\/monitoring\/engine\/([a-z-]+)/.exec(path) ?? []
  return floor === undefined ? undefined : ENGINE_FLOORS.indexOf(floor)
}

const isSingle = (name: string) =>
  name === 'app' || name === 'state-pipeline' || name === 'background-jobs' || name === 'context'

const LAYERS: ReadonlySet<string> = new Set<Layer>([
  'ports',
  'http',
  'lib',
  'domain',
  'timeseries',
  'templates',
])

const isLayer = (name: string): name is Layer => LAYERS.has(name)

const isPart = (name: string): name is Part => PARTS.has(name)

/** A file's name up to its first dot: `actor.test.ts` belongs to `actor`. */
export function stem(name: string): string {
  return name.split('.', 1)[0] ?? name
}

/** Whether a file holds TypeScript. */
export const isSource = (path: string) => /\.tsx?$/.test(path)

export const isTestFile = (path: string) => path.endsWith('.test.ts')

/** The path that a relative specifier names, seen from the file that imports it. */
export function resolve(from: string, specifier: string): string {
  const path = from.split('/').slice(0, -1)
  for (const segment of specifier.split('/')) {
    if (segment === '..') path.pop()
    else if (segment !== '.') path.push(segment)
  }
  return path.join('/')
}
