import { Hono } from 'hono'
import * as z from 'zod'
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
const readyView = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.record(z.string(), checkView),
  lastDeaf: deafView.nullable(),
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
      const body = { status: failed ? ('failed' as const) : ('ok' as const), checks, lastDeaf: deafOf(ports) }
      return c.json(body, failed ? 503 : 200)
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
