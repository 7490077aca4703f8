import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { KEPT, Ledger } from './ledger.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'
import type { Stored } from './session.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const EARLY = ['bun', 'test/faults/host.ts', 'acknowledges-early']
const EXIT_STORAGE = 71
const DELIVERIES = 20

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-fsync-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

// On Debian: apt-get install strace
describe.skipIf(Bun.which('strace') === null)('the Bun host, watched from the kernel', () => {
  test('lets no 200 out before the journal that holds the delivery was flushed to the disk', async () => {
    const answers = await watchAnswers(BUN)
    expect(answers).toEqual({ afterFlush: DELIVERIES, beforeFlush: 0 })
  }, 60_000)

  test('would be seen to answer before the flush', async () => {
    const answers = await watchAnswers(EARLY)
    expect(answers.beforeFlush).toBeGreaterThan(0)
  }, 60_000)

  test.each([60, 150, 240])(
    'refuses what waits when flush %d fails, ends for its supervisor, and has everything acknowledged at its next start',
    async (nth) => {
      const ledger = new Ledger()
      const first = await startProcess({ command: BUN, dataDir })
      const session = await Session.open(first.url)
      const jobIds = await session.createJobs(first.url, 10)
      first.signal('SIGTERM')
      await first.exited

      const inject = ['-e', 'trace=fsync,fdatasync', '-e', `inject=fsync,fdatasync:error=EIO:when=${nth}+`]
      const host = await startProcess({
        command: ['strace', '-f', '-o', '/dev/null', ...inject, ...BUN],
        dataDir,
      })
      const load = new Senders({ session, ledger, url: host.url, jobIds, count: 8 })
      expect(await host.exited).toBe(EXIT_STORAGE)
      await load.stop()
      expect([...load.answers.keys()].toSorted((a, b) => a - b)).toEqual([200, 503])

      const again = await startProcess({ command: BUN, dataDir })
      const histories = new Map<number, readonly Stored[]>()
      for (const jobId of jobIds) histories.set(jobId, await session.readSamples(again.url, jobId))
      await killAll(again)
      const verdict = ledger.compare(histories)
      expect(verdict).toMatchObject(KEPT)
      expect(verdict.acknowledged).toBeGreaterThan(0)
    },
    60_000,
  )
})

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

const RECEIVED = /(?:read|recv)\w*\(.*"POST \/webcollector/
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
