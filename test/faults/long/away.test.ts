import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../../hosts/process.ts'
import { bound } from '../bounds.ts'
import { KEPT, Ledger } from '../ledger.ts'
import { logIn, Probe, slowestMs, stalledMsOf, statusesOf, timed } from '../probe.ts'
import type { Answer } from '../probe.ts'
import { killAll } from '../process-tree.ts'
import { Senders } from '../senders.ts'
import { Session } from '../session.ts'

const WHOLE = ['bun', 'test/faults/host.ts', 'whole']
const BLOCKING = ['bun', 'test/faults/host.ts', 'blocks-its-loop']
const LOCKED_MS = 10_000
/** A lock is let go by whoever is done with it; this is longer than that takes. */
const HELD_MS = 120_000
/** Deliveries on their way when the locks come are answered by then. */
const UNDERWAY_MS = 1_000
const ANSWER_MAX_MS = bound(2_000, LOCKED_MS / 2)
/** The wait for a lock is 5 ms; the collector stalls the loop for longer. */
const STALL_MAX_MS = bound(50, 1_000)

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-away-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('the Bun host, while another process locks both of its databases for 10 seconds', () => {
  test('refuses what it cannot store within 2 s, reads on, never blocks, and recovers by itself with nothing lost', async () => {
    const host = await startProcess({ command: WHOLE, dataDir })
    const session = await Session.open(host.url)
    const jobIds = await session.createJobs(host.url, 10)
    const ledger = new Ledger()
    const load = new Senders({ session, ledger, url: host.url, jobIds, count: 8, pauseMs: 5 })
    await Bun.sleep(300)
    await stalledMsOf(host)

    const locks = await Promise.all(['values.db', 'config.db'].map((name) => lock(join(dataDir, name))))
    await Bun.sleep(UNDERWAY_MS)
    const before = new Map(load.answers)
    const deliveries = new Probe(() => deliver(session, host.url, jobIds[0] ?? 0, ledger), 20)
    const reads = new Probe(() => session.ask(host.url, `/jobs/${jobIds[0]}`), 50)
    const histories = new Probe(
      () => session.ask(host.url, `/jobs/${jobIds[0]}/value-history?key=returnValue1`),
      50,
    )
    const logins = new Probe(() => logIn(host.url), 500)
    const healths = new Probe(() => timed(`${host.url}/healthz`), 20)
    await Bun.sleep(LOCKED_MS)
    const taken = (load.answers.get(200) ?? 0) - (before.get(200) ?? 0)
    const stalledMs = await stalledMsOf(host)
    const [delivered, read, reread, loggedIn, healthy] = await Promise.all([
      deliveries.stop(),
      reads.stop(),
      histories.stop(),
      logins.stop(),
      healths.stop(),
    ])
    for (const holder of locks) holder.kill()
    await Promise.all(locks.map(({ exited }) => exited))
    const freedAt = performance.now()
    while ((await deliver(session, host.url, jobIds[0] ?? 0, ledger)).status !== 200) await Bun.sleep(5)
    const recoveredMs = performance.now() - freedAt
    await load.stop()

    expect(taken).toBe(0)
    expectRefused(delivered)
    expectRefused(loggedIn)
    expectAnswered([...read, ...reread, ...healthy])
    expect(stalledMs).toBeLessThanOrEqual(STALL_MAX_MS)
    expect(recoveredMs).toBeLessThan(bound(1_000, LOCKED_MS))
    const stored = await session.readHistories(host.url, jobIds)
    await killAll(host)
    expect(ledger.compare(stored)).toMatchObject(KEPT)
  }, 180_000)

  test('would be seen to block', async () => {
    const host = await startProcess({ command: BLOCKING, dataDir })
    await Session.open(host.url)
    const [stalledMs] = [await stalledMsOf(host), await Bun.sleep(5_000)]
    expect(Math.max(stalledMs, await stalledMsOf(host))).toBeGreaterThan(STALL_MAX_MS)
    await killAll(host)
  }, 180_000)
})

describe('the Bun host, while the libSQL server of its system database is paused', () => {
  test('refuses reads within 2 s, takes deliveries from who was known, and recovers by itself', async () => {
    const server = await startProcess({ command: ['bun', 'test/faults/libsql-server.ts', dataDir], dataDir })
    const environment = { TIDEMARK_DATABASE_URL: server.url }
    const host = await startProcess({ command: WHOLE, dataDir, environment })
    const session = await Session.open(host.url)
    const stranger = await Session.open(host.url)
    const [jobId = 0] = await session.createJobs(host.url, 1)
    const ledger = new Ledger()
    expect(await deliver(session, host.url, jobId, ledger)).toMatchObject({ status: 200 })

    server.signal('SIGSTOP')
    const reads = new Probe(() => session.ask(host.url, `/jobs/${jobId}`), 50)
    const deliveries = new Probe(() => deliver(session, host.url, jobId, ledger), 50)
    // The stranger's credentials cannot be verified: only cached ones are accepted meanwhile.
    const strangers = new Probe(() => deliver(stranger, host.url, jobId, new Ledger()), 50)
    await Bun.sleep(4_000)
    const [read, delivered, refused] = await Promise.all([reads.stop(), deliveries.stop(), strangers.stop()])
    server.signal('SIGCONT')
    const resumedAt = performance.now()
    while ((await session.ask(host.url, `/jobs/${jobId}`)).status !== 200) await Bun.sleep(10)
    const recoveredMs = performance.now() - resumedAt
    const stored = await session.readHistories(host.url, [jobId])
    await killAll(host)
    await killAll(server)

    expectRefused(read)
    expectRefused(refused)
    expectAnswered(delivered)
    expect(recoveredMs).toBeLessThan(ANSWER_MAX_MS)
    expect(ledger.compare(stored)).toMatchObject(KEPT)
  }, 180_000)
})

function expectRefused(answers: readonly Answer[]): void {
  expect(statusesOf(answers)).toEqual([503])
  expect(answers.filter(({ retryAfter }) => retryAfter !== '1')).toEqual([])
  expect(slowestMs(answers)).toBeLessThan(ANSWER_MAX_MS)
}

function expectAnswered(answers: readonly Answer[]): void {
  expect(statusesOf(answers)).toEqual([200])
  expect(slowestMs(answers)).toBeLessThan(ANSWER_MAX_MS)
}

async function deliver(session: Session, url: string, jobId: number, ledger: Ledger) {
  const value = ledger.send(jobId, 999)
  const answer = await session.ask(url, `/webcollector/jobs/${jobId}/values`, { returnValue1: value })
  if (answer.status === 200) ledger.acknowledge(jobId, value)
  return answer
}

/** Another process that holds the write lock of a database file until it is killed. */
async function lock(path: string): Promise<Bun.Subprocess> {
  const script = join(import.meta.dir, '../../hosts/hold-lock.ts')
  const child = Bun.spawn([process.execPath, script, path, String(HELD_MS)], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('locked\n')
  return child
}
