import { mkdir, readdir } from 'node:fs/promises'
import { release, type } from 'node:os'
import { join } from 'node:path'

import type { AboutRunner, Assignment } from '../../src/automation/runs/protocol.ts'
import { untilAborted } from '../../src/lib/abort.ts'
import type { Log } from '../../src/ports/log.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { FileCache } from './cache.ts'
import { Client, Refused } from './client.ts'
import { takeDirectory } from './directory.ts'
import { capabilities } from './engines/engines.ts'
import { Environments } from './environments.ts'
import { readForecastFiles } from './forecast-files.ts'
import type { ForecastFiles } from './forecast-files.ts'
import { Heartbeats } from './heartbeats.ts'
import type { BeatNews } from './heartbeats.ts'
import { Job } from './job.ts'
import { pauseOf, sleep } from './pauses.ts'
import type { RunTools } from './run.ts'
import { openSandbox } from './sandbox/sandbox.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { RunnerSettings } from './settings.ts'

const REFUSAL_MAX = 1_000

/** A running runner. */
export type Runner = {
  readonly about: AboutRunner
  /** Ends all runs, and resolves when no process of them is left. The service counts them as lost. */
  close(): Promise<void>
}

/** Registers at the service and runs assigned jobs until it is closed. The remains of an earlier process are removed. */
export async function openRunner(settings: RunnerSettings, log: Log): Promise<Runner> {
  const dir = await takeDirectory(settings.dir)
  const { slots } = settings
  const roomsDir = join(dir, 'rooms')
  const sandbox = await openSandbox({
    directory: join(dir, 'sandbox'),
    slots,
    demand: settings.isolation,
    outboundAllow: settings.outboundAllow,
    service: hostOf(settings.url),
  })
  await clear(roomsDir, sandbox)
  const forecasts = await readForecastFiles(settings.forecastScriptLocation)
  if (forecasts.refusal !== null)
    log.warn('runner: files of forecasts are left out', { refusal: forecasts.refusal })
  const about = await describe(settings, sandbox, forecasts)
  const life = new AbortController()
  const { url, registrationToken } = settings
  const client = new Client({ url, registrationToken, about, log, signal: life.signal })
  const work = new Work(
    {
      client,
      sandbox,
      roomsDir,
      cache: await FileCache.open(join(dir, 'files')),
      environments: await Environments.open(join(dir, 'environments')),
      opened: settings.files,
      forecastFiles: forecasts.files,
      log,
    },
    { url, slots },
  )
  const polling = poll(client, work, { log, signal: life.signal, takesJobs: sandbox.refusal === null })
  warnOf(sandbox, log)
  log.info('runner: started', { url, slots, isolation: about.isolation, refusal: about.refusal })
  return {
    about,
    async close() {
      life.abort()
      await polling
      await work.close()
      await client.leave()
      await sandbox.close()
    },
  }
}

/** Logs at each start that the runner accepts no runs, or runs them without isolation. */
function warnOf({ refusal, isolation }: Sandbox, log: Log): void {
  if (refusal !== null)
    log.warn('runner: scripts do not run here, because this runner accepts no runs', {
      refusal,
      remedy: REMEDY,
    })
  else if (isolation === 'none')
    log.warn(
      'runner: scripts run without isolation, as the user of this runner (TIDEMARK_RUNNER_ISOLATION)',
      {
        user: process.getuid?.() ?? -1,
      },
    )
}

const REMEDY =
  'Install bubblewrap and socat and start the runner as root, or set TIDEMARK_RUNNER_ISOLATION=best-effort to use the best isolation of this machine.'

/** Removes the work folders of an earlier process. */
async function clear(roomsDir: string, sandbox: Sandbox): Promise<void> {
  await mkdir(roomsDir, { recursive: true, mode: 0o711 })
  for (const name of await readdir(roomsDir)) await sandbox.removeRoom(join(roomsDir, name))
}

/** Host and port, also where the URL leaves the port out. */
function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

async function describe(
  settings: RunnerSettings,
  sandbox: Sandbox,
  forecasts: ForecastFiles,
): Promise<AboutRunner> {
  return {
    name: settings.name,
    labels: [...settings.labels],
    capabilities: await capabilities(),
    forecastKinds: [...forecasts.files.keys()],
    forecastRefusal: forecasts.refusal?.slice(0, REFUSAL_MAX) ?? null,
    isolation: sandbox.isolation,
    refusal: sandbox.refusal?.slice(0, REFUSAL_MAX) ?? null,
    slots: settings.slots,
    os: `${type()} ${release()}`,
    version: packageJson.version,
  }
}

type Polling = { readonly log: Log; readonly signal: AbortSignal; readonly takesJobs: boolean }

/** Polls for runs while a slot is free. */
async function poll(client: Client, work: Work, { log, signal, takesJobs }: Polling): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    try {
      await work.untilFree(signal)
      const { jobs } = await client.poll({ free: takesJobs ? work.free : 0, running: work.running })
      for (const job of jobs) work.begin(job)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused) client.complain(error.status, error.detail)
      else log.error('runner: polling the service for runs failed; retrying', error)
      await sleep(pauseOf(++failures), signal).catch(() => undefined)
    }
  }
}

/** The runs of this runner. */
class Work {
  readonly #tools: RunTools
  readonly #heartbeats: Heartbeats
  readonly #jobs = new Map<string, { readonly job: Job; readonly over: Promise<void> }>()
  readonly #slots: number
  #onFree: () => void = () => undefined

  constructor(tools: RunTools, { url, slots }: { url: string; slots: number }) {
    this.#tools = tools
    this.#slots = slots
    const registration = () => tools.client.registration()
    this.#heartbeats = new Heartbeats({
      url,
      registration,
      onNews: (news) => this.#hear(news),
      log: tools.log,
    })
  }

  get free(): number {
    return this.#slots - this.#jobs.size
  }

  get running(): string[] {
    return [...this.#jobs.keys()]
  }

  async untilFree(signal: AbortSignal): Promise<void> {
    while (this.free === 0) {
      const free = new Promise<void>((resolve) => (this.#onFree = resolve))
      await untilAborted(free, signal)
    }
  }

  begin(assignment: Assignment): void {
    const { id, attemptToken } = assignment
    const former = this.#jobs.get(id)
    // The service has given up the former attempt, and assigned the run to this runner again.
    former?.job.stop('fenced')
    const job = new Job(assignment, this.#tools)
    this.#heartbeats.add({ id, attemptToken })
    const begun = former ? former.over.then(() => job.run()) : job.run()
    const over = begun
      .catch((error: unknown) =>
        this.#tools.log.error('runner: a run ended without reporting its result', error, { job: id }),
      )
      .then(() => this.#end(id, job))
    this.#jobs.set(id, { job, over })
  }

  async close(): Promise<void> {
    const jobs = [...this.#jobs.values()]
    for (const { job } of jobs) job.stop('closing')
    await Promise.all(jobs.map(({ over }) => over))
    this.#heartbeats.close()
  }

  #end(id: string, job: Job): void {
    if (this.#jobs.get(id)?.job !== job) return
    this.#heartbeats.remove(id)
    this.#jobs.delete(id)
    this.#onFree()
  }

  #hear({ id, attemptToken, token, news }: BeatNews): void {
    if (news === 'unknown') this.#tools.client.forget(token)
    const job = this.#jobs.get(id)?.job
    // The message may be late, and about an earlier attempt.
    if (news !== 'unknown' && job?.isAttempt(attemptToken))
      job.stop(news === 'cancel' ? 'cancelled' : 'fenced')
  }
}
