import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { control } from './bounds.ts'
import { until } from '../until.ts'
import { killAll } from './process-tree.ts'
import { Session } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const BLAMING = ['bun', 'test/faults/host.ts', 'forgets-what-it-refused']
const TIMEOUT_MS = 3_000
const HELD_MS = 9_000
const LIVE = 8
const PAUSE_MS = 500

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-refusing-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('the Bun host, while another process locks its values for longer than the timeout of its jobs', () => {
  test('is not ready and says why, blames no sender that goes on, finds a dead one, and has it on record', async () => {
    const { codes, deadCodes, statuses, held, after, gapMs } = await lockOut(BUN)
    expect(statuses).toEqual([200, 503])
    expect(codes).toEqual(Array.from({ length: LIVE }, () => [0]))
    expect(deadCodes).toEqual([0, 5])
    expect(held.status).toBe('failed')
    expect(held.checks['values']).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('locks it') as unknown,
    })
    expect(after.status).toBe('ok')
    expect(gapMs).toBeGreaterThan(HELD_MS / 2)
    expect(gapMs).toBeLessThan(HELD_MS + TIMEOUT_MS)
  }, 180_000)

  control(
    'would be seen to blame a sender',
    async () => {
      // A sender is blamed only where a deadline is judged between two of its deliveries, which takes some chance.
      let codes: readonly unknown[] = []
      for (let tried = 0; tried < 4 && !codes.includes(5); tried++) {
        await rm(dataDir, { recursive: true })
        dataDir = await mkdtemp(join(tmpdir(), 'tidemark-refusing-'))
        codes = (await lockOut(BLAMING)).codes.flat()
      }
      expect(codes).toContain(5)
    },
    180_000,
  )
})

type Ready = {
  readonly status: string
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>
  readonly lastIngestGap: { readonly from: string; readonly to: string } | null
}

/** Senders deliver twice a second, before, while and after the values are locked; another one only before. */
async function lockOut(command: readonly string[]) {
  const host = await startProcess({ command, dataDir })
  const session = await Session.open(host.url)
  const parameters = { timeout: `PT${TIMEOUT_MS / 1_000}S` }
  const [dead = 0, ...live] = await session.createJobs(host.url, 1 + LIVE, parameters)
  const ready = async () => (await (await fetch(`${host.url}/readyz`)).json()) as Ready
  const statuses = new Set<number>()
  const send = async (jobId: number) =>
    void statuses.add((await session.deliver(host.url, jobId, { returnValue1: 1, errorCode: 0 })).status)
  await Promise.all([dead, ...live].map(send))
  const script = join(import.meta.dir, '../hosts/hold-lock.ts')
  const holder = Bun.spawn([process.execPath, script, join(dataDir, 'values.db'), String(HELD_MS)], {
    stdout: 'pipe',
  })
  await holder.stdout.getReader().read()
  const readiness: Ready[] = []
  const untilAt = performance.now() + HELD_MS + 2 * TIMEOUT_MS + 3_000
  const again = async (deed: () => Promise<unknown>, afterMs: number) => {
    await Bun.sleep(afterMs)
    while (performance.now() < untilAt) await Promise.all([deed(), Bun.sleep(PAUSE_MS)])
  }
  await Promise.all([
    ...live.map((jobId, index) => again(() => send(jobId), (index * PAUSE_MS) / LIVE)),
    again(async () => readiness.push(await ready()), 0),
  ])
  await until(async () => (await ready()).status === 'ok')
  const codesOf = async (jobId: number) =>
    (await session.readSamples(host.url, jobId, 'errorCode')).map(({ value }) => value)
  const [codes, deadCodes, after] = [await Promise.all(live.map(codesOf)), await codesOf(dead), await ready()]
  const held = readiness.find(({ status }) => status === 'failed') ?? after
  // On a busy machine a short gap may follow, in which the process stood still.
  const gapMs = Math.max(...[...readiness, after].map(({ lastIngestGap }) => lengthMs(lastIngestGap)))
  await killAll(host)
  return { codes, deadCodes, statuses: [...statuses].toSorted((a, b) => a - b), held, after, gapMs }
}

function lengthMs(gap: Ready['lastIngestGap']): number {
  return gap ? Date.parse(gap.to) - Date.parse(gap.from) : 0
}
