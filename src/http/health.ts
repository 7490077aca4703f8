import { Hono } from 'hono'
import * as z from 'zod'
import { ISOLATIONS } from '../automation/runs/protocol.ts'
import { scriptHealth } from '../automation/runs/runners/service.ts'
import { countUsers } from '../access/users/service.ts'
import type { Ports } from '../ports/index.ts'
import { timeFormat } from '../lib/time.ts'
import { ok } from './answers.ts'
import { policy } from './policy.ts'
import type { Env } from './policy.ts'
import { INTERFACE_RELEASE, VERSION } from './version.ts'

const checkView = z.object({ status: z.enum(['ok', 'failed']) })
const deafView = z
  .object({ from: z.iso.datetime({ offset: true }), to: z.iso.datetime({ offset: true }) })
  .describe('When this process last received nothing: it stood still, was away, or its clock was set ahead.')
const scriptsView = z
  .object({
    runners: z.int().describe('How many nodes take jobs.'),
    refusing: z.int().describe('How many are there and take none, as `GET /runners` says why.'),
    isolation: z
      .enum(ISOLATIONS)
      .nullable()
      .describe('How jobs are kept apart from everything else where that is done least; best first.'),
    waiting: z.int(),
    waitingSeconds: z.int().describe('How long the oldest job that waits has waited.'),
  })
  .meta({ id: 'ScriptHealth' })
const readyView = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.record(z.string(), checkView),
  lastDeaf: deafView.nullable(),
  scripts: scriptsView.nullable().describe('Null while nobody can say.'),
})
const versionView = z.object({
  interface: z.string().describe('The release of the interface that this service speaks.'),
  tidemark: z.string(),
})

export const healthRoutes = new Hono<Env>()
  .get(
    '/healthz',
    policy({
      summary: 'The process answers',
      roles: 'anyone',
      answers: { 200: ok(z.object({ status: z.literal('ok') }), 'It does.') },
    }),
    (c) => c.json({ status: 'ok' as const }),
  )
  .get(
    '/readyz',
    policy({
      summary: 'The service can do its work',
      roles: 'anyone',
      answers: { 200: ok(readyView, 'It can.'), 503: ok(readyView, 'A part is away.') },
    }),
    async (c) => {
      const ports = c.get('ports')
      const checks = await check(ports)
      const failed = Object.values(checks).some(({ status }) => status === 'failed')
      // Nobody needs a runner to deliver values: without one the service can do its work.
      const scripts = failed ? null : await scriptHealth(ports)
      const status = failed ? ('failed' as const) : ('ok' as const)
      return c.json({ status, checks, lastDeaf: deafOf(ports), scripts }, failed ? 503 : 200)
    },
  )
  .get(
    '/version',
    policy({
      summary: 'What runs here',
      roles: 'anyone',
      answers: { 200: ok(versionView, 'The releases.') },
    }),
    (c) => c.json({ interface: INTERFACE_RELEASE, tidemark: VERSION }),
  )

function deafOf({ lastDeaf, settings }: Ports): z.infer<typeof deafView> | null {
  const deaf = lastDeaf()
  const format = timeFormat(settings.timeZone)
  return deaf && { from: format(deaf.fromAt), to: format(deaf.toAt) }
}

async function check(ports: Ports) {
  const { blobs, log } = ports
  const parts = {
    database: () => countUsers(ports),
    blobs: () => blobs.get('readyz'),
  }
  const checks: Record<string, z.infer<typeof checkView>> = {}
  for (const [name, isThere] of Object.entries(parts)) {
    try {
      await isThere()
      checks[name] = { status: 'ok' }
    } catch (error) {
      log.error(`readiness: ${name} failed`, error)
      checks[name] = { status: 'failed' }
    }
  }
  return checks
}
