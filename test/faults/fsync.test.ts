import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { control, EVERY_FAULT } from './bounds.ts'
import { KEPT, Ledger } from './ledger.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const EARLY = ['bun', 'test/faults/host.ts', 'acknowledges-early']
const FOLDING = ['bun', 'test/faults/host.ts', 'flushes-all-the-time']
const IGNORING = ['bun', 'test/faults/host.ts', 'ignores-failures']
/** `npm run faults:fsync` takes them all. */
const FLUSHES_MAX = Number(process.env['TIDEMARK_TEST_FLUSHES'] ?? 0)
const SOME_FLUSHES = EVERY_FAULT ? [10, 40, 90, 150, 240] : [10, 90]
const FLUSHES = FLUSHES_MAX > 0 ? Array.from({ length: FLUSHES_MAX }, (_, index) => index + 1) : SOME_FLUSHES
/** By then the host serves. */
const SERVING_FLUSH = 30
const EXIT_STORAGE = 71
const DELIVERIES = 20

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-fsync-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

/** The data of a host with ten jobs, to copy. */
let prepared: { readonly folder: string; readonly session: Session; readonly jobIds: readonly number[] }
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-fsync-'))
  const host = await startProcess({ command: BUN, dataDir: folder })
  const session = await Session.open(host.url)
  prepared = { folder, session, jobIds: await session.createJobs(host.url, 10) }
  host.signal('SIGTERM')
  await host.exited
})
afterAll(() => rm(prepared.folder, { recursive: true }))

// On Debian: apt-get install strace
describe.skipIf(Bun.which('strace') === null)('the Bun host, watched from the kernel', () => {
  test('lets no 200 out before the journal that holds the delivery was flushed to the disk', async () => {
    const answers = await watchAnswers(BUN)
    expect(answers).toEqual({ afterFlush: DELIVERIES, beforeFlush: 0 })
  }, 180_000)

  control(
    'would be seen to answer before the flush',
    async () => {
      const answers = await watchAnswers(EARLY)
      expect(answers.beforeFlush).toBeGreaterThan(0)
    },
    180_000,
  )

  test.each(FLUSHES)(
    'refuses what waits when flush %d fails, ends for its supervisor, and has everything acknowledged at its next start',
    async (nth) => {
      const { verdict, code, statuses } = await failFlush(BUN, nth)
      expect(code).toBe(EXIT_STORAGE)
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
      expect(verdict).toMatchObject(KEPT)
      if (nth >= SERVING_FLUSH) {
        expect(statuses).toEqual([200, 503])
        expect(verdict.acknowledged).toBeGreaterThan(0)
      }
    },
    180_000,
  )

  test.each(EVERY_FAULT ? [70, 130] : [70])(
    'does the same when flush %d fails while it flushes all the time',
    async (nth) => {
      const { verdict, code, statuses } = await failFlush(FOLDING, nth)
      expect(code).toBe(EXIT_STORAGE)
      expect(statuses).toEqual([200, 503])
      expect(verdict).toMatchObject(KEPT)
    },
    180_000,
  )

  control(
    'would be seen to lose, did it take a failed flush for a good one',
    async () => {
      const { verdict } = await failFlush(IGNORING, 60)
      expect(verdict.missing).toBeGreaterThan(0)
    },
    180_000,
  )
})

/** A host with data that loses its disk at the nth flush under load, and what its successor has. */
async function failFlush(command: readonly string[], nth: number) {
  const ledger = new Ledger()
  const { folder, session, jobIds } = prepared
  await cp(folder, dataDir, { recursive: true })
  const inject = ['-e', 'trace=fsync,fdatasync', '-e', `inject=fsync,fdatasync:error=EIO:when=${nth}+`]
  const broken = { command: ['strace', '-f', '-o', '/dev/null', ...inject, ...command], dataDir }
  // One that fails while it starts has told nobody anything.
  const host = nth < SERVING_FLUSH ? await startProcess(broken).catch(() => null) : await startProcess(broken)
  const load = host && new Senders({ session, ledger, url: host.url, jobIds, count: 8 })
  const code = host ? await host.exited : EXIT_STORAGE
  await load?.stop()

  const again = await startProcess({ command: BUN, dataDir })
  const histories = await session.readHistories(again.url, jobIds)
  await killAll(again)
  const statuses = [...(load?.answers.keys() ?? [])].toSorted((a, b) => a - b)
  return { verdict: ledger.compare(histories), code, statuses }
}

/** Delivers one value after the other under strace, and counts the answers that left before and after a flush. */
async function watchAnswers(
  command: readonly string[],
): Promise<{ afterFlush: number; beforeFlush: number }> {
  const trace = join(dataDir, 'trace')
  const calls = 'trace=fsync,fdatasync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg'
  const strace = ['strace', '-f', '-y', '-s', '64', '-o', trace, '-e', calls]
  const host = await startProcess({ command: [...strace, ...command], dataDir })
  const session = await Session.open(host.url)
  const [jobId = 0] = await session.createJobs(host.url, 1)
  for (let index = 0; index < DELIVERIES; index++) {
    const answer = await session.deliver(host.url, jobId, { returnValue1: index, errorCode: 0 })
    await answer.arrayBuffer()
  }
  await killAll(host)
  return countAnswers(await Bun.file(trace).text())
}

/** strace prints the bytes of an interrupted read after `resumed>`, without a parenthesis. */
const RECEIVED = /(?:read|recv)\w*(?:\(| resumed>).*"POST \/webcollector/
const ANSWERED = /(?:write|send)\w*\(.*"HTTP\/1\.1 200/
const FLUSHED = /f(?:data)?sync\(\d+<[^>]*values\.db-wal>\) += 0/
const FLUSH_BEGAN = /^(\d+) .*f(?:data)?sync\(\d+<[^>]*values\.db-wal> <unfinished/
const FLUSH_ENDED = /^(\d+) .*<\.\.\. f(?:data)?sync resumed>\) += 0/

function countAnswers(trace: string): { afterFlush: number; beforeFlush: number } {
  const count = { afterFlush: 0, beforeFlush: 0 }
  const flushing = new Set<string | undefined>()
  let waits: 'nothing' | 'flush' | 'answer' = 'nothing'
  for (const line of trace.split('\n')) {
    const began = FLUSH_BEGAN.exec(line)
    const ended = FLUSH_ENDED.exec(line)
    if (began) flushing.add(began[1])
    const isFlushed = FLUSHED.test(line) || (ended !== null && flushing.delete(ended[1]))
    if (RECEIVED.test(line)) waits = 'flush'
    else if (isFlushed && waits === 'flush') waits = 'answer'
    else if (ANSWERED.test(line) && waits !== 'nothing') {
      if (waits === 'answer') count.afterFlush++
      else count.beforeFlush++
      waits = 'nothing'
    }
  }
  return count
}
