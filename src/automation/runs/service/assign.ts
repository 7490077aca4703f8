import { createDelegatedSession } from '../../../access/session/service/delegated-session.ts'
import { groupsOfUser } from '../../../access/user-groups/service.ts'
import { openDataSource } from '../../../data/sources/service.ts'
import { sha256 } from '../../../lib/digest.ts'
import { refusalIn } from '../../../lib/errors.ts'
import { base64url } from '../../../lib/text.ts'
import { isUniqueViolation } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { nothingRuns } from '../../scripts/detection.ts'
import { runnableOf, secretValuesOf } from '../../scripts/service/runnable.ts'
import type { Runnable } from '../../scripts/service/runnable.ts'
import { shownArguments } from '../arguments.ts'
import { ownKindOf } from '../forecast-run.ts'
import { LEASE_MS } from '../protocol.ts'
import type { AboutRunner, Assignment, DatabaseTarget, RunKind } from '../protocol.ts'
import type { RunRow } from '../store.ts'
import { insertFiles, listFiles } from '../store/files.ts'
import { runnableForecast } from './forecast-runnable.ts'
import { changeRun } from './transition-run.ts'
import { holdersOf } from './holders.ts'
import type { Holders } from './holders.ts'

/** A waiting run with everything that its assignment needs. */
export type ReadyRun = {
  readonly row: RunRow
  readonly runnable: Runnable
  readonly runner: RunKind
  readonly runnerFile: string
  readonly database: DatabaseTarget | null
  /** The users whose common rights the script has; null for a forecast, which reaches nothing. */
  readonly holders: Holders | null
  /** The groups that all of these users are in. */
  readonly groups: readonly { readonly id: number; readonly name: string }[]
}

/** The runner that gets a run. */
export type Receiver = {
  readonly runnerId: number
  readonly name: string
  readonly baseUrl: string
}

/** Reads what a run needs from the current script. A run that can no longer start fails. @returns null for such a run */
export async function readyOf(ports: Ports, row: RunRow): Promise<ReadyRun | null> {
  const found = await readyRunOf(ports, row)
  if (typeof found !== 'string') return found
  await changeRun(ports, row.id, () => ({ event: { kind: 'fail' }, set: { error: found } }))
  return null
}

async function readyRunOf(ports: Ports, row: RunRow): Promise<ReadyRun | string> {
  const { scriptId, runConfigurationId } = row
  const { forecast } = row.order
  if (forecast) {
    const runnable = runnableForecast(runConfigurationId, forecast)
    return {
      row,
      runnable,
      runner: 'forecast',
      runnerFile: 'main.py',
      database: null,
      holders: null,
      groups: [],
    }
  }
  const configurationId = runConfigurationId === 0 ? null : runConfigurationId
  const runnable = await orReason(runnableOf(ports, scriptId, configurationId))
  if (typeof runnable === 'string') return runnable
  const holders = await holdersOf(ports, row, runnable)
  if (typeof holders === 'string') return holders
  const { runner, runnerFile } = runnable.detection
  if (runner === null || runnerFile === null) return nothingRuns(runnable.files.map(({ path }) => path))
  const database = await orReason(databaseOf(ports, runnable))
  if (typeof database === 'string') return database
  const groups = await groupsOf(ports, holders)
  return { row, runnable, runner, runnerFile, database, holders, groups }
}

/** The groups that all holders are in. */
async function groupsOf(ports: Ports, { user, others }: Holders): Promise<ReadyRun['groups']> {
  const groups = await groupsOfUser(ports, user.userId)
  const each = await Promise.all(others.map(({ userId }) => groupsOfUser(ports, userId)))
  return groups.filter(({ id }) => each.every((own) => own.some((group) => group.id === id)))
}

/** The result of reading; the detail of the refusal if the script or its data source was deleted or changed. */
async function orReason<Read>(reading: Promise<Read>): Promise<Read | string> {
  try {
    return await reading
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal?.code === 'not_found' || refusal?.code === 'conflict') return refusal.detail
    throw error
  }
}

/** The current data source of a run; null if it has none. */
async function databaseOf(ports: Ports, { configuration }: Runnable): Promise<DatabaseTarget | null> {
  const { database } = configuration
  if (!database) return null
  const { ca: _, maxConnections: __, ...target } = await openDataSource(ports, database)
  return { ...target, access: database.access }
}

/** Whether a runner has the capabilities and labels that the run needs. */
export function fits({ row, runnable, runner }: ReadyRun, about: AboutRunner): boolean {
  const { runnerLabels } = runnable.configuration
  const ownKind = ownKindOf(row.order.forecast?.kind ?? '')
  return (
    about.refusal === null &&
    about.capabilities.includes(runner) &&
    (ownKind === null || (about.forecastKinds ?? []).includes(ownKind)) &&
    runnerLabels.every((label) => about.labels.includes(label))
  )
}

/** Assigns a run to a runner. @returns null if the run is no longer queued, or another run of its configuration is active */
export async function assign(
  ports: Ports,
  ready: ReadyRun,
  receiver: Receiver,
): Promise<{ readonly assignment: Assignment; readonly attemptHash: string } | null> {
  const { row, runnable, holders } = ready
  const { database, clock, secrets } = ports
  const attemptToken = base64url(secrets.random(32))
  const boundBy = holders?.others.map(({ userId }) => userId) ?? []
  const rightsOf = holders ? [holders.user.userId, ...boundBy] : []
  const session =
    holders &&
    (await createDelegatedSession(ports, {
      userId: holders.user.userId,
      agent: `run ${row.id}`,
      boundBy,
    }))
  const attemptHash = await sha256(attemptToken)
  const files = runnable.files.map(({ path, ...file }) => {
    return { name: path, mimeType: '', ...file }
  })
  try {
    const given = await changeRun(ports, row.id, ({ state, attempt }) =>
      state === 'queued' && attempt === row.attempt
        ? {
            event: { kind: 'assign', retries: runnable.configuration.retries },
            set: {
              runnerId: receiver.runnerId,
              runnerName: receiver.name,
              attemptHash,
              sessionHash: session?.hash ?? null,
              leaseUntil: clock.now() + LEASE_MS,
              order: { ...row.order, rightsOf, shownArguments: argumentsOf(ready) },
              reportTo: holders ? (runnable.configuration.reportTo?.jobId ?? null) : row.reportTo,
            },
            writes: [
              ...(session ? [session.write] : []),
              ...insertFiles(database, { runId: row.id, kind: 'tree', at: clock.now() }, files),
            ],
          }
        : null,
    )
    if (given?.attemptHash !== attemptHash) return null
  } catch (error) {
    if (isUniqueViolation(error, 'runs.script_id')) return null
    throw error
  }
  const uploads = await listFiles(database, { runId: row.id, kind: 'upload' })
  const assignment = {
    ...assignmentOf(ready, receiver, session?.sessionId ?? null),
    attemptToken,
    uploads: uploads.map(({ name, sha256: digest, sizeBytes }) => ({
      path: name,
      sha256: digest,
      sizeBytes,
    })),
  }
  return { assignment, attemptHash }
}

/** The arguments of a run that is assigned, as lists show them. */
function argumentsOf({ row, runnable: { configuration }, database }: ReadyRun): string[] {
  const password = typeof database?.password === 'string' ? [database.password] : []
  return shownArguments(row.order.arguments ?? configuration.arguments, [
    ...secretValuesOf(configuration),
    ...password,
  ])
}

function assignmentOf(
  ready: ReadyRun,
  { baseUrl }: Receiver,
  sessionId: string | null,
): Omit<Assignment, 'attemptToken' | 'uploads'> {
  const { row, runnable, runner, runnerFile, database, groups } = ready
  const { script, configuration, detection } = runnable
  return {
    id: row.id,
    attempt: row.attempt,
    script: {
      id: script.id,
      name: script.name,
      runner,
      runnerFile,
      dependencyManager: detection.dependencyManager,
    },
    files: runnable.files.map(({ path, sha256: digest, sizeBytes }) => ({ path, sha256: digest, sizeBytes })),
    directories: [...runnable.directories],
    arguments: [...(row.order.arguments ?? configuration.arguments)],
    env: {
      ...configuration.env,
      ...(sessionId !== null && { SVC_SESSION_ID: sessionId }),
      SVC_USER_USERGROUP_IDS: groups.map(({ id }) => id).join(','),
      SVC_USER_USERGROUP_NAMES: groups.map(({ name }) => name).join(','),
      SVC_BASE_URL: baseUrl,
      SVC_JOB_ID: row.id,
      SVC_PARAMETERS: JSON.stringify(row.order.parameters),
    },
    secretNames: [...configuration.secretNames, ...(sessionId === null ? [] : ['SVC_SESSION_ID'])],
    timeoutMs: configuration.timeoutS * 1000,
    network: [...configuration.network],
    filesystem: [...(configuration.filesystem?.paths ?? [])],
    database,
    forecast: row.order.forecast ? { kind: row.order.forecast.kind } : null,
  }
}
