import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { snappyOf, writeRequest } from '../api/metrics-bodies.ts'
import { startProcess } from '../hosts/process.ts'
import { control, EVERY_FAULT } from './bounds.ts'
import { KEPT, Ledger } from './ledger.ts'
import type { Verdict } from './ledger.ts'
import { until } from '../until.ts'
import { killAll } from './process-tree.ts'
import { Session } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const FLUSHING = ['bun', 'test/faults/host.ts', 'flushes-all-the-time']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'light-hashes']
const JOBS = 24
/** Each writes its own jobs, as a shard of Prometheus has its own series. */
const WRITERS = 8
const SAMPLES_MAX = 3
/** One kill of each host that takes its turn; by `npm run test:faults` two. */
const KILLS = EVERY_FAULT ? 4 : 2

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-repeat-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

describe('senders that send again until they are answered, while the host is killed', () => {
  test(`have each of their deliveries kept once under a key: on Bun, over ${KILLS} kills`, async () => {
    expect(
      await sendThroughKills([BUN], { kills: KILLS, senders: 24, requestsOf: delivering(true) }),
    ).toMatchObject({ ...KEPT, unacknowledged: 0 })
  }, 180_000)

  test('have each of their deliveries kept once under a key: on workerd, over 2 kills', async () => {
    expect(
      await sendThroughKills([EDGE], { kills: 2, senders: 24, requestsOf: delivering(true) }),
    ).toMatchObject({ ...KEPT, unacknowledged: 0 })
  }, 180_000)

  control(
    'would be seen to have some kept twice without keys',
    async () => {
      expect(await twiceIn({ kills: 4, senders: 24, requestsOf: delivering(false) })).toBeGreaterThan(0)
    },
    180_000,
  )
})

describe('remote writers that repeat a request until it succeeds, while the host is killed', () => {
  test(`have each sample stored once: on Bun, over ${KILLS} kills, half of them during flushes`, async () => {
    const commands = [BUN, FLUSHING]
    expect(
      await sendThroughKills(commands, { kills: KILLS, senders: WRITERS, requestsOf: writing(true) }),
    ).toMatchObject({ ...KEPT, unacknowledged: 0 })
  }, 180_000)

  test('have each sample stored once: on workerd, over 2 kills', async () => {
    expect(
      await sendThroughKills([EDGE], { kills: 2, senders: WRITERS, requestsOf: writing(true) }),
    ).toMatchObject({ ...KEPT, unacknowledged: 0 })
  }, 180_000)

  control(
    'would be seen to have some stored twice if a repetition had other timestamps',
    async () => {
      expect(await twiceIn({ kills: 4, senders: WRITERS, requestsOf: writing(false) })).toBeGreaterThan(0)
    },
    180_000,
  )
})

type SentValue = { readonly jobId: number; readonly value: number }

/** A request, which is sent until it succeeds. */
type Request = { readonly values: readonly SentValue[]; readonly send: (url: string) => Promise<Response> }

/** Makes the next request of a sender. Its values are in the ledger. */
type Requests = (sender: number, turn: number) => Request
type Load = { readonly session: Session; readonly ledger: Ledger; readonly jobIds: readonly number[] }

function delivering(hasKeys: boolean) {
  return ({ session, ledger, jobIds }: Load): Requests =>
    (sender, turn) => {
      const jobId = jobIds[turn % JOBS] ?? 0
      const value = ledger.send(jobId, sender)
      const headers = hasKeys ? { 'idempotency-key': `${sender}-${value}` } : {}
      const body = { returnValue1: value, errorCode: 0 }
      return { values: [{ jobId, value }], send: (url) => session.deliver(url, jobId, body, headers) }
    }
}

function writing(repeatsTimestamps: boolean) {
  return ({ session, ledger, jobIds }: Load): Requests => {
    const newestAt = new Map<number, number>()
    return (sender) => {
      const count = randomInt(1, SAMPLES_MAX + 1)
      const series = jobIds
        .filter((_, index) => index % WRITERS === sender)
        .map((jobId) => ({ jobId, values: Array.from({ length: count }, () => ledger.send(jobId, sender)) }))
      const bodyOf = () => {
        const firstAt = Math.max(Date.now() - count, (newestAt.get(sender) ?? 0) + 1)
        newestAt.set(sender, firstAt + count - 1)
        const all = series.map(({ jobId, values }) => ({
          labels: { __name__: 'value', tidemark_job: String(jobId) },
          samples: values.map((value, index) => [value, firstAt + index] as const),
        }))
        return snappyOf(writeRequest(all))
      }
      const once = bodyOf()
      return {
        values: series.flatMap(({ jobId, values }) => values.map((value) => ({ jobId, value }))),
        send: (url) =>
          fetch(`${url}/api/v1/write`, {
            method: 'POST',
            headers: {
              'x-session-id': session.id,
              'content-type': 'application/x-protobuf',
              'content-encoding': 'snappy',
            },
            body: repeatsTimestamps ? once : bodyOf(),
          }),
      }
    }
  }
}

type Repetition = {
  readonly kills: number
  readonly senders: number
  readonly requestsOf: (load: Load) => Requests
}

/** How many deliveries a host of Bun keeps twice. Whether a kill meets one between its commit and its answer is chance, so
 * it is tried up to four times. */
async function twiceIn(repetition: Repetition): Promise<number> {
  let twice = 0
  for (let tried = 0; tried < 4 && twice === 0; tried++) {
    await rm(dataDir, { recursive: true })
    dataDir = await mkdtemp(join(tmpdir(), 'tidemark-repeat-'))
    ;({ twice } = await sendThroughKills([BUN], repetition))
  }
  return twice
}

/** Kills hosts that take turns on the same data; the first one reads them in the end. */
async function sendThroughKills(
  commands: readonly (readonly string[])[],
  { kills, senders, requestsOf }: Repetition,
): Promise<Verdict> {
  const ledger = new Ledger()
  let host = await startProcess({ command: commands[0] ?? [], dataDir })
  const session = await Session.open(host.url)
  const jobIds = await session.createJobs(host.url, JOBS)
  const next = requestsOf({ session, ledger, jobIds })
  let isOver = false
  let taken = 0
  const send = async (sender: number) => {
    for (let turn = sender; !isOver; turn++) {
      const { values, send: attempt } = next(sender, turn)
      for (let isTaken = false; !isTaken;) {
        const answer = await attempt(host.url).catch(() => null)
        isTaken = answer?.ok ?? false
        await answer?.arrayBuffer().catch(() => null)
        if (!isTaken) await Bun.sleep(5)
      }
      taken++
      for (const { jobId, value } of values) ledger.acknowledge(jobId, value)
    }
  }
  const sending = Promise.all(Array.from({ length: senders }, (_, sender) => send(sender)))
  for (let kill = 1; kill <= kills; kill++) {
    const enough = taken + senders
    // However slow the machine is, requests were answered before each kill.
    await until(() => taken >= enough)
    await Bun.sleep(randomInt(300))
    await killAll(host)
    host = await startProcess({ command: commands[kill % commands.length] ?? [], dataDir })
  }
  await Bun.sleep(100)
  isOver = true
  await sending
  const histories = await session.readHistories(host.url, jobIds)
  await killAll(host)
  return ledger.compare(histories)
}
