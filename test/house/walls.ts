import { builtinModules } from 'node:module'
import {
  COMMON,
  engineFloorOf,
  isTestFile,
  type Part,
  type Place,
  placeOf,
  resolve,
  wingFloorOf,
} from './places.ts'
import type { Import } from './source-text.ts'

/** One import, with the places at its two ends. */
export type Edge = {
  readonly path: string
  readonly from: Place
  readonly import: Import
  /** What is imported: a path of the repository, or a package with what follows its name. */
  readonly to: string
  /** Where it lies; undefined for a package. */
  readonly into: Place | undefined
}

/** The edge that an import draws; undefined when the import computes its target. */
export function edgeOf(path: string, imported: Import): Edge | undefined {
  const { specifier } = imported
  if (specifier === undefined) return undefined
  const isRelative = specifier.startsWith('.')
  const to = isRelative ? resolve(path, specifier) : specifier
  const into = isRelative || /^(?:src|workers|db|test)\//.test(to) ? placeOf(to) : undefined
  return { path, from: placeOf(path), import: imported, to, into }
}

/** Says which wall an import breaks, or undefined. The walls are those of `src/README.md`, in its numbers. */
export function brokenWall(edge: Edge): { rule: string; detail: string } | undefined {
  if (edge.from.kind === 'test' || edge.from.kind === 'tool') return undefined
  for (const [rule, check] of WALLS) {
    const detail = check(edge)
    if (detail !== undefined) return { rule, detail }
  }
  return undefined
}

const WALLS: readonly (readonly [rule: string, check: (edge: Edge) => string | undefined])[] = [
  ['only tests import tests', onlyTestsImportTests],
  ['wall 10: the console stands alone', consoleStandsAlone],
  ['wall 1: src and db import no host', importsNoHost],
  ['wall 4: leaves, ports and http know no room', leavesStandAlone],
  ['wall 5: hosts enter by the front door', hostsEnterByTheFrontDoor],
  ['wall 2: tables and Drizzle are for stores', drizzleIsForStores],
  ['wall 2: Hono is for routes', honoIsForRoutes],
  ['wall 3: a room keeps its store and routes private', roomsArePrivate],
  ['wall 3: a room has one inner order', innerOrder],
  ['wall 3: the engine has floors', engineFloors],
  ['wall 3: wings import downwards', wingsImportDownwards],
]

function onlyTestsImportTests({ path, to, into }: Edge): string | undefined {
  if (isTestFile(path)) return undefined
  return into?.kind === 'test' || isTestFile(to) ? `${to} is a test's` : undefined
}

/** The console speaks to the service by its API only: it shares no file with the service, in either direction. */
function consoleStandsAlone({ path, from, to, into }: Edge): string | undefined {
  if (from.kind === 'console')
    return into === undefined || into.kind === 'console' || isTestFile(path)
      ? undefined
      : `${to} is the service's`
  return into?.kind === 'console' && !isTestFile(path) ? `${to} is the console's` : undefined
}

const HOST_PACKAGE =
  /^(?:node:|bun(?:$|[:/])|cloudflare:|@cloudflare\/|@libsql\/|(?:libsql|miniflare|wrangler|workerd)(?:$|\/))/
const DRIZZLE = /^drizzle-(?:orm|kit)(?:$|\/)/
const HONO = /^(?:hono(?:$|\/)|@hono\/|hono-openapi(?:$|\/))/
// The rest of drizzle-orm's entries are drivers, and a driver is a host's.
const DRIZZLE_WITHOUT_DRIVER = /^drizzle-orm(?:$|\/(?:sqlite-core|batch|sql|relations|utils)(?:$|\/))/
const NODE_BUILT_IN = new Set(builtinModules)

function importsNoHost({ path, from, to, into }: Edge): string | undefined {
  if (from.kind === 'host') return undefined
  if (into !== undefined) return into.kind === 'host' ? `${to} is a host's` : undefined
  if (isTestFile(path) && /^(?:node:|bun(?:$|:))/.test(to)) return undefined
  const isDriver = DRIZZLE.test(to) && !DRIZZLE_WITHOUT_DRIVER.test(to)
  return HOST_PACKAGE.test(to) || NODE_BUILT_IN.has(to) || isDriver ? `${to} is a host's` : undefined
}

const LEAVES: Partial<Record<Place['kind'], ReadonlySet<Place['kind']>>> = {
  lib: new Set(['lib']),
  db: new Set(['db']),
  domain: new Set(['domain', 'lib']),
  timeseries: new Set(['timeseries', 'domain', 'lib']),
  templates: new Set(['templates', 'lib']),
  ports: new Set(['ports', 'domain', 'lib']),
  http: new Set(['http', 'context', 'ports', 'domain', 'lib']),
}

function leavesStandAlone({ from, to, into }: Edge): string | undefined {
  const mayImport = LEAVES[from.kind]
  if (mayImport === undefined || into === undefined || into.kind === 'test') return undefined
  return mayImport.has(into.kind) ? undefined : `${from.kind} stands on ${to}`
}

const OPEN_TO_HOSTS: ReadonlySet<Place['kind']> = new Set([
  ...(['app', 'state-pipeline', 'background-jobs', 'context', 'ports', 'domain', 'lib', 'db'] as const),
  ...(['test', 'tool'] as const),
])

function hostsEnterByTheFrontDoor({ from, to, into }: Edge): string | undefined {
  if (from.kind !== 'host' || into === undefined || OPEN_TO_HOSTS.has(into.kind)) return undefined
  if (into.kind === 'host') {
    return into.host === from.host || into.host === COMMON ? undefined : `${to} is another host's`
  }
  if (into.kind === 'room' && (into.part === 'service' || into.part === 'pure')) return undefined
  return `${to} is closed to hosts`
}

function drizzleIsForStores({ path, from, import: imported, to, into }: Edge): string | undefined {
  if (from.kind === 'db' || from.kind === 'host' || (from.kind === 'room' && from.part === 'store'))
    return undefined
  if (into?.kind === 'db') return `${to} is for stores`
  const isDatabasePort = path === 'src/ports/database.ts' && imported.isTypeOnly
  return DRIZZLE.test(to) && !isDatabasePort ? `${to} is for stores` : undefined
}

function honoIsForRoutes({ from, to, into }: Edge): string | undefined {
  if (into !== undefined || !HONO.test(to)) return undefined
  const isAtHome =
    from.kind === 'http' || from.kind === 'app' || (from.kind === 'room' && from.part === 'routes')
  return isAtHome ? undefined : `${to} is for routes`
}

function roomsArePrivate({ from, to, into }: Edge): string | undefined {
  if (into?.kind !== 'room' || (into.part !== 'store' && into.part !== 'routes')) return undefined
  if (from.kind === 'room' && from.room === into.room) return undefined
  return from.kind === 'app' && into.part === 'routes' ? undefined : `${to} is private to ${into.room}`
}

const RANK: Record<Part, number> = { routes: 4, service: 3, store: 2, schema: 1, pure: 1 }

function innerOrder({ path, from, import: imported, to, into }: Edge): string | undefined {
  if (from.kind !== 'room' || into?.kind !== 'room' || isTestFile(path)) return undefined
  // The engine has floors instead.
  if (engineFloorOf(path) !== undefined && engineFloorOf(to) !== undefined) return undefined
  // A pure file may name the shape of the rows it works on; it may not fetch them.
  if (imported.isTypeOnly && from.room === into.room) return undefined
  if (from.part === 'routes' && into.part === 'store') return `routes reach past the service for ${to}`
  return RANK[from.part] < RANK[into.part] ? `${from.part} stands on ${to}` : undefined
}

function engineFloors({ path, to }: Edge): string | undefined {
  const [from, into] = [engineFloorOf(path), engineFloorOf(to)]
  if (from === undefined || into === undefined || isTestFile(path) || into <= from) return undefined
  return `a lower floor stands on ${to}`
}

function wingsImportDownwards({ path, from, to, into }: Edge): string | undefined {
  if (from.kind !== 'room' || into?.kind !== 'room' || isTestFile(path)) return undefined
  const [[wing = ''], [other = '']] = [from.room.split('/'), into.room.split('/')]
  return wing === other || wingFloorOf(other) < wingFloorOf(wing) ? undefined : `${wing} stands on ${to}`
}

/** Which node imports which, each with the first import that says so. Nodes are rooms or files. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Edge>>

/** The circles among rooms, each as the imports that draw it, in order. Tests draw none. */
export function circlesOfRooms(edges: readonly Edge[]): Edge[][] {
  return circles(edges, ({ path, from, into }) =>
    from.kind !== 'room' || into?.kind !== 'room' || isTestFile(path) ? undefined : [from.room, into.room],
  )
}

/** The circles among files of `src` and `workers`, types included. The environment of the Worker is exempt: the types of its
 * bindings name the classes of its Durable Objects, and these read the environment. */
export function circlesOfFiles(edges: readonly Edge[]): Edge[][] {
  return circles(edges, ({ path, to, into, import: { isTypeOnly } }) =>
    into === undefined ||
    !/^(?:src|workers)\//.test(path) ||
    isTestFile(path) ||
    (path === 'workers/edge/environment.ts' && isTypeOnly)
      ? undefined
      : [path, to],
  )
}

function circles(
  edges: readonly Edge[],
  endsOf: (edge: Edge) => readonly [from: string, to: string] | undefined,
): Edge[][] {
  const graph = new Map<string, Map<string, Edge>>()
  for (const edge of edges) {
    const [from, to] = endsOf(edge) ?? []
    if (from === undefined || to === undefined || from === to) continue
    const outgoing = graph.get(from) ?? new Map<string, Edge>()
    if (!outgoing.has(to)) outgoing.set(to, edge)
    graph.set(from, outgoing)
  }
  dropEnds(graph)
  const found: Edge[][] = []
  const isNamed = new Set<Edge>()
  for (const node of [...graph.keys()].toSorted()) {
    const circle = wayBack(graph, node)
    if (circle === undefined || circle.some((edge) => isNamed.has(edge))) continue
    found.push(circle)
    for (const edge of circle) isNamed.add(edge)
  }
  return found
}

/** Removes nodes that import no node that is left, until every node does: what is left leads into circles. */
function dropEnds(graph: Map<string, Map<string, Edge>>): void {
  for (let size = -1; size !== graph.size;) {
    size = graph.size
    for (const [node, outgoing] of graph) {
      for (const to of outgoing.keys()) if (!graph.has(to)) outgoing.delete(to)
      if (outgoing.size === 0) graph.delete(node)
    }
  }
}

/** The shortest way from a node back to itself, breadth first. */
function wayBack(graph: Graph, start: string): Edge[] | undefined {
  const seen = new Set<string>()
  let ways: [node: string, way: Edge[]][] = [[start, []]]
  while (ways.length > 0) {
    const further: typeof ways = []
    for (const [at, way] of ways) {
      for (const [node, edge] of graph.get(at) ?? []) {
        if (node === start) return [...way, edge]
        if (!seen.has(node)) further.push([node, [...way, edge]])
        seen.add(node)
      }
    }
    ways = further
  }
  return undefined
}
