import type { ExecutionContext } from '@cloudflare/workers-types'

import { syncWhenDue } from '../../src/access/directory/service.ts'
import { prepareFirstStart } from '../../src/access/session/service/first-start.ts'
import { createApp } from '../../src/app.ts'
import type { App } from '../../src/app.ts'
import { sweepFiles } from '../../src/content/files/service.ts'
import { sweepAll } from '../../src/flow.ts'
import { applyChanges } from '../../src/monitoring/rules/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import { jsonLog } from '../json-log.ts'
import { openLdap } from '../ldap.ts'
import { secretsOf } from '../secrets.ts'
import { openBlobsR2 } from './blobs-r2.ts'
import { clock } from './clock.ts'
import { openD1 } from './d1.ts'
import { flowInObject } from './flow-object.ts'
import { readEdgeSettings } from './environment.ts'
import type { Environment } from './environment.ts'
import { jobActorsInObjects } from './job-actors.ts'

export { FlowObject } from './flow-object.ts'
export { JobObject } from './job-object.ts'

/** One of the triggers in `wrangler.toml`. */
const NIGHTLY = '17 3 * * *'

type Service = { readonly app: App; readonly ports: Ports; firstStart: Promise<void> | null }

/** One application for each isolate: its environment never changes. */
let service: Service | null = null

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    service ??= build(environment)
    await started(service, new URL(request.url).origin)
    return service.app.fetch(request)
  },

  /** What deliveries and alarms do not bring about by themselves: configurations that an object has not heard of, and
   * parents whose children were not counted. At night all parents are looked through as well. */
  async scheduled(
    { cron }: { readonly cron: string },
    environment: Environment,
    _context: ExecutionContext,
  ): Promise<void> {
    service ??= build(environment)
    const { ports } = service
    await Promise.all([applyChanges(ports), ports.flow.settle(), syncWhenDue(ports), sweepFiles(ports)])
    if (cron === NIGHTLY) await sweepAll(ports)
  },
}

function build(environment: Environment): Service {
  const { settings, key, formerKeys } = readEdgeSettings(environment)
  const log = jsonLog(console.log)
  const ports: Ports = {
    database: openD1(environment.DB),
    blobs: openBlobsR2(environment.FILES),
    jobActors: jobActorsInObjects(environment.JOB, log),
    flow: flowInObject(environment.FLOW),
    clock,
    log,
    // Cloudflare sets this header itself, whatever the caller sent.
    network: {
      addressOf: ({ headers }) => headers.get('cf-connecting-ip') ?? '',
      fetch: (request) => fetch(request),
    },
    directory: settings.ldap && openLdap(settings.ldap),
    secrets: secretsOf(key, formerKeys),
    settings,
  }
  return { app: createApp(ports), ports, firstStart: null }
}

/** Makes sure, once for each isolate, that somebody can sign in. A failure is tried again by the next request, and is not
 * in the way of this one: where the database is away the application says so itself. */
function started(running: Service, origin: string): Promise<void> {
  running.firstStart ??= prepare(running, origin)
  return running.firstStart
}

async function prepare(running: Service, origin: string): Promise<void> {
  const { ports } = running
  try {
    const { setupToken } = await prepareFirstStart(ports)
    if (setupToken === null) return
    const link = `${origin}${ports.settings.basePath}/session/setup?token=${setupToken}`
    ports.log.warn(`Create the administrator within 30 minutes: ${link}`)
  } catch (error) {
    running.firstStart = null
    ports.log.error('it could not be seen whether anybody can sign in', error)
  }
}
