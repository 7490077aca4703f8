import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { KEPT, Ledger } from './ledger.ts'
import type { Verdict } from './ledger.ts'
import { killAll } from './process-tree.ts'
import { Session } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'whole']
const SENDERS = 24
const JOBS = 8

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-repeat-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('senders that send again until they are answered, while the host is killed', () => {
  test('have each of their deliveries kept once under a key: on Bun, over 8 kills', async () => {
    expect(await sendThroughKills(BUN, { kills: 8, hasKeys: true })).toMatchObject({
      ...KEPT,
      unacknowledged: 0,
    })
  }, 120_000)

  test('have each of their deliveries kept once under a key: on workerd, over 3 kills', async () => {
    expect(await sendThroughKills(EDGE, { kills: 3, hasKeys: true })).toMatchObject({
      ...KEPT,
      unacknowledged: 0,
    })
  }, 120_000)

  test('would be seen to have some kept twice without keys', async () => {
    expect((await sendThroughKills(BUN, { kills: 8, hasKeys: false })).twice).toBeGreaterThan(0)
  }, 120_000)
})

async function sendThroughKills(
  command: readonly string[],
  { kills, hasKeys }: { kills: number; hasKeys: boolean },
): Promise<Verdict> {
  const ledger = new Ledger()
  let host = await startProcess({ command, dataDir })
  const session = await Session.open(host.url)
  const jobIds = await session.createJobs(host.url, JOBS)
  let isOver = false
  const send = async (sender: number) => {
    for (let turn = sender; !isOver; turn++) {
      const jobId = jobIds[turn % JOBS] ?? 0
      const value = ledger.send(jobId, sender)
      const headers = hasKeys ? { 'idempotency-key': `${sender}-${value}` } : {}
      for (let status = 0; status !== 200;) {
        const body = { returnValue1: value, errorCode: 0 }
        const answer = await session.deliver(host.url, jobId, body, headers).catch(() => null)
        status = answer?.status ?? 0
        await answer?.arrayBuffer().catch(() => null)
        if (status !== 200) await Bun.sleep(5)
      }
      ledger.acknowledge(jobId, value)
    }
  }
  const senders = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)))
  for (let kill = 0; kill < kills; kill++) {
    await Bun.sleep(randomInt(100, 500))
    await killAll(host)
    host = await startProcess({ command, dataDir })
  }
  await Bun.sleep(100)
  isOver = true
  await senders
  const histories = new Map<number, Awaited<ReturnType<Session['readSamples']>>>()
  for (const jobId of jobIds) histories.set(jobId, await session.readSamples(host.url, jobId))
  await killAll(host)
  return ledger.compare(histories)
}
