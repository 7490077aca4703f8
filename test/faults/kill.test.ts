import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { control, EVERY_FAULT } from './bounds.ts'
import { KEPT, Ledger } from './ledger.ts'
import type { Verdict } from './ledger.ts'
import { until } from '../until.ts'
import { killAll } from './process-tree.ts'
import { startProcess } from '../hosts/process.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const FOLDING = ['bun', 'test/faults/host.ts', 'flushes-all-the-time']
const EARLY = ['bun', 'test/faults/host.ts', 'acknowledges-early']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'light-hashes']
const EARLY_EDGE = ['bun', 'test/faults/edge-host.ts', 'acknowledges-early']

const ROUND_SENDERS = 2

/** `npm run test:faults` has nine, `npm run faults:kill` a thousand. */
const CYCLES = Number(process.env['TIDEMARK_TEST_KILLS'] ?? (EVERY_FAULT ? 9 : 4))
const EDGE_CYCLES = Math.min(Math.ceil(CYCLES / 3), 20)

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('the Bun host, killed with SIGKILL under load', () => {
  test(
    `keeps every acknowledged delivery exactly once over ${CYCLES} kills, half of them during flushes`,
    async () => {
      const loop = { commands: [BUN, FOLDING], cycles: CYCLES, senders: 32, jobs: 20, roundJobs: 30 }
      const { single, inRounds } = await killInALoop(loop)
      expect(single).toMatchObject(KEPT)
      expect(single.acknowledged).toBeGreaterThanOrEqual(Math.floor(CYCLES / 2) * 32)
      expect(inRounds).toMatchObject(KEPT)
      expect(inRounds.acknowledged).toBeGreaterThan(CYCLES * 30)
    },
    60_000 + CYCLES * 10_000,
  )

  control(
    'would be seen to lose deliveries that it acknowledged before it had committed them',
    async () => {
      const loop = { commands: [BUN, EARLY], cycles: 4, senders: 32, jobs: 20, roundJobs: 30 }
      const { single, inRounds } = await killInALoop(loop)
      expect(single.missing).toBeGreaterThan(0)
      expect(inRounds.missing).toBeGreaterThan(0)
    },
    180_000,
  )
})

describe('workerd, killed with SIGKILL under load', () => {
  test(
    `keeps every acknowledged delivery exactly once over ${EDGE_CYCLES} kills, in objects that flush`,
    async () => {
      const loop = { commands: [EDGE], cycles: EDGE_CYCLES, senders: 16, jobs: 2 }
      const { single } = await killInALoop(loop)
      expect(single).toMatchObject(KEPT)
      expect(single.acknowledged).toBeGreaterThanOrEqual(Math.floor(EDGE_CYCLES / 2) * 16)
    },
    60_000 + EDGE_CYCLES * 10_000,
  )

  control(
    'would be seen to lose deliveries that it acknowledged before it had committed them',
    async () => {
      const { single } = await killInALoop({ commands: [EDGE, EARLY_EDGE], cycles: 6, senders: 16, jobs: 20 })
      expect(single.missing).toBeGreaterThan(0)
    },
    180_000,
  )
})

type Loop = {
  /** The hosts that take turns on the same data; the first one reads them in the end. */
  readonly commands: readonly (readonly string[])[]
  readonly cycles: number
  readonly senders: number
  readonly jobs: number
  /** How many other jobs have their values in rounds. */
  readonly roundJobs?: number
}

type Verdicts = { readonly single: Verdict; readonly inRounds: Verdict }

async function killInALoop({ commands, cycles, senders, jobs, roundJobs = 0 }: Loop): Promise<Verdicts> {
  const [single, inRounds] = [new Ledger(), new Ledger()]
  let host = await startProcess({ command: commands[0] ?? [], dataDir })
  const session = await Session.open(host.url)
  const jobIds = await session.createJobs(host.url, jobs)
  const roundIds = await session.createJobs(host.url, roundJobs)
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const to = { session, url: host.url }
    const loads = [new Senders({ ...to, ledger: single, jobIds, count: senders })]
    if (roundJobs > 0)
      loads.push(
        new Senders({ ...to, ledger: inRounds, jobIds: roundIds, count: ROUND_SENDERS, inRounds: true }),
      )
    // Half of the hosts have answered as many deliveries as there are senders, however slow the machine is.
    if (cycle % 2 === 0) await until(() => (loads[0]?.answers.get(200) ?? 0) >= senders)
    await Bun.sleep(randomInt(50, 350))
    await killAll(host)
    for (const load of loads) await load.stop()
    host = await startProcess({ command: commands[cycle % commands.length] ?? [], dataDir })
  }
  const histories = await session.readHistories(host.url, [...jobIds, ...roundIds])
  await killAll(host)
  return { single: single.compare(histories), inRounds: inRounds.compare(histories) }
}
