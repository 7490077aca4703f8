import { join } from 'node:path'

import type { BunPlugin } from 'bun'

import { startEdge } from '../hosts/edge.ts'
import type { EdgeOptions } from '../hosts/edge.ts'

/** Another file in place of one that a host's file imports; it may use the true one. */
const insteadOf = (name: string, file: string, importers: RegExp): BunPlugin => ({
  name: file,
  setup(build) {
    build.onResolve({ filter: new RegExp(`^\\./${name}\\.ts$`) }, ({ importer }) =>
      importers.test(importer) ? { path: join(import.meta.dir, file) } : undefined,
    )
  },
})
const insteadOfValues = (file: string) => insteadOf('values', file, /job-object\.ts$/)

// The edge host as a process, with one part made worse on purpose or not; the argument says which. workerd is its child.
const HOSTS: Readonly<Record<string, EdgeOptions>> = {
  whole: {},
  'acknowledges-early': { plugin: insteadOfValues('early-values.ts') },
  'fails-on-purpose': { plugin: insteadOfValues('failing-values.ts') },
  'dies-after-a-commit': { plugin: insteadOfValues('dying-values.ts') },
  'eager-hashes': { plugin: insteadOf('hashing', 'eager-hashing.ts', /edge\/ports\.ts$/) },
  'loses-its-database': { plugin: insteadOf('d1', 'failing-d1.ts', /ports\.ts$/) },
}

const [name = ''] = process.argv.slice(2)
const options = HOSTS[name]
if (!options) throw new RangeError(`There is no host ${name}.`)
const { TIDEMARK_DATA_DIR: dataDir = '', TIDEMARK_OUTBOUND_ALLOW = '' } = process.env
const host = await startEdge({ ...options, dataDir, variables: { TIDEMARK_OUTBOUND_ALLOW } })
process.stdout.write(`${JSON.stringify({ message: 'started', url: host.url })}\n`)
// What the Worker has logged, for whoever asks.
process.on('SIGUSR2', () => process.stdout.write(`${host.logs.join('\n')}\n`))
// The time of the trigger that comes every five minutes.
process.on('SIGHUP', () => {
  host.scheduled('*/5 * * * *').then(
    () => process.stdout.write('the trigger was pulled\n'),
    (error: unknown) => process.stdout.write(`the trigger failed: ${String(error)}\n`),
  )
})
// Miniflare's own listener would end this process before everything is put away.
process.removeAllListeners('SIGTERM')
process.once('SIGTERM', () => {
  host.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
