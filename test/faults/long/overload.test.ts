import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cpuSecondsOf, quantile, residentBytesOf } from '../../bench/measure.ts'
import { startProcess } from '../../hosts/process.ts'
import type { HostProcess } from '../../hosts/process.ts'
import { bound } from '../bounds.ts'
import { logIn, Probe, statusesOf, timed } from '../probe.ts'
import { until } from '../../until.ts'
import type { Answer } from '../probe.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'
import type { Body } from '../session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const SLOW = ['bun', 'test/faults/host.ts', 'has-a-slow-disk']
const FLOOD_MS = 3_000
const REFUSAL_PROBES = 8
const REFUSED_MAX_MS = bound(100, 5_000)
const HEALTH_MAX_MS = bound(500, 10_000)
const LOGIN_MAX_MS = bound(2_000, 20_000)
/** The share of its work in peace that the host still does in a flood. */
const SHARE_MIN = bound(0.8, 0.25)
/** Of answers this share is held to its bound: the rest may meet a collection of garbage. */
const SHARE = 0.9
/** The work of the process beside the host for each answer. */
const WORK_MS = 5
/** On a machine that is slower yet, the bounds must mean something still. */
const SLOWNESS_MAX = 10
const TEST_MAX_MS = 180_000
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
      const shares = [shareOf(wild, calm), shareOf(wildAgain, calmAgain)]
      expect(Math.max(...shares)).toBeGreaterThan(SHARE_MIN)
      expect(wild.peakBytes - calm.peakBytes).toBeLessThan(bound(64, 256) * MIB)
      expect([calm.others, wild.others]).toEqual([{}, {}])
      expectReachable(wild)
    },
    TEST_MAX_MS,
  )

  test(
    'refuses what a slow disk cannot take, at once and with Retry-After, in bounded memory',
    async () => {
      const stage = await openStage(SLOW)
      stage.host.signal('SIGUSR1')
      const calm = await flood(stage, 40, LARGE)
      const wild = await flood(stage, 400, LARGE)
      // The accepted values have to be flushed first, on the same slow disk.
      await until(() => isTaken(stage, LARGE))
      const calmAgain = await flood(stage, 40, LARGE)
      await killAll(stage.host)
      expect([calm.refused, calmAgain.refused]).toEqual([0, 0])
      expect(wild.refused).toBeGreaterThan(0)
      expect(quantile(wild.refusedMs, SHARE)).toBeLessThan(REFUSED_MAX_MS * wild.slowness)
      expect(Math.max(shareOf(wild, calm), shareOf(wild, calmAgain))).toBeGreaterThan(SHARE_MIN)
      expect(wild.peakBytes - calm.peakBytes).toBeLessThan(BOUNDED_BYTES)
      expect(wild.others).toEqual({})
      expectReachable(wild)
    },
    TEST_MAX_MS,
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
  }, 180_000)
})

/** The memory that a flood may add: the queue several times over, as text, as values and in what the collector has not freed. */
const BOUNDED_BYTES = bound(256, 768) * MIB

type Stage = { readonly host: HostProcess; readonly session: Session; readonly jobIds: readonly number[] }

async function openStage(command: readonly string[]): Promise<Stage> {
  const host = await startProcess({ command, dataDir })
  const session = await Session.open(host.url)
  return { host, session, jobIds: await session.createJobs(host.url, 10, PARAMETERS) }
}

async function isTaken({ host, session, jobIds }: Stage, body: Body): Promise<boolean> {
  return (await session.ask(host.url, `/webcollector/jobs/${jobIds[0]}/values`, body)).status === 200
}

type Flooded = {
  readonly taken: number
  /** With 503 and a Retry-After. */
  readonly refused: number
  /** The same for each second that the host computed: others on the machine do not count. */
  readonly perCpuSecond: number
  readonly perSecond: number
  /** How much longer work took in a process beside it than it takes alone: others on the machine slow both down. */
  readonly slowness: number
  /** How long refusals took, as somebody sees it who has a core for himself. */
  readonly refusedMs: readonly number[]
  /** Answers that are neither, by status or error. */
  readonly others: Readonly<Record<string, number>>
  readonly peakBytes: number
  readonly healths: readonly Answer[]
  readonly logins: readonly Answer[]
}

const refusedMsOf = (answers: readonly Answer[]) =>
  answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1').map(({ ms }) => ms)

async function flood({ host, session, jobIds }: Stage, connections: number, body: Body): Promise<Flooded> {
  const file = join(dataDir, 'body.json')
  await Bun.write(file, JSON.stringify(body))
  const script = join(import.meta.dir, '../flood.ts')
  const worker = await startWorker()
  const controls = new Probe(() => timed(worker.url), 100)
  const cpuBefore = await cpuSecondsOf(host.pid)
  const input = [host.url, session.id, jobIds.join(','), String(connections), file]
  const child = Bun.spawn([process.execPath, script, ...input], { stdout: 'pipe' })
  const healths = new Probe(() => timed(`${host.url}/healthz`), 20)
  const logins = new Probe(() => logIn(host.url), 200)
  const path = `/webcollector/jobs/${jobIds[0]}/values`
  // Several: one that is taken in waits for the disk, and sees nothing meanwhile.
  const refusals = Array.from(
    { length: REFUSAL_PROBES },
    () => new Probe(() => session.ask(host.url, path, body), 20),
  )
  let peakBytes = 0
  const beganAt = Date.now()
  for (; Date.now() - beganAt < FLOOD_MS; await Bun.sleep(50)) {
    peakBytes = Math.max(peakBytes, await residentBytesOf(host.pid))
  }
  const lastedMs = Date.now() - beganAt
  const [asked, signedIn, control] = [await healths.stop(), await logins.stop(), await controls.stop()]
  const cpuSeconds = (await cpuSecondsOf(host.pid)) - cpuBefore
  worker.process.kill()
  const slowness = Math.min(SLOWNESS_MAX, Math.max(1, slowestOf(control) / WORK_MS))
  child.kill('SIGTERM')
  const refusedMs = refusedMsOf((await Promise.all(refusals.map((probe) => probe.stop()))).flat())
  const flooded = (await new Response(child.stdout).json()) as Pick<Flooded, 'taken' | 'refused' | 'others'>
  const ms = (answers: readonly Answer[]) =>
    quantile(
      answers.map((answer) => answer.ms),
      0.99,
    ).toFixed(0)
  console.log(
    `${connections} connections: ${flooded.taken} taken, ${flooded.refused} refused in ` +
      `${quantile(refusedMs, 0.5).toFixed(0)} ms (p90 ${quantile(refusedMs, SHARE).toFixed(0)} ms, on a machine ` +
      `${slowness.toFixed(1)} times slower), ` +
      `${Math.round(peakBytes / MIB)} MiB, p99 of health ${ms(asked)} ms, of sign-in ${ms(signedIn)} ms`,
  )
  const perCpuSecond = flooded.taken / cpuSeconds
  const perSecond = (1_000 * flooded.taken) / lastedMs
  return {
    ...flooded,
    perCpuSecond,
    perSecond,
    slowness,
    refusedMs,
    peakBytes,
    healths: asked,
    logins: signedIn,
  }
}

function expectReachable({ healths, logins, slowness }: Flooded): void {
  expect(statusesOf(healths)).toEqual([200])
  expect(statusesOf(logins)).toEqual([200])
  expect(slowestOf(healths)).toBeLessThan(HEALTH_MAX_MS * slowness)
  expect(slowestOf(logins)).toBeLessThan(LOGIN_MAX_MS * slowness)
}

/** How much of what it took in peace the host takes: by the clock or by its CPU, for others on the machine spoil the one
 * or the other. */
function shareOf(wild: Flooded, calm: Flooded): number {
  return Math.max(wild.perSecond / calm.perSecond, wild.perCpuSecond / calm.perCpuSecond)
}

function slowestOf(answers: readonly Answer[]): number {
  return quantile(
    answers.map(({ ms }) => ms),
    SHARE,
  )
}

/** A process that computes for a while at each request, and does nothing else. */
async function startWorker() {
  const work = `for (const cpu = process.cpuUsage(); process.cpuUsage(cpu).user < ${WORK_MS * 1_000};);`
  const script = `console.log(String(Bun.serve({ port: 0, fetch() { ${work} return new Response() } }).url))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  for await (const chunk of child.stdout)
    return { process: child, url: new TextDecoder().decode(chunk).trim() }
  throw new Error('It did not start.')
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
