import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { EVERY_FAULT } from './bounds.ts'
import { KEPT, Ledger } from './ledger.ts'
import { Probe, statusesOf } from './probe.ts'
import { until } from '../until.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'
import { freeBytes, mountSmallDisk, SMALL_DISK_BYTES, takeFreeBytes, unmountSmallDisk } from './small-disk.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const MIB = 1024 * 1024
const TEXTS = 60
/** So many writes fail; by `npm run test:faults` more. */
const WRITES = EVERY_FAULT ? 60 : 15
const PARAMETERS = { stringValue: Array.from({ length: TEXTS }, () => ({ valueName: 'text' })) }

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-disk-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('the Bun host on a disk that fills up', () => {
  test('stops taking deliveries before SQLite fails, reads and deletes on, starts again, and recovers', async () => {
    if (!mountSmallDisk(dataDir)) return
    try {
      await fillUp()
    } finally {
      unmountSmallDisk(dataDir)
    }
  }, 180_000)

  // On Debian: apt-get install strace
  test.skipIf(Bun.which('strace') === null).each([1400, 1900])(
    'refuses while writes find no room, from write %d on, and goes on by itself with nothing lost',
    async (nth) => {
      const inject = [
        '--seccomp-bpf',
        '-e',
        'trace=pwrite64',
        '-e',
        `inject=pwrite64:error=ENOSPC:when=${nth}..${nth + WRITES}`,
      ]
      const command = ['strace', '-f', '-o', '/dev/null', ...inject, ...BUN]
      const host = await startProcess({ command, dataDir })
      const session = await Session.open(host.url)
      const jobIds = await session.createJobs(host.url, 2)
      const ledger = new Ledger()
      const load = new Senders({ session, ledger, url: host.url, jobIds, count: 8, pauseMs: 5 })
      const refused = () => (load.answers.get(503) ?? 0) + (load.answers.get(507) ?? 0)
      await until(() => refused() > 0)
      // The span of failing writes ends: the load itself makes it pass.
      const taken = () => load.answers.get(200) ?? 0
      const before = taken()
      await until(() => taken() >= before + 200)
      await load.stop()
      expect([...load.answers.keys()].filter((status) => ![200, 503, 507].includes(status))).toEqual([])
      expect(load.broken).toBe(0)
      await killAll(host)
      const again = await startProcess({ command: BUN, dataDir })
      const verdict = ledger.compare(await session.readHistories(again.url, jobIds))
      await killAll(again)
      expect(verdict).toMatchObject(KEPT)
    },
    180_000,
  )
})

async function fillUp(): Promise<void> {
  const first = await startProcess({ command: BUN, dataDir })
  const session = await Session.open(first.url)
  const [kept = 0] = await session.createJobs(first.url, 1)
  const [jobId = 0] = await session.createJobs(first.url, 1, PARAMETERS)
  const ledger = new Ledger()
  const counter = new Senders({ session, ledger, url: first.url, jobIds: [kept], count: 2, pauseMs: 5 })
  const fill = (url: string) => session.ask(url, `/webcollector/jobs/${jobId}/values`, longTexts())
  let answer = await fill(first.url)
  while (answer.status === 200) answer = await fill(first.url)
  expect(answer).toMatchObject({ status: 507, retryAfter: '1' })
  expect(await freeBytes(dataDir)).toBeGreaterThan(SMALL_DISK_BYTES / 8)
  await counter.stop()

  // Others take what was left, to the last byte; then the ballast is given back, and not to them.
  await untilSteady(() => freeBytes(dataDir))
  await takeFreeBytes(dataDir, join(dataDir, 'others'))
  await until(async () => (await freeBytes(dataDir)) > MIB)
  const reads = new Probe(() => session.ask(first.url, `/jobs/${kept}/value-history?key=returnValue1`), 20)
  await Bun.sleep(300)
  expect(statusesOf(await reads.stop())).toEqual([200])
  expect((await fill(first.url)).status).toBe(507)
  const full = await fetch(`${first.url}/readyz`)
  expect(full.status).toBe(503)
  expect(await full.json()).toMatchObject({
    status: 'failed',
    checks: {
      values: { status: 'failed', detail: expect.stringContaining('disk is nearly full') as unknown },
    },
  })
  await killAll(first)

  const again = await startProcess({ command: BUN, dataDir })
  expect((await fill(again.url)).status).toBe(507)
  expect(await session.remove(again.url, `/jobs/${jobId}`)).toBe(204)
  await rm(join(dataDir, 'others'))
  await until(async () => (await session.deliver(again.url, kept, { errorCode: 0 })).status === 200)
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200)
  const verdict = ledger.compare(await session.readHistories(again.url, [kept]))
  again.signal('SIGTERM')
  expect(await again.exited).toBe(0)
  expect(verdict).toMatchObject(KEPT)
  expect(verdict.acknowledged).toBeGreaterThan(0)
}

/** A flush that is under way has ended. */
async function untilSteady(measure: () => Promise<number>): Promise<void> {
  let last: number
  do {
    last = await measure()
    await Bun.sleep(500)
  } while ((await measure()) !== last)
}

/** Some 108 KB that a segment cannot make much smaller. */
function longTexts(): Record<string, string> {
  const texts = Array.from({ length: TEXTS }, (_, index) => [
    `stringValue${index + 1}`,
    crypto.randomUUID().repeat(50),
  ])
  return Object.fromEntries(texts) as Record<string, string>
}
