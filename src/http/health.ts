import { Hono } from 'hono'
import * as z from 'zod'
import { countUsers } from '../access/users/service.ts'
import type { Ports } from '../ports/index.ts'
import { ok } from './answers.ts'
import { policy } from './policy.ts'
import type { Env } from './policy.ts'
import { INTERFACE_RELEASE, VERSION } from './version.ts'

const checkView = z.object({ status: z.enum(['ok', 'failed']) })
const readyView = z.object({ status: z.enum(['ok', 'failed']), checks: z.record(z.string(), checkView) })
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
      const checks = await check(c.get('ports'))
      const failed = Object.values(checks).some(({ status }) => status === 'failed')
      return c.json({ status: failed ? 'failed' : 'ok', checks }, failed ? 503 : 200)
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
