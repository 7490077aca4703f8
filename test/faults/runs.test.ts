import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'

import type { JobView } from '../../src/automation/runs/schema.ts'
import { startBun } from '../hosts/bun.ts'
import type { Host } from '../hosts/host.ts'
import { administratorOf } from '../runner/administrator.ts'
import { startNode } from '../runner/node.ts'
import type { RunnerNode } from '../runner/node.ts'
import { processesOf } from '../runner/processes.ts'
import { environmentFor, makeRunnerDir } from '../runner/stage.ts'
import { until } from '../until.ts'
import { EVERY_FAULT } from './bounds.ts'

const registrationToken = 'a-token-of-this-test-with-32-characters-or-more'
/** By `npm run test:faults` more. */
const [SCRIPTS, RUNS_EACH, KILLS] = EVERY_FAULT ? [6, 5, 3] : [4, 4, 2]

let host: Host
let call: ReturnType<typeof administratorOf>['call']
let json: ReturnType<typeof administratorOf>['json']
let dir: string
let otherDir: string
let now: number
let runners: RunnerNode[]

beforeEach(async () => {
  now = Date.now()
  // The clock stands until a test moves it: what is given up is given up because of that.
  host = await startBun(
    { TIDEMARK_RUNNER_TOKEN: registrationToken },
    { clock: { now: () => now, monotonic: () => now } },
  )
  ;({ call, json } = administratorOf(host.url))
  dir = await makeRunnerDir()
  otherDir = await makeRunnerDir()
  runners = []
})
afterEach(async () => {
  for (const runner of runners) if (runner.isUp) await runner.end()
  await Promise.all(runners.map(({ exited }) => exited))
  await host.close()
  for (const each of [dir, otherDir]) await rm(each, { recursive: true, force: true })
})

function start(environment: Readonly<Record<string, string>> = {}): RunnerNode {
  const runner = startNode(environmentFor({ url: host.url, registrationToken }, dir, environment))
  runners.push(runner)
  return runner
}

/** A script whose runs are tried again as often as that. @returns its path */
async function scriptOf(text: string, retries: number): Promise<string> {
  const { id } = await json<{ id: number }>('POST', '/scripts', { name: crypto.randomUUID() })
  await call('PUT', `/scripts/${id}/files/run.sh`, text)
  await json('POST', `/scripts/${id}/runConfigurations`, { name: 'one', isDefault: true, retries })
  return `/scripts/${id}`
}

const linesOf = async (path: string) =>
  (await json<{ lines: { text: string }[] }>('GET', `${path}/log`)).lines.map(({ text }) => text)

test('a runner that is killed again and again loses no run and ends none twice', async () => {
  const scripts: string[] = []
  for (let made = 0; made < SCRIPTS; made++) scripts.push(await scriptOf('sleep 0.1; echo "$SVC_JOB_ID"', 5))
  const paths: string[] = []
  for (const script of scripts) {
    for (let ordered = 0; ordered < RUNS_EACH; ordered++)
      paths.push(`${script}/jobs/${(await json<JobView>('POST', `${script}/run`, {})).id}`)
  }
  const jobs = () => Promise.all(paths.map((path) => json<JobView>('GET', path)))
  const countOf = async (state: string) => (await jobs()).filter((job) => job.state === state).length

  let ended = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const runner = start()
    await until(async () => (await countOf('running')) > 0 && (await countOf('succeeded')) > ended)
    runner.signal('SIGKILL')
    await runner.exited
    ended = await countOf('succeeded')
  }
  start()
  await until(async () => (await countOf('succeeded')) === paths.length)
  const attempts = (await jobs()).map(({ attempt }) => attempt)
  expect(Math.max(...attempts)).toBeGreaterThan(1)
  for (const path of paths) expect(await linesOf(path)).toEqual([path.split('/').at(-1) ?? ''])
}, 180_000)

test('a runner that stood still beyond its lease has its result refused, and the run is done by another', async () => {
  // The runner has no room for another job, so it does not wait for one.
  const first = start({ TIDEMARK_RUNNER_SLOTS: '1' })
  const script = await scriptOf('echo "$SVC_JOB_ID"; sleep 600', 1)
  const { id } = await json<JobView>('POST', `${script}/run`, {})
  const path = `${script}/jobs/${id}`
  const read = () => json<JobView>('GET', path)
  await until(async () => (await linesOf(path)).length === 1)
  await first.signalAll('SIGSTOP')

  await call('PUT', `${script}/files/run.sh`, 'echo again')
  now += 60_000
  start({ TIDEMARK_RUNNER_NAME: 'another', TIDEMARK_RUNNER_DIR: otherDir })
  await until(async () => (await read()).state === 'succeeded')
  expect(await read()).toMatchObject({ attempt: 2, runner: 'another', exitCode: 0 })

  await first.signalAll('SIGCONT')
  await until(async () => (await processesOf(id)).length === 0)
  expect(await read()).toMatchObject({ state: 'succeeded', attempt: 2, runner: 'another' })
  expect(await linesOf(path)).toContain('again')
}, 180_000)
