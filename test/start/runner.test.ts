import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ADMIN } from '../hosts/host.ts'
import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { administratorOf } from '../runner/administrator.ts'
import { childrenOf } from '../runner/processes.ts'
import { makeRunnerDir } from '../runner/stage.ts'
import { until } from '../until.ts'

type RunnerView = { readonly name: string }

let dataDir: string
let runnerDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-start-'))
  runnerDir = await makeRunnerDir()
})
afterAll(async () => {
  for (const dir of [dataDir, runnerDir]) await rm(dir, { recursive: true, force: true })
})

const start = () =>
  startProcess({
    command: ['bun', 'workers/bun/main.ts'],
    dataDir,
    environment: { TIDEMARK_RUNNER: 'on', TIDEMARK_RUNNER_DIR: runnerDir, TIDEMARK_RUNNER_NAME: 'beside' },
  })

const runnerOf = async (host: HostProcess) => (await childrenOf(host.pid, 'runner/main.ts'))[0] ?? 0

const isThere = (pid: number) => Bun.file(`/proc/${pid}/stat`).exists()

/** What the service knows of the runner beside it. */
async function registered(host: HostProcess): Promise<RunnerView | undefined> {
  const runners = await administratorOf(host.url).json<RunnerView[]>('GET', '/runners')
  return runners.find(({ name }) => name === 'beside')
}

test('a runner starts with the service, without any set-up, and is started again when it dies', async () => {
  const host = await start()
  await until(async () => (await registered(host)) !== undefined)
  const first = await runnerOf(host)
  expect(await Bun.file(`/proc/${first}/environ`).text()).not.toContain(ADMIN.password)
  process.kill(first, 'SIGKILL')
  await until(async () => ![0, first].includes(await runnerOf(host)))
  const second = await runnerOf(host)

  host.signal('SIGTERM')
  expect(await host.exited).toBe(0)
  expect(await isThere(second)).toBe(false)
}, 180_000)

test('it ends with a service that is killed', async () => {
  const host = await start()
  await until(async () => (await runnerOf(host)) > 0)
  const runner = await runnerOf(host)
  host.signal('SIGKILL')
  await host.exited
  await until(async () => !(await isThere(runner)))
}, 180_000)
