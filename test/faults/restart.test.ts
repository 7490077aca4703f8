import { describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'

import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { beginDelivery } from './begun-delivery.ts'
import { control, EVERY_FAULT } from './bounds.ts'
import { inDataDir } from './data-dir.ts'
import { KEPT, Ledger } from './ledger.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'
import { readUntil } from '../until.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'light-hashes']
const TIMEOUT_MS = 2_000

/** How a host of a kind ends. */
const ENDS = [
  { host: 'the Bun host', how: 'stopped', command: BUN, end: stop },
  { host: 'the Bun host', how: 'killed', command: BUN, end: killAll },
  { host: 'the edge', how: 'stopped', command: EDGE, end: stop },
  { host: 'the edge', how: 'killed', command: EDGE, end: killAll },
] as const

describe('silence', () => {
  // They wait, and do it together.
  test.concurrent.each(ENDS)(
    'is noticed after $host was $how and started again: at the deadline it had promised, never earlier',
    ({ command, end }) =>
      inDataDir(async (dataDir) => {
        const before = await startProcess({ command, dataDir })
        const session = await Session.open(before.url)
        const [jobId = 0] = await session.createJobs(before.url, 1, { timeout: `PT${TIMEOUT_MS / 1000}S` })
        const answer = await session.deliver(before.url, jobId, { returnValue1: 1, errorCode: 0 })
        const promisedAt = Date.parse(
          String(((await answer.json()) as { nextTimeoutAt: string }).nextTimeoutAt),
        )
        await end(before)

        const after = await startProcess({ command, dataDir })
        const readyAt = Date.now()
        const { sinceAt, seenAt } = await silenceOf(session, after.url, jobId)
        const codes = await session.readSamples(after.url, jobId, 'errorCode')
        await end(after)

        expect(sinceAt).toBeGreaterThanOrEqual(promisedAt)
        expect(sinceAt).toBeLessThanOrEqual(Math.max(promisedAt, readyAt + TIMEOUT_MS) + TIMEOUT_MS)
        expect(seenAt).toBeGreaterThanOrEqual(sinceAt)
        expect(codes.map(({ value }) => value)).toEqual([0, 5])
        expect(codes.at(-1)?.at).toBe(sinceAt)
      }),
    180_000,
  )
})

describe('the Bun host under load', () => {
  test('answers everything that it stores and every request that has begun when SIGTERM stops it, also where it comes twice, stores everything that it answers, and exits with 0', async () => {
    const { verdict, codes, statuses, begun } = await endUnderLoad('SIGTERM')
    expect(verdict).toMatchObject({ ...KEPT, unacknowledged: 0 })
    expect(verdict.acknowledged).toBeGreaterThan(ROUNDS * SENDERS)
    expect([codes, statuses]).toEqual([[0], [200]])
    expect(begun).toEqual(Array.from({ length: ROUNDS }, () => 200))
  }, 180_000)

  control(
    'would be seen to drop what it had accepted: SIGKILL leaves deliveries that are stored and not answered',
    async () => {
      let unacknowledged = 0
      // The moment between a commit and its answers is short: five kills may all miss it.
      for (let tried = 0; unacknowledged === 0 && tried < CONTROLS_MAX; tried++) {
        unacknowledged = (await endUnderLoad('SIGKILL')).verdict.unacknowledged
      }
      expect(unacknowledged).toBeGreaterThan(0)
    },
    180_000,
  )
})

/** By `npm run test:faults` five. */
const ROUNDS = EVERY_FAULT ? 5 : 2
const CONTROLS_MAX = 12
const SENDERS = 32

const endUnderLoad = (signal: 'SIGTERM' | 'SIGKILL') =>
  inDataDir(async (dataDir) => {
    const ledger = new Ledger()
    const codes = new Set<number>()
    const statuses = new Set<number>()
    const begun: (number | null)[] = []
    let host = await startProcess({ command: BUN, dataDir })
    const session = await Session.open(host.url)
    const jobIds = await session.createJobs(host.url, 20)
    const [firstJobId = 0] = jobIds
    for (let round = 0; round < ROUNDS; round++) {
      const load = new Senders({ session, ledger, url: host.url, jobIds, count: SENDERS })
      await Bun.sleep(randomInt(200, 500))
      const value = ledger.send(firstJobId, SENDERS)
      const delivery = await beginDelivery(session, host, firstJobId, value)
      host.signal(signal)
      const answered = await delivery.finishWhenStopping(() => host.signal(signal))
      if (answered === 200) ledger.acknowledge(firstJobId, value)
      begun.push(answered)
      codes.add(await host.exited)
      await load.stop()
      for (const status of load.answers.keys()) statuses.add(status)
      host = await startProcess({ command: BUN, dataDir })
    }
    const histories = await session.readHistories(host.url, jobIds)
    await killAll(host)
    return { verdict: ledger.compare(histories), codes: [...codes], statuses: [...statuses], begun }
  })

async function stop(host: HostProcess): Promise<void> {
  host.signal('SIGTERM')
  expect(await host.exited).toBe(0)
}

/** Waits until the job has error code 5: when that began, and when it could be seen first. */
async function silenceOf(
  session: Session,
  url: string,
  jobId: number,
): Promise<{ sinceAt: number; seenAt: number }> {
  const job = await readUntil(
    () => session.get(url, `/jobs/${jobId}`),
    ({ errorCode }) => errorCode === 5,
  )
  return { sinceAt: Date.parse(String(job['stateSince'])), seenAt: Date.now() }
}
