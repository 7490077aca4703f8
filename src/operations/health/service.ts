import { countUsers } from '../../access/users/service.ts'
import { INTERFACE_RELEASE, VERSION } from '../../http/version.ts'
import { Refusal } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import type { Ports } from '../../ports/index.ts'
import { valuesAreStored } from './service/ingest.ts'
import type { Check, FrontView, Readiness, ScriptHealth, Warning } from './schema.ts'

/** The releases that run here. */
export const RELEASE = { interface: INTERFACE_RELEASE, tidemark: VERSION } as const

/** The parts without which the service cannot do its work; each rejects while its part is away. */
const CHECKS: Readonly<Record<string, (ports: Ports) => Promise<unknown>>> = {
  database: countUsers,
  blobs: ({ blobs }) => blobs.get('readyz'),
  values: valuesAreStored,
}

/** The reports of other rooms on their health. `app.ts` collects them, so that this room knows no other. */
export type HealthReports = {
  /** Each finds one condition that an operator should end and with which the service still works; null without it. */
  readonly warnings: readonly ((ports: Ports, scripts: ScriptHealth) => Promise<Warning | null>)[]
  readonly scripts: (ports: Ports) => Promise<ScriptHealth>
}

/** The name, the releases and the first links of the service. */
export function front({ settings }: Ports): FrontView {
  const at = (path: string) => settings.basePath + path
  const links = {
    openapi: at('/openapi.json'),
    docs: at('/docs'),
    readyz: at('/readyz'),
    version: at('/version'),
    token: at('/session/token'),
  }
  return { name: 'Tidemark', ...RELEASE, links }
}

/** The state of the service for its operator: `failed` when one check fails. */
export async function readiness(ports: Ports, reports: HealthReports): Promise<Readiness> {
  const checks = await runChecks(ports)
  const hasFailed = Object.values(checks).some(({ status }) => status === 'failed')
  // Deliveries need no runner: the service is ready without one.
  const scripts = hasFailed ? null : await reports.scripts(ports)
  return {
    status: hasFailed ? 'failed' : 'ok',
    checks,
    warnings: scripts ? await warningsOf(ports, reports, scripts) : [],
    lastIngestGap: lastIngestGapOf(ports),
    scripts,
  }
}

/** The warnings that hold now. */
export async function healthWarnings(ports: Ports, reports: HealthReports): Promise<Warning[]> {
  return warningsOf(ports, reports, await reports.scripts(ports))
}

async function warningsOf(
  ports: Ports,
  { warnings }: HealthReports,
  scripts: ScriptHealth,
): Promise<Warning[]> {
  const found = await Promise.all(warnings.map((warning) => warning(ports, scripts)))
  return found.filter((warning) => warning !== null)
}

async function runChecks(ports: Ports): Promise<Record<string, Check>> {
  const checks: Record<string, Check> = {}
  for (const [name, run] of Object.entries(CHECKS)) {
    try {
      await run(ports)
      checks[name] = { status: 'ok' }
    } catch (error) {
      ports.log.error(`readiness: ${name} failed`, error)
      checks[name] =
        error instanceof Refusal ? { status: 'failed', detail: error.detail } : { status: 'failed' }
    }
  }
  return checks
}

function lastIngestGapOf({ ingestHealth, settings }: Ports): Readiness['lastIngestGap'] {
  const gap = ingestHealth.lastIngestGap()
  const format = timeFormat(settings.timeZone)
  return gap && { from: format(gap.fromAt), to: format(gap.toAt) }
}
