import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import type { BunPlugin } from 'bun'
import { Miniflare } from 'miniflare'

import { builtConsole } from '../../workers/bun/build-console.ts'
import { CONSOLE_DIR } from '../../workers/server/console-build.ts'
import { bundleWorker, replaceImport } from './bundle.ts'
import { FAST_DIR } from './fast-dir.ts'
import { ADMIN, TIME_ZONE } from './host.ts'
import type { Host } from './host.ts'
import { migrationStatements } from './migrations.ts'

const SECRET = 'a secret of this test that has 32 characters'
const SETUP_LINK = /https?:[^\s"]*\/session\/setup\?token=[\w-]+/
const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'workers/edge/main.ts')

export type EdgeOptions = {
  /** Where D1 and the objects keep their data; without it nothing outlives the host. */
  readonly dataDir?: string
  readonly variables?: Readonly<Record<string, string>>
  /** Default: a free one. */
  readonly port?: number
  /** Puts another file in place of one of the Worker's. */
  readonly plugin?: BunPlugin
  /** A Worker of the test's own, around that of the service. */
  readonly entry?: string
  /** How passwords are hashed: in steps between other work as in production, with the scrypt of workerd, or by default with
   * `lightHash`. */
  readonly hashing?: keyof typeof HASHING
}

export type EdgeHost = Host & {
  /** Does what a trigger of this name brings about. */
  scheduled(cron: string): Promise<void>
  /** Rows of the system database. */
  sql(text: string): Promise<Rows>
}

type Rows = readonly Readonly<Record<string, unknown>>[]

const replaceHashing = (file: string) =>
  replaceImport('./hashing.ts', join(import.meta.dirname, file), /workers\/edge\/ports\.ts$/)

const HASHING = {
  'in-steps': [],
  platform: [replaceHashing('platform-hashing.ts')],
  light: [replaceHashing('light-hashing.ts')],
} as const

/** For a Worker around that of the service which moves the clock by `setClock`. */
export const HAND_CLOCK = replaceImport(
  './clock.ts',
  join(import.meta.dirname, 'hand-clock.ts'),
  /workers\/edge\//,
)

/** Starts the Worker in workerd, as bundled from `workers/edge`, with D1, R2 and its Durable Objects; offline. */
export async function startEdge({
  dataDir,
  variables = {},
  port = 0,
  plugin,
  entry = MAIN,
  hashing = 'light',
}: EdgeOptions = {}): Promise<EdgeHost> {
  const logs: string[] = []
  await builtConsole()
  const folder = dataDir ?? (await mkdtemp(join(FAST_DIR, 'tidemark-edge-')))
  const miniflare = new Miniflare({
    cf: false,
    port,
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams) stream.on('data', (chunk) => logs.push(...String(chunk).split('\n')))
    },
    d1Persist: join(folder, 'd1'),
    r2Persist: join(folder, 'r2'),
    durableObjectsPersist: join(folder, 'objects'),
    unsafeTriggerHandlers: true,
    logRequests: false,
    workers: [
      {
        name: 'tidemark',
        // Past the Worker of Miniflare that serves assets, which has no `scheduled` and takes 1 ms of a processor for a request.
        routes: ['*/*'],
        modules: [
          {
            type: 'ESModule',
            path: 'main.mjs',
            contents: await bundleWorker(entry, [...(plugin ? [plugin] : []), ...HASHING[hashing]]),
          },
        ],
        compatibilityDate: '2026-04-01',
        compatibilityFlags: ['nodejs_compat', 'global_fetch_strictly_public'],
        // A test reaches only the servers that it runs itself.
        outboundService: { network: { allow: ['local'] } },
        d1Databases: { DB: 'tidemark' },
        r2Buckets: { FILES: 'tidemark-files' },
        assets: {
          directory: CONSOLE_DIR,
          binding: 'ASSETS',
          assetConfig: { html_handling: 'none', not_found_handling: 'none' },
        },
        durableObjects: {
          JOB: { className: 'JobObject', useSQLite: true },
          FLOW: { className: 'FlowObject', useSQLite: true },
          EVENTS: { className: 'EventsObject', useSQLite: true },
          DISPATCH: { className: 'DispatchObject', useSQLite: true },
          PERMITS: { className: 'PermitsObject', useSQLite: true },
          TABLES: { className: 'TablesObject', useSQLite: true },
        },
        bindings: {
          TIDEMARK_SECRET: SECRET,
          TIDEMARK_TIME_ZONE: TIME_ZONE,
          TIDEMARK_ADMIN_PASSWORD: ADMIN.password,
          TIDEMARK_FIRST_OBJECTS: 'off',
          ...variables,
        },
      },
      {
        name: 'database',
        modules: [{ type: 'ESModule', path: 'database.mjs', contents: DATABASE_WORKER }],
        compatibilityDate: '2026-04-01',
        d1Databases: { DB: 'tidemark' },
        unsafeDirectSockets: [{}],
      },
    ],
  })
  const url = await miniflare.ready
  const database = await miniflare.unsafeGetDirectURL('database')
  const batch = async (statements: readonly string[]) =>
    (await (await post(database, JSON.stringify(statements))).json()) as readonly Rows[]
  const sql = async (text: string) => (await batch([text]))[0] ?? []
  const [migrated] = await batch([`select name from sqlite_master where name = 'users'`])
  if (migrated?.length === 0) await batch(await migrationStatements())
  return {
    name: 'edge',
    url: url.origin,
    logs,
    key: new TextEncoder().encode(SECRET),
    setupLink: () => setupLink(url.origin, logs),
    async scheduled(cron) {
      await (
        await post(new URL(`/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`, url), '')
      ).text()
    },
    sql,
    async close() {
      await miniflare.dispose()
      if (dataDir === undefined) await rm(folder, { recursive: true })
    },
  }
}

/** The Worker logs the link on its first request; log lines come a little after the answer. */
async function setupLink(url: string, logs: readonly string[]): Promise<string | null> {
  await (await fetch(`${url}/healthz`)).text()
  for (let tried = 0; tried < 50; tried++) {
    const link = SETUP_LINK.exec(logs.join('\n'))?.[0]
    if (link !== undefined) return link
    await Bun.sleep(20)
  }
  return null
}

/**
 * Runs statements in one batch and answers the rows of each. Miniflare's own way into D1 keeps connections, and workerd closes one that
 * lay idle for 5 s, now and then just as it is used again.
 */
const DATABASE_WORKER = `export default {
  async fetch(request, { DB }) {
    try {
      const statements = (await request.json()).map((text) => DB.prepare(text))
      return Response.json((await DB.batch(statements)).map(({ results }) => results))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}`

async function post(url: URL, body: string): Promise<Response> {
  const response = await fetch(url, { method: 'POST', body, keepalive: false })
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`)
  return response
}
