import type { ExecutionContext } from '@cloudflare/workers-types'

import { createApp } from '../../src/app.ts'
import type { App } from '../../src/app.ts'
import { TtlCache } from '../../src/lib/ttl-cache.ts'
import type { Ports } from '../../src/ports/index.ts'
import { beginFirst, runMinutely, runNightly, runPeriodic } from '../../src/background-jobs.ts'
import { secureAlarms } from './alarms.ts'
import { settingWarnings } from './environment.ts'
import type { Environment } from './environment.ts'
import { eventsInObject } from './events.ts'
import { portsOf } from './ports.ts'

export { DispatchObject } from './dispatch-object.ts'
export { EventsObject } from './events-object.ts'
export { FlowObject } from './flow-object.ts'
export { JobObject } from './job-object.ts'
export { PermitsObject } from './permits-object.ts'
export { TablesObject } from './tables-object.ts'

/** Two of the triggers in `wrangler.toml`. */
const NIGHTLY = '17 3 * * *'
const MINUTELY = '* * * * *'

type Service = { readonly app: App; readonly ports: Ports; readonly prepared: TtlCache<true> }

/** One application for each isolate: its environment never changes. */
let service: Service | null = null

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    service ??= build(environment)
    await prepare(service, new URL(request.url).origin)
    return service.app.fetch(request)
  },

  /** Periodic work beside deliveries and alarms: configurations that an object has not received, parents
   * whose children were not counted, and alarms that were lost. At night all parents are looked through instead of these.
   * Every minute rows are refreshed that are due. */
  async scheduled(
    { cron }: { readonly cron: string },
    environment: Environment,
    _context: ExecutionContext,
  ): Promise<void> {
    service ??= build(environment)
    const { ports } = service
    if (cron === MINUTELY) return runMinutely(ports)
    await runPeriodic(ports)
    if (cron === NIGHTLY) await runNightly(ports)
    else await secureAlarms(environment.JOB, ports)
  },
}

function build(environment: Environment): Service {
  const ports = portsOf(environment, eventsInObject(environment.EVENTS))
  for (const warning of settingWarnings(environment)) ports.log.warn(warning)
  return { app: createApp(ports), ports, prepared: new TtlCache(Infinity) }
}

/** Makes sure, once for each isolate, that a user can sign in, and that a new installation has its first objects. A
 * failure does not fail the request, and the next request tries again. While the database is unavailable, the application
 * responds with that itself. */
async function prepare({ ports, prepared }: Service, origin: string): Promise<void> {
  const url = origin + ports.settings.basePath
  try {
    await prepared.find('first start', ports.clock.now(), async () => {
      const { setupToken, firstJobId } = await beginFirst(ports)
      if (setupToken !== null)
        ports.log.warn(`Create the administrator within 30 minutes: ${url}/session/setup?token=${setupToken}`)
      if (firstJobId !== null)
        ports.log.info(`Then deliver a first value: POST ${url}/webcollector/jobs/${firstJobId}/values`)
      return true
    })
  } catch (error) {
    ports.log.error('start: checking for a first administrator failed; retrying at the next request', error)
  }
}
