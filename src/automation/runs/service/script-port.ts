import type { Fault } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { OrderedRun, RunRequest, ScriptReference } from '../../../ports/scripts.ts'
import { listOwnConfigurations } from '../../scripts/run-configurations/service.ts'
import { dependents } from '../../scripts/service.ts'
import { findScript } from '../../scripts/service/changes.ts'
import { hasEnded } from '../run.ts'
import { findRun } from '../store.ts'
import { listFiles } from '../store/files.ts'
import { callerFor } from './acting-user.ts'
import { orderRun } from './order-run.ts'
import { changeRun } from './transition-run.ts'

/** Adds the port of scripts to the ports that it works with. Wrap the result again where one of these ports is replaced. */
export function withScripts(parts: Omit<Ports, 'scripts'>): Ports {
  const ports: Ports = {
    ...parts,
    scripts: {
      order: (request) => order(ports, request),
      run: (id) => readOrdered(ports, id),
      cancel: (id) => cancel(ports, id),
      faultsOf: (reference) => faultsOf(ports, reference),
      dependents: (dependent, needed) => dependents(parts.database, dependent, needed),
    },
  }
  return ports
}

async function order(ports: Ports, { userId, userLabel, ...request }: RunRequest): Promise<string> {
  const caller = await callerFor(ports, userId, userLabel)
  const context = { ports, caller, requestId: request.key }
  const { job } = await orderRun(context, { ...request, arguments: null, uploads: [] })
  return job.id
}

async function readOrdered({ database }: Ports, id: string): Promise<OrderedRun | null> {
  const run = await findRun(database, id)
  if (!run) return null
  const { state, error } = run
  const files = await listFiles(database, { runId: id, kind: 'output' })
  const outputs = files.map(({ name, sizeBytes, blob }) => ({ name, sizeBytes, blob }))
  return { state, isEnded: hasEnded(state), error, outputs }
}

async function cancel(ports: Ports, id: string): Promise<void> {
  await changeRun(ports, id, ({ state }) => (hasEnded(state) ? null : { event: { kind: 'cancel' } }))
}

async function faultsOf(
  ports: Ports,
  { scriptId, runConfigurationId }: ScriptReference,
): Promise<readonly Fault[]> {
  if (!(await findScript(ports, scriptId)))
    return [{ pointer: '/scriptId', message: 'must be the id of an existing script' }]
  if (runConfigurationId === null) return []
  const configurations = await listOwnConfigurations(ports, scriptId)
  if (configurations.some(({ id }) => id === runConfigurationId)) return []
  const message = 'must be the id of a run configuration of this script'
  return [{ pointer: '/runConfigurationId', message }]
}
