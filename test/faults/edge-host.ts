import { join } from 'node:path'

import type { BunPlugin } from 'bun'

import { startEdge } from '../hosts/edge.ts'
import type { EdgeOptions } from '../hosts/edge.ts'

/** Another file in place of the objects' storage; it may use the true one. */
const insteadOfValues = (file: string): BunPlugin => ({
  name: file,
  setup(build) {
    build.onResolve({ filter: /\/values\.ts$/ }, ({ path, importer }) =>
      path === './values.ts' && importer.endsWith('job-object.ts')
        ? { path: join(import.meta.dir, file) }
        : undefined,
    )
  },
})

// The edge host as a process, with one part made worse on purpose or not; the argument says which. workerd is its child.
const HOSTS: Readonly<Record<string, EdgeOptions>> = {
  whole: {},
  'acknowledges-early': { plugin: insteadOfValues('early-values.ts') },
  'fails-on-purpose': { plugin: insteadOfValues('failing-values.ts') },
}

const [name = ''] = process.argv.slice(2)
const options = HOSTS[name]
if (!options) throw new RangeError(`There is no host ${name}.`)
const host = await startEdge({ ...options, dataDir: process.env['TIDEMARK_DATA_DIR'] ?? '' })
process.stdout.write(`${JSON.stringify({ message: 'started', url: host.url })}\n`)
// What the Worker has logged, for whoever asks.
process.on('SIGUSR2', () => process.stdout.write(`${host.logs.join('\n')}\n`))
// Miniflare's own listener would end this process before everything is put away.
process.removeAllListeners('SIGTERM')
process.once('SIGTERM', () => {
  host.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
