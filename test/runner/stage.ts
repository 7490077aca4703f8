import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { jsonLog } from '../../workers/json-log.ts'
import { openRunner } from '../../workers/runner/runner.ts'
import { readRunnerSettings } from '../../workers/runner/settings.ts'
import type { AboutRunner } from '../../src/automation/runs/protocol.ts'
import { ON_DENO } from '../hosts/process.ts'
import { until } from '../until.ts'
import { startNode } from './node.ts'
import { TestService } from './service.ts'

/** A runner of a service, in a directory of its own. */
export type RunnerStage = {
  readonly runner: { readonly about: Pick<AboutRunner, 'isolation' | 'capabilities'> }
  readonly dir: string
  readonly logs: readonly string[]
  close(): Promise<void>
}

export async function openRunnerOf(
  service: Pick<TestService, 'url' | 'registrationToken'>,
  environment: Readonly<Record<string, string>>,
): Promise<RunnerStage> {
  const dir = await makeRunnerDir()
  if (ON_DENO) return onDeno(service, dir, environment)
  const logs: string[] = []
  const runner = await openRunner(
    readRunnerSettings(environmentFor(service, dir, environment)),
    jsonLog((line) => logs.push(line)),
  )
  return {
    runner,
    dir,
    logs,
    async close() {
      await runner.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A runner on Deno, which is a process of its own. */
async function onDeno(
  service: Pick<TestService, 'url' | 'registrationToken'>,
  dir: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunnerStage> {
  const { logs, ...node } = startNode(environmentFor(service, dir, environment))
  const started = () => logs.find((line) => line.includes('"runner: started"'))
  await until(() => started() !== undefined)
  const { isolation } = JSON.parse(started() ?? '') as Pick<AboutRunner, 'isolation'>
  if (service instanceof TestService) await until(() => service.runners.length > 0)
  const [about] = service instanceof TestService ? service.runners : []
  return {
    runner: { about: about ?? { isolation, capabilities: [] } },
    dir,
    logs,
    async close() {
      node.signal('SIGTERM')
      await node.exited
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A service and a runner that runs what it is given, without a sandbox around it. */
export type Stage = RunnerStage & { readonly service: TestService }

export async function openStage(environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const service = TestService.start()
  const opened = await openRunnerOf(service, environment)
  return {
    ...opened,
    service,
    async close() {
      await opened.close()
      await service.pause()
    },
  }
}

/** A directory that jobs can get to, which run as other users. */
export async function makeRunnerDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-runner-'))
  await chmod(dir, 0o711)
  return dir
}

/** The settings of a runner under test. */
export function environmentFor(
  { url, registrationToken }: Pick<TestService, 'url' | 'registrationToken'>,
  dir: string,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    TIDEMARK_RUNNER_URL: url,
    TIDEMARK_RUNNER_TOKEN: registrationToken,
    TIDEMARK_RUNNER_NAME: 'under test',
    TIDEMARK_RUNNER_SLOTS: '2',
    TIDEMARK_RUNNER_DIR: dir,
    TIDEMARK_RUNNER_ISOLATION: 'best-effort',
    ...environment,
  }
}
