import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { prepareFirstStart } from '../../src/access/session/service/first-start.ts'
import { createApp } from '../../src/app.ts'
import type { App } from '../../src/app.ts'
import { openDispatch } from '../../src/automation/runs/service.ts'
import type { OpenDispatch } from '../../src/automation/runs/service.ts'
import { schedules } from '../../src/automation/schedules/service.ts'
import { openFlow } from '../../src/flow.ts'
import { BEAT_MS, Hub } from '../../src/monitoring/events/service.ts'
import { openPost } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Post } from '../../src/monitoring/notifications/outbox/service.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { Transition } from '../../src/ports/job-actors.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Secrets } from '../../src/ports/secrets.ts'
import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { catchUp, keepUp, lookThrough } from '../../src/upkeep.ts'
import { jsonLog } from '../json-log.ts'
import { openLdap } from '../ldap.ts'
import { openMail } from '../mail.ts'
import { secretsOf } from '../secrets.ts'
import { openBlobsDirectory } from './blobs-directory.ts'
import { watchFlow } from './flow-watch.ts'
import { scryptInThreads } from './hashing.ts'
import { openKeeping } from './keeping.ts'
import type { Keeping } from './keeping.ts'
import { readFormerKeys, readKeyFile, runnerTokenOf } from './key-file.ts'
import { migrate, openLibsql } from './libsql.ts'
import type { Libsql } from './libsql.ts'
import { openNetwork } from './network.ts'
import type { BunSettings } from './settings.ts'
import { aFewInTurn } from './pace.ts'
import { watchRoom } from './room.ts'
import type { Room } from './room.ts'
import { inFewSends } from './sends.ts'
import { freeBytesInside, valuesInLibsql } from './values.ts'

/** The application bounds every body that it reads, and says so in a problem document; Bun would not. */
const BODY_MAX_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
const DRAIN_MAX_MS = 10_000
const UPKEEP_MS = 60_000
const DAY_MS = 86_400_000
const NIGHT_MS = 11_820_000
/** Enough for a thousand senders with a connection each. */
const FILES_MIN = 1_024
const PORTS_TRIED = 20
/** What `sysexits.h` calls EX_OSERR: the supervisor starts us anew, and opening replays the journal. */
const EXIT_STORAGE = 71

const WALL_CLOCK: Clock = { now: () => Date.now() }

/** A running service. */
export type Server = {
  readonly url: string
  /** Where the first administrator is created; null when there is somebody already. */
  readonly setupLink: string | null
  /** True when nobody could sign in before: the data is new. */
  readonly isFirstStart: boolean
  readonly ports: Ports
  readonly post: Post
  readonly dispatch: OpenDispatch
  /** Answers what was accepted, writes everything down, and ends. */
  close(): Promise<void>
}

/** Where a test may put something in place of a part. A service needs none of it. */
export type Seams = {
  readonly log?: Log
  readonly clock?: Clock
  /** A gap in the life of the process is credited from this length on. */
  readonly stallMs?: number
  /** How often what waits is carried on. */
  readonly upkeepMs?: number
  readonly scrypt?: Secrets['scrypt']
  readonly values?: (values: ValuesDatabase) => ValuesDatabase
  readonly fetch?: (fetch: App['fetch'], ports: Ports) => App['fetch']
}

/** Starts the service on this machine: one process, its data under `settings.dataDir`.
 * @throws {Error} when the data cannot be opened or the port is taken */
export async function startServer(settings: BunSettings, seams: Seams = {}): Promise<Server> {
  const { log = jsonLog(toStandardError), clock = WALL_CLOCK, stallMs, upkeepMs = UPKEEP_MS } = seams
  const { values: onTop = same, fetch: around = same } = seams
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  let freeInside = () => Promise.resolve(0)
  // Before the databases: on a full disk they need what it gives back.
  const room = await watchRoom(settings.dataDir, log, () => freeInside())
  const system = await openSystem(settings)
  const outside = await openOutside(settings, seams.scrypt)
  const events = new Hub({ database: system.database, clock, log, settings })
  const inside = { database: system.database, clock, log, events }
  // A post that is opened later looks at all that there is.
  let onNotices = () => {}
  const flow = openFlow(inside, () => onNotices())
  const values = await openLibsql(`file:${join(settings.dataDir, 'values.db')}`)
  freeInside = () => freeBytesInside(values.client)
  const blobs = await openBlobsDirectory(join(settings.dataDir, 'blobs'))
  const watch = {
    onCommit: (bytes: number) => room.spend(bytes),
    onBroken: (cause: unknown) => stopBroken(log, cause),
    onFull: () => room.ranOut(),
  }
  const keeperHost = {
    blobs,
    values: onTop(valuesInLibsql(values, watch)),
    clock,
    log,
    roomBytes: () => room.bytes,
    follow: (transitions: readonly Transition[]) => flow.follow(transitions),
    onlookers: events,
  }
  const keeping = await openKeeping(keeperHost, stallMs)
  const { keeper: jobActors, lastDeaf } = keeping
  const parts = { ...inside, ...outside, blobs, jobActors, lastDeaf, flow }
  const dispatch = openDispatch(parts, schedules)
  const ports: Ports = { ...parts, dispatch }
  const post = openPost(ports)
  onNotices = () => post.wake()
  await warnOfFewFiles(log)
  const app = createApp(ports, (handle) => aFewInTurn(inFewSends(handle)))
  const { isFirstStart, setupToken } = await prepareFirstStart(ports)
  await catchUp(ports)
  const http = listen(settings, around(app.fetch, ports))
  outside.network.listensAs(http)
  await keeping.start()
  const endWatches = [flow, post, dispatch].map((one) => watchFlow(one, { clock, log }))
  const upkeep = keepUpEvery(upkeepMs, ports)
  const endBeat = beatEvents(events, log)
  const url = `http://${settings.host === '0.0.0.0' ? 'localhost' : settings.host}:${http.port}${settings.basePath}`
  log.info('started', { url, jobs: keeping.keeper.jobCount })
  return {
    url,
    isFirstStart,
    setupLink: setupToken === null ? null : `${url}/session/setup?token=${setupToken}`,
    ports,
    post,
    dispatch,
    close: () => closeAll({ http, dispatch, endBeat, upkeep, endWatches, keeping, room, system, values }),
  }
}

function keepUpEvery(everyMs: number, ports: Ports): Timer {
  const { clock, log } = ports
  let nightAt = nextNight(clock.now())
  const lookAfter = async () => {
    await keepUp(ports)
    if (clock.now() < nightAt) return
    nightAt = nextNight(clock.now())
    await lookThrough(ports)
  }
  return setInterval(() => {
    lookAfter().catch((error: unknown) => log.error('what waits to be carried on could not be', error))
  }, everyMs)
}

/** @returns what ends it, and all streams of events with it: they would go on as long as clients like */
function beatEvents(events: Hub, log: Log): () => void {
  const timer = setInterval(() => {
    events.beat().catch((error: unknown) => log.error('readers of events could not be looked after', error))
  }, BEAT_MS)
  return () => {
    clearInterval(timer)
    events.close()
  }
}

/** When it is next 03:17 UTC, as at the edge. */
function nextNight(now: number): number {
  return Math.floor((now - NIGHT_MS) / DAY_MS + 1) * DAY_MS + NIGHT_MS
}

/** Standard output is for people: there stands the welcome. */
function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`)
}

function same<Part>(part: Part): Part {
  return part
}

/** What goes out of the process. */
async function openOutside(settings: BunSettings, scrypt = scryptInThreads) {
  const key = await readKeyFile(join(settings.dataDir, 'key'))
  const secrets = secretsOf(key, await readFormerKeys(settings.dataDir), scrypt)
  return {
    network: openNetwork(settings),
    directory: settings.ldap && openLdap(settings.ldap),
    mail: openMail(settings.mail),
    translator: null,
    secrets,
    settings: { ...settings, runnerToken: settings.runnerToken ?? runnerTokenOf(key) },
  }
}

async function openSystem(settings: BunSettings): Promise<Libsql> {
  const url = settings.databaseUrl ?? `file:${join(settings.dataDir, 'config.db')}`
  const authToken = settings.databaseAuthToken ?? undefined
  const system = await openLibsql(url, { authToken })
  await migrate(system.database, join(import.meta.dir, '../../db/migrations'))
  return system
}

function listen(settings: BunSettings, fetch: (request: Request) => Response | Promise<Response>) {
  for (let tried = 0; ; tried++) {
    try {
      return Bun.serve({
        port: settings.port + tried,
        hostname: settings.host,
        idleTimeout: IDLE_TIMEOUT_S,
        maxRequestBodySize: BODY_MAX_BYTES,
        fetch,
      })
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || !settings.anyPort || tried >= PORTS_TRIED) throw error
    }
  }
}

type Parts = {
  readonly http: ReturnType<typeof listen>
  readonly dispatch: OpenDispatch
  readonly endBeat: () => void
  readonly upkeep: Timer
  readonly endWatches: readonly (() => Promise<void>)[]
  readonly keeping: Keeping
  readonly room: Room
  readonly system: Libsql
  readonly values: Libsql
}

async function closeAll(parts: Parts): Promise<void> {
  const { http, dispatch, endBeat, upkeep, endWatches, keeping, room, system, values } = parts
  clearInterval(upkeep)
  endBeat()
  dispatch.close()
  await drain(http)
  await Promise.all(endWatches.map((end) => end()))
  await keeping.close()
  await room.close()
  await values.close()
  await system.close()
}

/** Answers what has begun, but does not wait for idle connections, which may stay open as long as clients like. */
async function drain(http: ReturnType<typeof listen>): Promise<void> {
  const stopped = http.stop()
  const until = performance.now() + DRAIN_MAX_MS
  while (http.pendingRequests > 0 && performance.now() < until) await Bun.sleep(10)
  await Promise.all([stopped, http.stop(true)])
}

/** Each connection takes a file: past the limit new ones wait until others end. */
async function warnOfFewFiles(log: Log): Promise<void> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const filesMax = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  if (filesMax < FILES_MIN)
    log.warn('few files may be open at once: raise `ulimit -n`', { filesMax, FILES_MIN })
}

function stopBroken(log: Log, cause: unknown): void {
  log.error('storage failed; the process ends and recovers at its next start', cause)
  // Waiting callers are refused first: nothing of theirs was acknowledged.
  setTimeout(() => process.exit(EXIT_STORAGE), 100)
}
