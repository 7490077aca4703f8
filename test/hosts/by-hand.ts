import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { FAST_DIR } from './fast-dir.ts'
import type { OpenStatePipeline } from '../../src/state-pipeline.ts'
import { startServer } from '../../workers/bun/server.ts'
import type { Server } from '../../workers/server/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { lightHash } from './light-hash.ts'
import { HAND_CLOCK, startEdge } from './edge.ts'
import type { Moved } from './hand-worker.ts'
import { ADMIN, TIME_ZONE } from './host.ts'
import type { Host } from './host.ts'
import { HandTime } from './hand-time.ts'
import { engineOf } from './engine-of.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A host whose time passes only when it is told to. */
export interface HostByHand {
  readonly host: Host
  /** Lets time pass; every deadline on the way is noticed when it is due. An earlier instant sets the clock back. */
  moveTo(at: number): Promise<void>
  /** The platform is away until then: nothing is received or noticed meanwhile. */
  awayUntil(at: number): Promise<void>
  /** Does what the host does in the night that follows. */
  passNight(): Promise<void>
  /** Runs a statement in the system database, behind the back of the service. */
  meddle(statement: string): Promise<void>
}

/** What is set besides the usual variables. */
type Variables = Readonly<Record<string, string>>

/** A stall that nothing is as long as: the hand moves the clock by hours. */
const NEVER_MS = Number.POSITIVE_INFINITY
const STALL_MS = 500
const UPKEEP_MS = 20
/** What the log says when a night is over. */
const SWEPT = 'all states were compared'
const DAY_MS = 86_400_000

/** The Bun host. Away means ended, and started anew on the same data. */
async function startBunByHand(variables: Variables = {}): Promise<HostByHand> {
  const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-by-hand-'))
  const settings = readServerSettings({
    TIDEMARK_PORT: '0',
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_TIME_ZONE: TIME_ZONE,
    TIDEMARK_ADMIN_PASSWORD: ADMIN.password,
    TIDEMARK_FIRST_OBJECTS: 'off',
    ...variables,
  })
  const logs: string[] = []
  const log = jsonLog((line) => logs.push(line))
  const time = new HandTime(Date.now())
  const seams = { log, clock: time, upkeepMs: UPKEEP_MS, scrypt: lightHash }
  const start = (stallMs: number) => startServer(settings, { ...seams, stallMs })
  let server = await start(NEVER_MS)
  const again = async (stallMs: number) => {
    await server.close()
    server = await start(stallMs)
  }
  return {
    host: {
      name: 'bun',
      get url() {
        return server.url
      },
      logs,
      key: server.ports.secrets.key.slice(),
      setupLink: () => Promise.resolve(null),
      async close() {
        await server.close()
        await rm(dataDir, { recursive: true })
      },
    },
    async moveTo(at) {
      const [engine, flow, { notifier, dispatch }] = [
        engineOf(server.ports.jobActors),
        flowOf(server),
        server,
      ]
      for (;;) {
        const dueAt = Math.min(
          engine.nextAt,
          engine.nextBandsAt,
          flow.nextAt,
          notifier.nextAt,
          dispatch.nextAt,
        )
        if (dueAt > at) break
        const now = Math.max(time.now(), dueAt)
        time.moveTo(now)
        if (engine.nextAt <= now) {
          await engine.wake(now)
          await engine.settled()
        }
        if (engine.nextBandsAt <= now) await engine.makeBands(now)
        if (flow.nextAt <= now) await flow.runDue()
        if (notifier.nextAt <= now) {
          await notifier.runDue()
          await notifier.sent()
        }
        if (dispatch.nextAt <= now) await dispatch.runDue()
      }
      time.moveTo(at)
      engine.notice(at)
    },
    async awayUntil(at) {
      await server.close()
      time.moveTo(at)
      server = await start(STALL_MS)
      // From here on a clock that leaps is no stall again.
      await again(NEVER_MS)
    },
    async passNight() {
      const nights = () => logs.filter((line) => line.includes(SWEPT)).length
      const before = nights()
      time.moveTo(time.now() + DAY_MS)
      while (nights() === before) await Bun.sleep(UPKEEP_MS)
    },
    async meddle(statement) {
      await server.ports.database.run(sql.raw(statement))
    },
  }
}

function flowOf({ ports }: Server): OpenStatePipeline {
  if (!('nextAt' in ports.flow)) throw new TypeError('This host carries on what changes elsewhere.')
  return ports.flow as OpenStatePipeline
}

/** The cron triggers of the Worker that do upkeep. */
async function crons(): Promise<readonly string[]> {
  const { triggers } = Bun.TOML.parse(await Bun.file(join(ROOT, 'wrangler.toml')).text()) as Triggered
  return triggers.crons.filter((cron) => cron !== MINUTELY)
}

const MINUTELY = '* * * * *'

type Triggered = { readonly triggers: { readonly crons: readonly string[] } }

/** The edge. Away means that alarms ring late, as they do when the platform could not ring them. */
async function startEdgeByHand(variables: Variables = {}): Promise<HostByHand> {
  const entry = join(import.meta.dirname, 'hand-worker.ts')
  const host = await startEdge({ plugin: HAND_CLOCK, entry, variables })
  const move = async (moved: Moved) => {
    const response = await fetch(`${host.url}/by-hand`, { method: 'POST', body: JSON.stringify(moved) })
    if (!response.ok) throw new Error(`The clock could not be moved: ${await response.text()}`)
  }
  let now = Date.now()
  const moveTo = (to: number, cron: string | null = null) => move({ to: (now = to), alarms: 'in time', cron })
  await moveTo(now)
  return {
    host,
    moveTo: (to) => moveTo(to),
    awayUntil: (to) => move({ to: (now = to), alarms: 'late', cron: null }),
    async passNight() {
      for (const cron of await crons()) await moveTo(now + DAY_MS, cron)
    },
    async meddle(statement) {
      await fetch(`${host.url}/by-hand/sql`, { method: 'POST', body: statement })
    },
  }
}

export const HOSTS_BY_HAND = [
  ['bun', startBunByHand],
  ['edge', startEdgeByHand],
] as const
