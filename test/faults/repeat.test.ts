import { describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'

import { snappyOf, writeRequest } from '../api/metrics-bodies.ts'
import { startProcess } from '../hosts/process.ts'
import { control, EVERY_FAULT } from './bounds.ts'
import { inDataDir } from './data-dir.ts'
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
const CONTROL_KILLS = 4
/** A host that starts has the processors: senders that call it without a pause would delay it. */
const REPEAT_PAUSE_MS = 100

const SENDERS = [
  { count: 24, requestsOf: delivering(true) },
  { count: WRITERS, requestsOf: writing(true) },
]

describe('senders and remote writers that repeat a request until it succeeds, while the host is killed', () => {
  test.each([
    { host: 'Bun', kills: KILLS, commands: [BUN, FLUSHING] },
    { host: 'workerd', kills: 2, commands: [EDGE] },
  ])(
    'have each delivery kept once under its key, and each sample once: on $host, over $kills kills',
    async ({ kills, commands }) => {
      const verdicts = await sendThroughKills(commands, kills, SENDERS)
      for (const verdict of verdicts) expect(verdict).toMatchObject({ ...KEPT, unacknowledged: 0 })
    },
    180_000,
  )

  control(
    'would be seen to have some deliveries kept twice without keys',
    async () => {
      expect(await twiceIn({ count: 24, requestsOf: delivering(false) })).toBeGreaterThan(0)
    },
    180_000,
  )

  control(
    'would be seen to have some samples stored twice if a repetition had other timestamps',
    async () => {
      expect(await twiceIn({ count: WRITERS, requestsOf: writing(false) })).toBeGreaterThan(0)
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

/** Senders of one kind, with jobs of their own. */
type Kind = { readonly count: number; readonly requestsOf: (load: Load) => Requests }

/** How many deliveries a host of Bun keeps twice. Whether a kill meets one between its commit and its answer is chance, so
 * it is tried up to four times. */
async function twiceIn(kind: Kind): Promise<number> {
  let twice = 0
  for (let tried = 0; tried < 4 && twice === 0; tried++)
    for (const verdict of await sendThroughKills([BUN], CONTROL_KILLS, [kind])) twice += verdict.twice
  return twice
}

/** Starts the senders of a kind: how many of their requests were answered, and their end. */
async function begin(kind: Kind, session: Session, urlOf: () => string) {
  const ledger = new Ledger()
  const jobIds = await session.createJobs(urlOf(), JOBS)
  const next = kind.requestsOf({ session, ledger, jobIds })
  let [isOver, taken] = [false, 0]
  const send = async (sender: number) => {
    for (let turn = sender; !isOver; turn++) {
      const { values, send: attempt } = next(sender, turn)
      for (let isTaken = false; !isTaken;) {
        const answer = await attempt(urlOf()).catch(() => null)
        isTaken = answer?.ok ?? false
        await answer?.arrayBuffer().catch(() => null)
        if (!isTaken) await Bun.sleep(REPEAT_PAUSE_MS)
      }
      taken++
      for (const { jobId, value } of values) ledger.acknowledge(jobId, value)
    }
  }
  const sending = Promise.all(Array.from({ length: kind.count }, (_, sender) => send(sender)))
  return {
    taken: () => taken,
    enough: () => taken + kind.count,
    end: async (): Promise<Verdict> => {
      isOver = true
      await sending
      return ledger.compare(await session.readHistories(urlOf(), jobIds))
    },
  }
}

/** Kills hosts that take turns on the same data; the first one reads them in the end.
 * @returns a verdict for each kind */
const sendThroughKills = (commands: readonly (readonly string[])[], kills: number, kinds: readonly Kind[]) =>
  inDataDir(async (dataDir) => {
    const start = (turn: number) => startProcess({ command: commands[turn % commands.length] ?? [], dataDir })
    let host = await start(0)
    const session = await Session.open(host.url)
    const loads = await Array.fromAsync(kinds, (kind) => begin(kind, session, () => host.url))
    for (let kill = 1; kill <= kills; kill++) {
      const wanted = loads.map((load) => load.enough())
      // However slow the machine is, requests of each kind were answered before each kill.
      await until(() => loads.every((load, at) => load.taken() >= (wanted[at] ?? 0)))
      await Bun.sleep(randomInt(300))
      await killAll(host)
      host = await start(kill)
    }
    await Bun.sleep(100)
    const verdicts = await Promise.all(loads.map((load) => load.end()))
    await killAll(host)
    return verdicts
  })
