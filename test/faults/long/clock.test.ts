import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../../hosts/process.ts'
import { KEPT, Ledger } from '../ledger.ts'
import { killAll } from '../process-tree.ts'
import { Senders } from '../senders.ts'
import { Session } from '../session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const UNFAIR = ['bun', 'test/faults/host.ts', 'credits-nothing']
// On Debian: apt-get install faketime
const [library] = [...new Bun.Glob('usr/lib/*/faketime/libfaketime.so.1').scanSync('/')]
const TIMEOUT_MS = 3_000
const LIVE = 5

describe.skipIf(library === undefined)('the Bun host, whose clock is set while it runs', () => {
  test('by -1 h or +2 h, or ahead and back, blames no living sender, loses nothing, and finds a dead one once and in time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-clock-'))
    const [back, forth, astray, unfair] = await Promise.all([
      setClock(BUN, { dataDir: join(folder, 'back'), offsets: ['-1h'] }),
      setClock(BUN, { dataDir: join(folder, 'forth'), offsets: ['+2h'] }),
      setClock(BUN, { dataDir: join(folder, 'astray'), offsets: ['+20h', '+0'] }),
      setClock(UNFAIR, { dataDir: join(folder, 'unfair'), offsets: ['+2h'] }),
    ])
    await rm(folder, { recursive: true })
    for (const { blamed, verdict } of [back, forth, astray]) {
      expect(blamed).toBe(0)
      expect(verdict).toMatchObject(KEPT)
      expect(verdict.acknowledged).toBeGreaterThan(LIVE * 3)
    }
    for (const { deadCodes } of [back, forth, astray]) expect(deadCodes).toEqual([0, 5])
    expect([back, forth, astray].map(({ warnings }) => warnings.includes('clock_behind'))).toEqual([
      true,
      false,
      true,
    ])
    expect(back.restartedCodes).toEqual([0, 5, 0, 5])
    // Set ahead it looks as if nothing could be received meanwhile; set back it does not.
    expect(back.gapMs).toBe(0)
    expect(Math.abs(forth.gapMs - 2 * 3_600_000)).toBeLessThan(60_000)
    // The control: if a jump of the clock counts as silence, jobs time out.
    expect(unfair.blamed).toBeGreaterThan(0)
  }, 180_000)
})

type Ready = {
  readonly lastIngestGap: { readonly from: string; readonly to: string } | null
  readonly warnings: readonly { readonly code: string }[]
}
type Set = { readonly dataDir: string; readonly offsets: readonly string[] }

async function setClock(command: readonly string[], { dataDir, offsets }: Set) {
  const clock = join(dataDir, 'clock')
  await Bun.write(clock, '+0')
  const environment = {
    LD_PRELOAD: `/${library}`,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  const host = await startProcess({ command, dataDir, environment })
  const session = await Session.open(host.url)
  const parameters = { timeout: `PT${TIMEOUT_MS / 1_000}S` }
  const live = await session.createJobs(host.url, LIVE, parameters)
  const [dead = 0] = await session.createJobs(host.url, 1, parameters)
  const ledger = new Ledger()
  const load = new Senders({ session, ledger, url: host.url, jobIds: live, count: LIVE, pauseMs: 1_000 })
  await session.deliver(host.url, dead, { returnValue1: 1, errorCode: 0 })
  for (const offset of offsets) {
    await Bun.sleep(500)
    await Bun.write(clock, offset)
  }
  await Bun.sleep(2 * TIMEOUT_MS + 500)
  await load.stop()
  const codesOf = async (jobId: number) =>
    (await session.readSamples(host.url, jobId, 'errorCode')).map(({ value }) => value)
  const codes = await Promise.all(live.map(codesOf))
  const blamed = codes.filter((each) => each.includes(5)).length
  const deadCodes = await codesOf(dead)
  const verdict = ledger.compare(await session.readHistories(host.url, live))
  const ready = (await (await fetch(`${host.url}/readyz`)).json()) as Ready
  const { lastIngestGap } = ready
  const gapMs = lastIngestGap ? Date.parse(lastIngestGap.to) - Date.parse(lastIngestGap.from) : 0
  const warnings = ready.warnings.map(({ code }) => code)
  // A process that finds what is stored ahead of its clock finds silence as well.
  await session.deliver(host.url, dead, { returnValue1: 1, errorCode: 0 })
  await killAll(host)
  const again = await startProcess({ command, dataDir, environment })
  await Bun.sleep(2 * TIMEOUT_MS + 500)
  const restartedCodes = (await session.readSamples(again.url, dead, 'errorCode')).map(({ value }) => value)
  await killAll(again)
  return { blamed, deadCodes, restartedCodes, verdict, gapMs, warnings }
}
