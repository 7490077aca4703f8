import { startServer } from '../../workers/deno/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { lightHash } from './light-hash.ts'

// The service on Deno with hashes that cost little: its threads hash in idle time only, and a machine that runs tests has
// little.
const server = await startServer(readServerSettings(process.env), { scrypt: lightHash })
process.stdout.write(`set-up link: ${server.setupLink}\n`)
process.once('SIGTERM', () => {
  server.ports.log.info('stopping')
  server.close().then(
    () => process.exit(0),
    (error: unknown) => {
      server.ports.log.error('stopped with an error', error)
      process.exit(1)
    },
  )
})
