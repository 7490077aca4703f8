import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { heartOf, startNode } from '../runner/node.ts'
import type { RunnerNode } from '../runner/node.ts'
import { processesOf } from '../runner/processes.ts'
import { TestService } from '../runner/service.ts'
import type { Known } from '../runner/service.ts'
import { environmentFor, makeRunnerDir } from '../runner/stage.ts'
import { until } from '../until.ts'

const ENDLESS = { files: { 'run.sh': 'echo up; sleep 600 & sleep 600' } }
const MEMORY_MAX_KIB = 400 * 1024

let service: TestService
let dir: string
let runners: RunnerNode[]

beforeEach(async () => {
  service = TestService.start()
  dir = await makeRunnerDir()
  runners = []
})
afterEach(async () => {
  // Killed ones have ended, and what they left was cleared by the next.
  for (const runner of runners) if (runner.isUp) await runner.end()
  await Promise.all(runners.map(({ exited }) => exited))
  await service.pause()
  await rm(dir, { recursive: true, force: true })
})

function start(): RunnerNode {
  const runner = startNode(environmentFor(service, dir, { TIDEMARK_RUNNER_ISOLATION: 'best-effort' }))
  runners.push(runner)
  return runner
}

const isUp = (job: Known) => job.lines.some(({ text }) => text === 'up')
const isRunning = async (job: Known) => (await processesOf(job.assignment.id)).length > 0

describe('the service', () => {
  test('is away while a job ends, loses answers and comes back: all is told, and told once', async () => {
    start()
    const job = service.order({
      files: { 'run.sh': 'echo up; while [ ! -e go ]; do sleep 0.05; done; echo end' },
    })
    await until(() => isUp(job))
    await service.pause()
    await Bun.write(join(dir, 'rooms', job.assignment.id, 'tree', 'go'), '')
    await until(async () => !(await isRunning(job)))
    // The work is done, and the answer is lost.
    const lost = new Set<string>()
    service.loses = (call) => call !== 'POST poll' && !lost.has(call) && lost.add(call).has(call)
    service.resume()
    expect(await job.ended).toMatchObject({ outcome: 'succeeded', logLines: 2 })
    expect(job.lines.map(({ text }) => text)).toEqual(['up', 'end'])
    await until(() => service.polls.at(-1)?.running.length === 0)
    expect(lost).toContain('PUT finish')
  }, 180_000)

  test('forgets its runners: they register again and keep their jobs', async () => {
    start()
    const job = service.order(ENDLESS)
    await until(() => isUp(job))
    const { heartbeats } = job
    service.forgetRunners()
    await until(() => service.runners.length === 2 && job.heartbeats > heartbeats)
    expect(await isRunning(job)).toBe(true)
    const other = service.order({ files: { 'run.sh': 'true' } })
    expect(await other.ended).toMatchObject({ outcome: 'succeeded' })
    expect(service.polls.at(-1)?.running).toContain(job.assignment.id)
  }, 180_000)
})

describe('a runner', () => {
  test('that is killed leaves no process, and the next one has nothing of it', async () => {
    const first = start()
    const jobs = [service.order(ENDLESS), service.order(ENDLESS)]
    await until(() => jobs.every(isUp))
    const [heart = 0] = await heartOf(first.pid)
    first.signal('SIGKILL')
    await until(async () => !(await isRunning(jobs[0] as Known)) && !(await isRunning(jobs[1] as Known)))
    await until(() =>
      Bun.file(`/proc/${heart}/stat`)
        .exists()
        .then((isThere) => !isThere),
    )
    const polls = service.polls.length
    start()
    await until(() => service.polls.length > polls)
    expect(service.polls[polls]).toEqual({ free: 2, running: [] })
    expect(await readdir(join(dir, 'rooms'))).toEqual([])
    expect(jobs.map(({ finished }) => finished)).toEqual([null, null])
  }, 180_000)

  test('that stood still while its jobs were given up kills them and says no more of them', async () => {
    const runner = start()
    const job = service.order(ENDLESS)
    await until(() => isUp(job))
    await runner.signalAll('SIGSTOP')
    job.isFenced = true
    await runner.signalAll('SIGCONT')
    await until(async () => !(await isRunning(job)))
    const other = service.order({ files: { 'run.sh': 'true' } })
    expect(await other.ended).toMatchObject({ outcome: 'succeeded' })
    expect(job.finished).toBeNull()
  }, 180_000)

  test('that is given a job once more ends the attempt that was given up, and then begins the other', async () => {
    start()
    const job = service.order(ENDLESS)
    await until(() => isUp(job))
    const again = service.orderAgain(job, { 'run.sh': 'echo again' })
    expect(await again.ended).toMatchObject({ outcome: 'succeeded' })
    expect(again.lines.map(({ text }) => text)).toEqual(['again'])
    expect(job.finished).toBeNull()
    await until(() => service.polls.at(-1)?.running.length === 0)
  }, 180_000)

  test('hears nothing of the attempt that was given up as if it were of the one that it has', async () => {
    start()
    const job = service.order(ENDLESS)
    await until(() => isUp(job))
    const late = Promise.withResolvers<void>()
    let held = 0
    service.holds = (call, attemptToken) => {
      if (call !== 'POST heartbeat' || attemptToken !== job.assignment.attemptToken) return null
      held++
      return late.promise
    }
    await until(() => held > 0)
    const again = service.orderAgain(job, {
      'run.sh': 'echo up; while [ ! -e go ]; do sleep 0.05; done; echo end',
    })
    await until(() => isUp(again))
    late.resolve()
    const { heartbeats } = again
    await until(() => again.heartbeats > heartbeats + 3)
    await Bun.write(join(dir, 'rooms', again.assignment.id, 'tree', 'go'), '')
    expect(await again.ended).toMatchObject({ outcome: 'succeeded' })
  }, 180_000)

  test('that is too late with a result has it refused', async () => {
    const runner = start()
    const job = service.order({
      files: { 'run.sh': 'echo up; while [ ! -e go ]; do sleep 0.05; done; echo end' },
    })
    await until(() => isUp(job))
    await runner.signalAll('SIGSTOP')
    await Bun.write(join(dir, 'rooms', job.assignment.id, 'tree', 'go'), '')
    await until(async () => !(await isRunning(job)))
    job.isFenced = true
    await runner.signalAll('SIGCONT')
    await until(() => service.polls.at(-1)?.running.length === 0)
    expect(job.finished).toBeNull()
    expect(job.lines.map(({ text }) => text)).toEqual(['up'])
  }, 180_000)

  test('whose process has no time keeps its jobs: its heart is another process', async () => {
    const runner = start()
    const job = service.order(ENDLESS)
    await until(() => isUp(job))
    runner.signal('SIGSTOP')
    const { heartbeats } = job
    await until(() => job.heartbeats > heartbeats + 3)
    const [heart = 0] = await heartOf(runner.pid)
    process.kill(heart, 'SIGKILL')
    runner.signal('SIGCONT')
    const later = job.heartbeats
    await until(() => job.heartbeats > later + 3)
    expect(await heartOf(runner.pid)).not.toContain(heart)
  }, 180_000)

  test('that is told to end ends its jobs, leaves nothing and says so', async () => {
    const runner = start()
    const job = service.order(ENDLESS)
    await until(() => isUp(job))
    const [heart = 0] = await heartOf(runner.pid)
    runner.signal('SIGTERM')
    expect(await runner.exited).toBe(0)
    expect(await isRunning(job)).toBe(false)
    expect(service.polls.at(-1)).toEqual({ free: 0, running: [] })
    expect(await readdir(join(dir, 'rooms'))).toEqual([])
    await until(() =>
      Bun.file(`/proc/${heart}/stat`)
        .exists()
        .then((isThere) => !isThere),
    )
  }, 180_000)

  test('bears floods: of lines, and of one that does not end', async () => {
    const runner = start()
    const flood = service.order({
      files: { 'run.sh': 'yes "$(head -c 5000 /dev/zero | tr "\\0" y)" | head -c 300000000' },
    })
    const line = service.order({ files: { 'run.sh': 'head -c 300000000 /dev/zero' } })
    expect(await flood.ended).toMatchObject({ outcome: 'succeeded' })
    expect(await line.ended).toMatchObject({ outcome: 'succeeded', logLines: 1 })
    const status = await Bun.file(`/proc/${runner.pid}/status`).text()
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(MEMORY_MAX_KIB)
  }, 180_000)
})
