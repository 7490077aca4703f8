import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { quantile, residentBytesOf } from '../bench/measure.ts'
import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { logIn, Probe, statusesOf, timed } from './probe.ts'
import type { Answer } from './probe.ts'
import { killAll } from './process-tree.ts'
import { Session } from './session.ts'
import type { Body } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const SLOW = ['bun', 'test/faults/host.ts', 'has-a-slow-disk']
const FLOOD_MS = 2_000
const REFUSED_MAX_MS = 100
/** Whoever else uses the machine takes from the host as well. */
const TIMED = { timeout: 60_000, retry: 2 }
const MIB = 1024 * 1024

const TEXTS = 60
const PARAMETERS = {
  stringValue: Array.from({ length: TEXTS }, (_, index) => ({ valueName: `text ${index}` })),
}
const SMALL = { returnValue1: 1, errorCode: 0 }
const LARGE = Object.fromEntries(
  Array.from({ length: TEXTS }, (_, index) => [`stringValue${index + 1}`, 'x'.repeat(4_000)]),
)

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-overload-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('the Bun host under a flood', () => {
  test(
    'takes as much from ten times the connections, in the same memory, and stays reachable',
    async () => {
      const stage = await openStage(BUN)
      const calm = await flood(stage, 64, SMALL)
      const wild = await flood(stage, 640, SMALL)
      // Twice: on a machine with others on it one round says little.
      const calmAgain = await flood(stage, 64, SMALL)
      const wildAgain = await flood(stage, 640, SMALL)
      await killAll(stage.host)
      const [peak, taken] = [Math.max(calm.taken, calmAgain.taken), Math.max(wild.taken, wildAgain.taken)]
      expect(taken).toBeGreaterThan(0.8 * peak)
      expect(wild.peakBytes - calm.peakBytes).toBeLessThan(64 * MIB)
      expect([calm.others, wild.others]).toEqual([{}, {}])
      expectReachable(wild)
    },
    TIMED,
  )

  test(
    'refuses what a slow disk cannot take, at once and with Retry-After, in bounded memory',
    async () => {
      const stage = await openStage(SLOW)
      const calm = await flood(stage, 40, LARGE)
      const wild = await flood(stage, 400, LARGE)
      await killAll(stage.host)
      expect(calm.refusedMs).toEqual([])
      expect(wild.refusedMs.length).toBeGreaterThan(0)
      expect(quantile(wild.refusedMs, 0.5)).toBeLessThan(REFUSED_MAX_MS)
      expect(wild.taken).toBeGreaterThan(0.8 * calm.taken)
      expect(wild.peakBytes - calm.peakBytes).toBeLessThan(BOUNDED_BYTES)
      expect(wild.others).toEqual({})
      expectReachable(wild)
    },
    TIMED,
  )
})

describe('the Bun host with 256 files', () => {
  test('says so, serves the connections it has while others take all files, and recovers', async () => {
    const limited = ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, 'workers/bun/main.ts']
    const { host, session, jobIds } = await openStage(limited)
    expect(host.logs.join('\n')).toContain('raise `ulimit -n`')
    const others = await Promise.all(Array.from({ length: 400 }, () => connect(host.url)))
    // The session's connection is open already.
    const kept = await session.deliver(host.url, jobIds[0] ?? 0, SMALL)
    await kept.arrayBuffer()
    const stranger = await Promise.race([timed(`${host.url}/healthz`), Bun.sleep(500)])
    for (const other of others) other.end()
    await Bun.sleep(200)
    const after = [await timed(`${host.url}/healthz`), await logIn(host.url)]
    const delivered = await session.ask(host.url, `/webcollector/jobs/${jobIds[0]}/values`, SMALL)
    host.signal('SIGTERM')
    expect(await host.exited).toBe(0)
    expect(kept.status).toBe(200)
    // Otherwise the files were not used up, and this shows nothing.
    expect(stranger).toBeUndefined()
    expect(statusesOf([...after, delivered])).toEqual([200])
  }, 60_000)
})

/** What a flood may add: the queue three times over, as text, as values and in what the collector has not freed. */
const BOUNDED_BYTES = 256 * MIB

type Stage = { readonly host: HostProcess; readonly session: Session; readonly jobIds: readonly number[] }

async function openStage(command: readonly string[]): Promise<Stage> {
  const host = await startProcess({ command, dataDir })
  const session = await Session.open(host.url)
  return { host, session, jobIds: await session.createJobs(host.url, 10, PARAMETERS) }
}

type Flooded = {
  readonly taken: number
  readonly refusedMs: readonly number[]
  /** Answers that are neither, by status or error. */
  readonly others: Readonly<Record<string, number>>
  readonly peakBytes: number
  readonly healths: readonly Answer[]
  readonly logins: readonly Answer[]
}

/** How long refusals took, as somebody sees it who has a core for himself. */
const refusedMsOf = (answers: readonly Answer[]) =>
  answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1').map(({ ms }) => ms)

async function flood({ host, session, jobIds }: Stage, connections: number, body: Body): Promise<Flooded> {
  const file = join(dataDir, 'body.json')
  await Bun.write(file, JSON.stringify(body))
  const script = join(import.meta.dir, 'flood.ts')
  const input = [host.url, session.id, jobIds.join(','), String(connections), file]
  const child = Bun.spawn([process.execPath, script, ...input], { stdout: 'pipe' })
  const healths = new Probe(() => timed(`${host.url}/healthz`), 20)
  const logins = new Probe(() => logIn(host.url), 200)
  const path = `/webcollector/jobs/${jobIds[0]}/values`
  const refusals = new Probe(() => session.ask(host.url, path, body), 20)
  let peakBytes = 0
  for (const until = Date.now() + FLOOD_MS; Date.now() < until; await Bun.sleep(50)) {
    peakBytes = Math.max(peakBytes, await residentBytesOf(host.pid))
  }
  const [asked, signedIn] = [await healths.stop(), await logins.stop()]
  child.kill('SIGTERM')
  const refusedMs = refusedMsOf(await refusals.stop())
  const flooded = (await new Response(child.stdout).json()) as Pick<Flooded, 'taken' | 'others'>
  const ms = (answers: readonly Answer[]) =>
    quantile(
      answers.map((answer) => answer.ms),
      0.99,
    ).toFixed(0)
  console.log(
    `${connections} connections: ${flooded.taken} taken, ${refusedMs.length} refused in ` +
      `${quantile(refusedMs, 0.5).toFixed(0)} ms (p99 ${quantile(refusedMs, 0.99).toFixed(0)} ms), ` +
      `${Math.round(peakBytes / MIB)} MiB, p99 of health ${ms(asked)} ms, of sign-in ${ms(signedIn)} ms`,
  )
  return { ...flooded, refusedMs, peakBytes, healths: asked, logins: signedIn }
}

function expectReachable({ healths, logins }: Flooded): void {
  expect(statusesOf(healths)).toEqual([200])
  expect(statusesOf(logins)).toEqual([200])
  expect(
    quantile(
      healths.map(({ ms }) => ms),
      0.99,
    ),
  ).toBeLessThan(500)
  expect(
    quantile(
      logins.map(({ ms }) => ms),
      0.99,
    ),
  ).toBeLessThan(2_000)
}

/** A connection that has begun a request: before its first bytes the host does not take it. */
function connect(url: string) {
  const { hostname, port } = new URL(url)
  return Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => void socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n'),
      data: () => undefined,
      error: () => undefined,
    },
  })
}
