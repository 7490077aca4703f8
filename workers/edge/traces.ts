import { openTraces } from '../../src/operations/telemetry/service/traces.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Traces } from '../../src/ports/traces.ts'
import { secretsOf } from '../secrets.ts'
import { waitUntil } from './background.ts'
import { clock } from './clock.ts'
import { readEdgeSettings } from './environment.ts'
import type { Environment } from './environment.ts'
import { scryptBeside } from './hashing.ts'
import { openNetwork } from './network.ts'

/** The traces of an object of a job; null where the variables ask for none. Reads the settings in that case only, since
 * such objects wake often. */
export function tracesOf(environment: Environment, log: Log): Traces | null {
  const { TIDEMARK_TRACES_URL: url } = environment as unknown as Readonly<Record<string, unknown>>
  if (url === undefined) return null
  const { settings, key, formerKeys } = readEdgeSettings(environment)
  return openTraces(settings.traces, {
    clock,
    log,
    network: openNetwork(settings.outboundAllow),
    secrets: secretsOf(key, formerKeys, scryptBeside),
    inBackground: waitUntil,
  })
}
