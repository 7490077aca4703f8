import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openLibsql } from '../../../workers/server/libsql.ts'
import { startProcess } from '../../hosts/process.ts'
import type { HostProcess } from '../../hosts/process.ts'
import { Ledger } from '../ledger.ts'
import { killAll } from '../process-tree.ts'
import { Senders } from '../senders.ts'
import { Session } from '../session.ts'
import { readUntil } from '../../until.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const UNFAIR = ['bun', 'test/faults/host.ts', 'credits-nothing']
const TIMEOUT_MS = 3_000
const AWAY_MS = TIMEOUT_MS + 1_000
const PARAMETERS = { timeout: `PT${TIMEOUT_MS / 1000}S` }
const LIVE = 10
const DEAD = 5

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-stall-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('the Bun host, away for longer than the timeout of its jobs', () => {
  test.each([
    ['paused with SIGSTOP', pause],
    ['killed and started again', restart],
  ])(
    'blames no living sender when it was %s, and finds each dead one within twice the timeout',
    async (_, leave) => {
      const { falselyBlamed, foundAfterMs, transitions } = await beAway(BUN, leave)
      expect(falselyBlamed).toBe(0)
      expect(foundAfterMs).toHaveLength(DEAD)
      for (const ms of foundAfterMs) expect(ms).toBeLessThanOrEqual(2 * TIMEOUT_MS)
      // The states meanwhile are unknown, and the history has them as unknown.
      const gaps = transitions.filter(({ reason }) => reason === 'platform').map(({ to }) => to)
      expect(new Set(gaps)).toEqual(new Set(['no_data', 'ok']))
      expect(transitions.filter(({ at, detectedAt }) => detectedAt < at)).toEqual([])
    },
    180_000,
  )

  test.each([
    ['paused with SIGSTOP', pause],
    ['killed and started again', restart],
  ])(
    'would be seen to blame living senders when it was %s and credited nothing',
    async (_, leave) => {
      const { falselyBlamed } = await beAway(UNFAIR, leave)
      expect(falselyBlamed).toBeGreaterThan(0)
    },
    180_000,
  )
})

type Leave = (host: HostProcess, command: readonly string[]) => Promise<HostProcess>

async function pause(host: HostProcess): Promise<HostProcess> {
  host.signal('SIGSTOP')
  await Bun.sleep(AWAY_MS)
  host.signal('SIGCONT')
  return host
}

async function restart(host: HostProcess, command: readonly string[]): Promise<HostProcess> {
  await killAll(host)
  await Bun.sleep(AWAY_MS)
  return startProcess({ command, dataDir })
}

/** Living senders go on through the absence, dead ones delivered last just before it. */
async function beAway(command: readonly string[], leave: Leave) {
  const before = await startProcess({ command, dataDir })
  const session = await Session.open(before.url)
  const live = await session.createJobs(before.url, LIVE, PARAMETERS)
  const dead = await session.createJobs(before.url, DEAD, PARAMETERS)
  const ledger = new Ledger()
  const sendersAt = (url: string) =>
    live.map((jobId) => new Senders({ session, ledger, url, jobIds: [jobId], count: 1, pauseMs: 200 }))
  let senders = sendersAt(before.url)
  for (const jobId of dead) await session.deliver(before.url, jobId, { returnValue1: 1, errorCode: 0 })

  const after = await leave(before, command)
  const backAt = Date.now()
  if (after !== before) {
    await Promise.all(senders.map((sender) => sender.stop()))
    senders = sendersAt(after.url)
  }
  const found = await Promise.all(dead.map((jobId) => silenceOf(session, after.url, jobId)))
  await Promise.all(senders.map((sender) => sender.stop()))
  let falselyBlamed = 0
  for (const jobId of live) {
    const codes = await session.readSamples(after.url, jobId, 'errorCode')
    if (codes.some(({ value }) => value === 5)) falselyBlamed++
  }
  await killAll(after)
  return { falselyBlamed, foundAfterMs: found.map((at) => at - backAt), transitions: await readTransitions() }
}

/** When error code 5 began. */
async function silenceOf(session: Session, url: string, jobId: number): Promise<number> {
  const job = await readUntil(
    () => session.get(url, `/jobs/${jobId}`),
    ({ errorCode }) => errorCode === 5,
  )
  return Date.parse(String(job['stateSince']))
}

type Found = {
  readonly at: number
  readonly detectedAt: number
  readonly to: string
  readonly reason: string
}

async function readTransitions(): Promise<readonly Found[]> {
  const system = await openLibsql(`file:${join(dataDir, 'config.db')}`)
  const { rows } = await system.client.execute(
    'select at, detected_at as "detectedAt", to_state as "to", reason from transitions order by object_id, seq',
  )
  await system.close()
  return rows as unknown as readonly Found[]
}
