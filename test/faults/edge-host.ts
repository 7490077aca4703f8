import { join } from 'node:path'

import type { BunPlugin } from 'bun'

import { startEdge } from '../hosts/edge.ts'
import type { EdgeOptions } from '../hosts/edge.ts'

/** The objects' storage, but for the one that stands in for it. */
const early: BunPlugin = {
  name: 'acknowledges early',
  setup(build) {
    build.onResolve({ filter: /\/values\.ts$/ }, ({ path, importer }) =>
      path === './values.ts' && importer.endsWith('job-object.ts')
        ? { path: join(import.meta.dir, 'early-values.ts') }
        : undefined,
    )
  },
}

// The edge host as a process, with one part made worse on purpose or not; the argument says which. workerd is its child.
const HOSTS: Readonly<Record<string, EdgeOptions>> = { whole: {}, 'acknowledges-early': { plugin: early } }

const [name = ''] = process.argv.slice(2)
const options = HOSTS[name]
if (!options) throw new RangeError(`There is no host ${name}.`)
const host = await startEdge({ ...options, dataDir: process.env['TIDEMARK_DATA_DIR'] ?? '' })
process.stdout.write(`${JSON.stringify({ message: 'started', url: host.url })}\n`)
// Miniflare's own listener would end this process before everything is put away.
process.removeAllListeners('SIGTERM')
process.once('SIGTERM', () => {
  host.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
