import { CommandFailure } from '../../server/failures.ts'
import { serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { RequestFailure } from './client.ts'
import type { Client } from './client.ts'
import { outcome } from './printing.ts'

type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  /** The repair; null where nothing needs one. */
  readonly repair: string | null
}
type Readiness = {
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>
  readonly warnings: readonly { readonly code: string; readonly detail: string }[]
}
type Session = { readonly user: { readonly username: string; readonly role: string } }
type Runner = { readonly name: string; readonly refusal: string | null; readonly present: boolean }

const CLOCK_DIFFERENCE_MAX_MS = 5_000
const MARKS = { ok: 'ok      ', warning: 'warning ', failed: 'FAILED  ' } as const
const ANSWER_MAX_MS = 10_000
const START = 'Start it with tidemark serve, or name its address by --url or TIDEMARK_URL.'
const READ_LOG = 'Read the log of the service, and of a proxy in front of it.'
const UNAUTHENTICATED = 401
const FORBIDDEN = 403

/** The repair for each check, by its name, and for each warning of `GET /readyz`, by its code. */
export const REPAIRS: Readonly<Record<string, string>> = {
  database: 'Read the log of the service. Check the disk, and TIDEMARK_DATABASE_URL if it is set.',
  blobs: 'Check that the service may read and write the folder blobs of its data directory, or its bucket.',
  values: 'Free space on the disk of the data directory; deliveries are accepted again by themselves.',
  alarms_without_recipient: 'Create a recipient, and name it in PUT /group/1/alarmLinks.',
  recipients_unreachable: 'Read warnings of GET /alarmrecipients, and complete the recipients that it names.',
  notifications_dead:
    'Read GET /notifications?status=dead, then send them again: POST /notifications/{id}/resend.',
  notifications_paused: 'Resume them when the restore is as you want it: POST /notifications/resume.',
  refreshes_failed: 'Read the error in GET /dataSources/{id}/tables/{table}/refresh.',
  refreshes_late: 'Refresh fewer tables and results, or less often.',
  forecasts_stale: 'Read the failure in GET /forecasts/{id}, and run the forecast again.',
  restore_unfinished: 'Restore the same backup again: tidemark restore <file> --replace.',
  scripts_without_user: 'Save the schedules as another user, and create new webhook tokens.',
  no_runner_accepts_jobs: 'Read the refusals of the runners below, and docs/operations/runners.md.',
  limits_unknown: 'Read limits.unknown of GET /jobs/{id}: a job needs more history, or values that vary.',
  clock_behind: 'Check the time synchronisation of the machine of the service.',
}

/** `tidemark doctor`: checks a service and names the repair of each failed check. */
export const doctorCommand: Command = {
  name: 'doctor',
  about:
    'Checks whether the service answers, is ready, has the release of this command, accepts the credentials and agrees on\n' +
    '  the time, and whether its runners accept jobs. Each failed check has its repair. The exit code is 1 if a check failed.',
  actions: { '': serviceAction({ words: '', count: [0, 0], options: {}, run: doctor }) },
}

async function doctor(invocation: Invocation): Promise<Outcome> {
  const client = invocation.client(ANSWER_MAX_MS)
  const findings: Finding[] = []
  try {
    findings.push(await answers(client))
    findings.push(...(await readiness(client)), await release(client), ...(await credentials(client)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const repair = error instanceof CommandFailure ? START : READ_LOG
    findings.push({ check: 'service', status: 'failed', detail: error.message, repair })
  }
  const text = outcome(invocation, findings, (all) => all.map(line).join(''))
  return { ...text, exitCode: findings.some(({ status }) => status === 'failed') ? 1 : 0 }
}

function line({ check, status, detail, repair }: Finding): string {
  return `${MARKS[status]}${check}: ${detail}\n${repair === null ? '' : `          ${repair}\n`}`
}

/** The service is alive, and its clock agrees with the clock of this machine. */
async function answers(client: Client): Promise<Finding> {
  const askedAt = Date.now()
  const response = await client.ask('GET', '/healthz')
  const date = response.headers.get('date')
  const differenceMs = date === null ? 0 : Math.abs(Date.parse(date) - askedAt)
  if (differenceMs <= CLOCK_DIFFERENCE_MAX_MS)
    return { check: 'service', status: 'ok', detail: `answers at ${client.url}`, repair: null }
  return {
    check: 'clock',
    status: 'warning',
    detail: `the clocks of the service and of this machine differ by ${Math.round(differenceMs / 1000)} s`,
    repair: 'Check the time synchronisation of both machines.',
  }
}

async function readiness(client: Client): Promise<readonly Finding[]> {
  const { checks, warnings } = await client.readAny<Readiness>('/readyz')
  return [
    ...Object.entries(checks).map(([check, { status, detail = status }]): Finding =>
      status === 'ok'
        ? { check, status: 'ok', detail, repair: null }
        : { check, status: 'failed', detail, repair: REPAIRS[check] ?? null },
    ),
    ...warnings.map(({ code, detail }): Finding => ({
      check: code,
      status: 'warning',
      detail,
      repair: REPAIRS[code] ?? null,
    })),
  ]
}

async function release(client: Client): Promise<Finding> {
  const { RELEASE } = await import('../../../src/operations/health/service.ts')
  const { tidemark } = await client.read<{ readonly tidemark: string }>('/version')
  if (tidemark === RELEASE.tidemark)
    return { check: 'release', status: 'ok', detail: `tidemark ${tidemark}`, repair: null }
  return {
    check: 'release',
    status: 'warning',
    detail: `the service has release ${tidemark} and this command has ${RELEASE.tidemark}`,
    repair: 'Use the command of the release of the service: docs/operations/upgrade.md.',
  }
}

async function credentials(client: Client): Promise<readonly Finding[]> {
  try {
    const { user } = await client.read<Session>('/session')
    return [accepted(`${user.username}, ${user.role}`), ...(await runners(client))]
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    // No scope of a personal token covers its session.
    if (error.status === FORBIDDEN) return [accepted('a personal token'), ...(await runners(client))]
    if (error.status !== UNAUTHENTICATED) throw error
    const repair =
      'Set TIDEMARK_TOKEN, or TIDEMARK_USERNAME and TIDEMARK_PASSWORD. A lost password: tidemark user reset-password.'
    return [{ check: 'credentials', status: 'failed', detail: error.message, repair }]
  }
}

function accepted(whose: string): Finding {
  return { check: 'credentials', status: 'ok', detail: `the service accepts them: ${whose}`, repair: null }
}

/** The runners that accept no jobs; nothing where the caller may not read runners. */
async function runners(client: Client): Promise<readonly Finding[]> {
  try {
    const all = await client.read<readonly Runner[]>('/runners')
    return all
      .filter(({ refusal, present }) => refusal !== null || !present)
      .map(({ name, refusal }): Finding => ({
        check: `runner ${name}`,
        status: 'warning',
        detail: refusal ?? 'it has not reported for a while',
        repair: refusal === null ? 'Start it with tidemark runner.' : 'See docs/operations/runners.md.',
      }))
  } catch (error) {
    if (error instanceof RequestFailure && error.status === FORBIDDEN) return []
    throw error
  }
}
