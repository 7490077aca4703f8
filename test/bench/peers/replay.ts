import { join } from 'node:path'

import { cpuSecondsOfFamily } from '../measure.ts'
import { wrk } from '../wrk.ts'
import type { Request, Running } from './peer.ts'
import { bytesOf } from './requests.ts'

/** The script of wrk for requests in a file. */
export const REPLAY = join(import.meta.dir, 'replay.lua')
/** A run beside which others took more of the machine than this, in cores, is done again. */
const OTHERS_MAX = 0.12
const QUIET_CORES = 0.1
const QUIET_LOOK_MS = 200
const QUIET_MAX_MS = 5_000

/** What one load has shown. Times and CPU are of one request. */
export type Load = {
  /** Answers with a 2xx or 3xx. Everything else here but the latencies is about these. */
  readonly acknowledged: number
  readonly refused: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly othersCores: number
}

/** `sent` counts the requests of all its loads: each goes on where the one before it ended. */
export type Replay = {
  readonly running: Pick<Running, 'url' | 'pid'>
  readonly path: string
  readonly connections: number
  sent: number
}

/** Requests in a file, for `replay.lua`. */
export async function writeRequests(directory: string, requests: Iterable<Request>): Promise<string> {
  const path = join(directory, `requests-${crypto.randomUUID()}`)
  const writer = Bun.file(path).writer()
  for (const request of requests) {
    const bytes = bytesOf(request)
    await writer.write(`${bytes.length}\n`)
    await writer.write(bytes)
  }
  await writer.end()
  return path
}

/**
 * Sends the requests in a closed loop from a core of its own.
 * @throws {Error} when nothing is acknowledged
 */
export async function replay(of: Replay, seconds: number): Promise<Load> {
  const { running, path, connections } = of
  const script = [REPLAY, path, String(of.sent)] as const
  const { url, pid } = running
  const sent = await wrk({ url, pid, connections, seconds, script })
  const { good, failed, perSecond, p50Ms, p99Ms, cpuSeconds, othersCores } = sent
  of.sent += good + failed
  if (good <= 0) throw new Error(`${failed} of ${good + failed} requests failed`)
  const cpuUs = (cpuSeconds * 1e6) / good
  return { acknowledged: good, refused: failed, perSecond, p50Ms, p99Ms, cpuUs, othersCores }
}

/** All loads that were tried, the one beside which others took least of the machine first. */
export async function replayInPeace(of: Replay, seconds: number, triesMax: number): Promise<readonly Load[]> {
  const loads: Load[] = []
  do {
    await settled(of.running.pid)
    // What the servers before have left in memory would be written beside this one, who may wait for its own.
    await Bun.spawn(['sync']).exited
    loads.push(await replay(of, seconds))
  } while (loads.length < triesMax && loads.every(({ othersCores }) => othersCores > OTHERS_MAX))
  return loads.toSorted((a, b) => a.othersCores - b.othersCores)
}

/** Until the server is done with what it was given, or some seconds have passed. */
export async function settled(pid: number): Promise<void> {
  const until = performance.now() + QUIET_MAX_MS
  for (let before = await cpuSecondsOfFamily(pid); performance.now() < until;) {
    await Bun.sleep(QUIET_LOOK_MS)
    const after = await cpuSecondsOfFamily(pid)
    if ((after - before) * 1000 <= QUIET_CORES * QUIET_LOOK_MS) return
    before = after
  }
}
