import { heapStats } from 'bun:jsc'

import { Hono } from 'hono'

import { authenticators } from '../../src/app.ts'
import { sweepAll } from '../../src/state-pipeline.ts'
import { responseHeaders } from '../../src/http/response-headers.ts'
import type { Env } from '../../src/http/policy.ts'
import { startServer } from '../../workers/bun/server.ts'
import type { Seams } from '../../workers/server/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { scryptInPool } from '../../workers/secrets.ts'
import { engineOf } from '../hosts/engine-of.ts'

/** What stands in for a part of the Bun host: nothing, the journal's disk, the threads of hashes, or everything behind the
 * headers of a request; or that it tidies when asked. */
const HOSTS: Readonly<Record<string, Seams>> = {
  whole: {},
  'no-journal': {
    values: (values) => ({
      ...values,
      commit: (statements) => (statements.length > 1 ? values.commit(statements) : NOTHING),
    }),
  },
  'eager-hashes': { scrypt: scryptInPool },
  tidying: {
    fetch: (fetch, ports) => {
      const app = new Hono()
      app.post('/tidy/:id', async (c) => {
        await engineOf(ports.jobActors).retention.apply({
          selects: (jobId) => jobId === Number(c.req.param('id')),
        })
        return c.body(null, 204)
      })
      app.post('/sweep/:id', async (c) => {
        await sweepAll(ports)
        return c.body(null, 204)
      })
      app.all('*', (c) => fetch(c.req.raw))
      return (request) => app.fetch(request)
    },
  },
  floor: {
    fetch: (fetch, ports) => {
      const app = new Hono<Env>()
      app.use(responseHeaders(ports, authenticators))
      app.post('/floor', (c) => c.body(null, 204))
      app.all('*', (c) => fetch(c.req.raw))
      return (request) => app.fetch(request)
    },
  },
}

const NOTHING = Promise.resolve()

const seams = HOSTS[process.argv[2] ?? 'whole']
if (!seams)
  throw new RangeError(`There is no host ${process.argv[2]}; there are ${Object.keys(HOSTS).join(', ')}.`)
const server = await startServer(readServerSettings(process.env), seams)
process.on('SIGUSR2', () => {
  Bun.gc(true)
  process.stdout.write(`heap ${heapStats().heapSize}\n`)
})
process.once('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
