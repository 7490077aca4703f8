import { healthReports } from '../../src/app.ts'
import { RELEASE, healthWarnings } from '../../src/operations/health/service.ts'
import { jsonLog } from '../json-log.ts'
import { refuseHalfRestored } from './data-directory.ts'
import { startRunnerChild } from './runner-child.ts'
import type { Runtime } from './runtime.ts'
import { startServer, toStandardError } from './server.ts'
import type { Server } from './server.ts'
import { readServerSettings, settingWarnings } from './settings.ts'
import type { ServerSettings } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Serves until SIGTERM or SIGINT, and prints the address. */
export async function serve(environment: Environment, runtime: Runtime): Promise<void> {
  const settings = readServerSettings(environment)
  const log = jsonLog(toStandardError)
  for (const warning of settingWarnings(environment)) log.warn(warning)
  await refuseHalfRestored(settings.dataDir)
  const server = await startServer(settings, runtime, { log })
  const endRunner = settings.startsRunner ? startRunner(server, settings.dataDir) : null
  stopOnSignals(server, endRunner)
  for (const { code, detail } of await healthWarnings(server.ports, healthReports))
    server.ports.log.warn(detail, { code })
  process.stdout.write(welcome(server, settings))
}

function startRunner({ url, ports }: Server, dataDir: string): (() => Promise<void>) | null {
  const { runnerToken } = ports.settings
  if (runnerToken === null) return null
  return startRunnerChild({ url, token: runnerToken, dataDir, environment: process.env, log: ports.log })
}

function stopOnSignals(server: Server, endRunner: (() => Promise<void>) | null): void {
  const { log } = server.ports
  const startedAt = performance.now()
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) return
    isStopping = true
    log.info('stopping: finishing the requests that have begun', { signal })
    try {
      // The runner first, so that the service stores its last reports.
      await endRunner?.()
      await server.close()
    } catch (error) {
      log.error('stopped with an error; the next start replays the write-ahead log', error)
      process.exit(1)
    }
    log.info('stopped', { signal, upSeconds: Math.round((performance.now() - startedAt) / 1000) })
    process.exit(0)
  }
  // Not once: npm repeats a Ctrl-C of the terminal, and the second signal would end the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

function welcome(server: Server, settings: ServerSettings): string {
  const { url, setupLink, firstJobId } = server
  const isOtherPort = settings.anyPort && new URL(url).port !== String(settings.port)
  const delivery = `curl -u admin -H 'content-type: application/json' -d '{"returnValue1": 21.5, "errorCode": 0}' \\`
  const lines = [
    '',
    `  Tidemark ${RELEASE.tidemark} listens at ${url}${isOtherPort ? ` (port ${settings.port} is in use)` : ''}`,
    ...(setupLink === null ? [] : setUp(setupLink)),
    ...(firstJobId === null
      ? []
      : [
          '  Then deliver a first value:',
          `    ${delivery}`,
          `      ${url}/webcollector/jobs/${firstJobId}/values`,
        ]),
    `  API:   ${url}/openapi.json`,
    `  Data:  ${settings.dataDir}`,
    '  Press Ctrl-C to stop.',
    '',
    '',
  ]
  return lines.join('\n')
}

function setUp(link: string): readonly string[] {
  const { origin, pathname, searchParams } = new URL(link)
  const body = `{"token": "${searchParams.get('token')}", "username": "admin", "password": "…"}`
  return [
    '  Create the administrator within 30 minutes, in a browser:',
    `    ${link}`,
    '  or with:',
    `    curl -H 'content-type: application/json' -d '${body}' ${origin}${pathname}`,
  ]
}
