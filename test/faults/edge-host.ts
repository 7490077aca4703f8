import { join } from 'node:path'

import { replaceImport } from '../hosts/bundle.ts'
import { startEdge } from '../hosts/edge.ts'
import type { EdgeOptions } from '../hosts/edge.ts'

/** A file of this folder in place of a Worker's, which it may use. */
const replace = (name: string, file: string, importers: RegExp) =>
  replaceImport(`./${name}.ts`, join(import.meta.dir, file), importers)
const replaceValues = (file: string) => replace('values', file, /job-object\.ts$/)

// The edge host as a process, with one part made worse on purpose or not; the argument says which. workerd is its child.
const HOSTS: Readonly<Record<string, EdgeOptions>> = {
  whole: { hashing: 'in-steps' },
  'light-hashes': {},
  'acknowledges-early': { plugin: replaceValues('early-values.ts') },
  'fails-on-purpose': { plugin: replaceValues('failing-values.ts') },
  'dies-after-a-commit': { plugin: replaceValues('dying-values.ts') },
  'eager-hashes': { hashing: 'platform' },
  'loses-its-database': { plugin: replace('d1', 'failing-d1.ts', /ports\.ts$/) },
}

const [name = ''] = process.argv.slice(2)
const options = HOSTS[name]
if (!options) throw new RangeError(`There is no host ${name}.`)
const { TIDEMARK_DATA_DIR: dataDir = '', TIDEMARK_OUTBOUND_ALLOW = '' } = process.env
const host = await startEdge({ ...options, dataDir, variables: { TIDEMARK_OUTBOUND_ALLOW } })
// The log of the Worker, for the tests.
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
// Only now: a signal that comes before its listener ends this process, and leaves workerd behind on the same data.
process.stdout.write(`${JSON.stringify({ message: 'started', url: host.url })}\n`)
