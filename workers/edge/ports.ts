import { withScripts } from '../../src/automation/runs/service.ts'
import type { Events } from '../../src/ports/events.ts'
import { listUnknownLimits } from '../../src/monitoring/states/service.ts'
import { ALWAYS_HEALTHY, UNKNOWN_LIMITS_MAX } from '../../src/ports/ingest-health.ts'
import type { Ports } from '../../src/ports/index.ts'
import { jsonLog } from '../json-log.ts'
import { openLdap } from '../ldap.ts'
import { openMail } from '../mail.ts'
import { secretsOf } from '../secrets.ts'
import { waitUntil } from './background.ts'
import { openBlobsR2 } from './blobs-r2.ts'
import { clock } from './clock.ts'
import { consoleAssetsOf } from './console-assets.ts'
import { openD1 } from './d1.ts'
import { openEdgeDatabases, permitsInObject } from './databases.ts'
import { dispatchInObject } from './dispatch.ts'
import { readEdgeSettings } from './environment.ts'
import type { Environment } from './environment.ts'
import { flowInObject } from './flow.ts'
import { scryptBeside } from './hashing.ts'
import { jobActorsInObjects } from './job-actors.ts'
import { openNetwork } from './network.ts'
import { refusedDeliveriesInObjects } from './refused-deliveries.ts'
import { tablesInObjects } from './tables.ts'
import { tracesOf } from './traces.ts'
import { translatorOfAi } from './workers-ai.ts'

/** The ports of the application, in the Worker and in the objects of events, of the flow and of the dispatch alike. */
export function portsOf(environment: Environment, events: Events): Ports {
  const { settings, key, formerKeys } = readEdgeSettings(environment)
  const log = jsonLog(console.log)
  const blobs = openBlobsR2(environment.FILES, log)
  const database = openD1(environment.DB)
  return withScripts({
    database,
    blobs,
    consoleAssets: consoleAssetsOf(environment.ASSETS),
    databases: openEdgeDatabases(permitsInObject(environment.PERMITS, log), settings.outboundAllow),
    jobActors: jobActorsInObjects(environment.JOB, log),
    refusedDeliveries: refusedDeliveriesInObjects(environment.JOB, log, waitUntil),
    flow: flowInObject(environment.FLOW),
    dispatch: dispatchInObject(environment.DISPATCH, log),
    events,
    clock,
    log,
    network: openNetwork(settings.outboundAllow),
    mail: openMail(settings.mail),
    directory: settings.ldap && openLdap(settings.ldap),
    translator: environment.AI ? translatorOfAi(environment.AI) : null,
    // The object of a job knows its own health alone, and reports unknown limits.
    ingestHealth: {
      ...ALWAYS_HEALTHY,
      unknownLimits: () => listUnknownLimits(database, UNKNOWN_LIMITS_MAX),
    },
    inBackground: waitUntil,
    secrets: secretsOf(key, formerKeys, scryptBeside),
    settings,
    tables: tablesInObjects({ namespace: environment.TABLES, blobs, log }),
    traces: tracesOf(environment, log),
  })
}
