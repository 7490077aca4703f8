import { parseArgs } from 'node:util'

import type { Target } from './configuration.ts'
import { deploy, rehearse } from './deploy.ts'
import { runWrangler } from './wrangler.ts'

const USAGE = `Usage: npm run deploy -- [--env staging|production|top] [--url <address>] [--dry-run]

Deploys the Worker to Cloudflare: checks the settings, creates the D1 database, the R2 bucket and the key that are missing,
migrates, deploys, waits for /readyz and signs in once. It can be repeated.

  --env      the environment of wrangler.toml: production (default), staging, or top for its top level. Builds of
             Cloudflare (WORKERS_CI) deploy the top level by default
  --url      the address of the service, if it has a domain of its own
  --dry-run  build, and print what would be created; needs no account

TIDEMARK_ADMIN_PASSWORD creates the administrator at the first deployment, instead of a set-up link.
TIDEMARK_USERNAME and TIDEMARK_PASSWORD are the credentials for the check at later ones.
`
const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['production', 'production'],
  ['staging', 'staging'],
  ['top', ''],
])
const USAGE_CODE = 2
const AGAIN = 'It ends here. Remove the cause and repeat the command: it continues with what exists.'

async function main(): Promise<void> {
  const environment = process.env
  const { values } = parseArgs({
    options: {
      env: { type: 'string', default: environment['WORKERS_CI'] ? 'top' : 'production' },
      url: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const target = TARGETS.get(values.env)
  if (target === undefined)
    throw new TypeError(`--env must be staging, production or top; "${values.env}" is not.`)
  const run = values['dry-run'] ? rehearse : deploy
  await run({
    directory: '.',
    target,
    url: values.url === undefined ? undefined : addressOf(values.url),
    environment,
    wrangler: runWrangler,
    print: (line) => process.stdout.write(`${line}\n`),
  })
}

/** @throws {TypeError} for a text that is not the address of a service */
function addressOf(text: string): string {
  const { protocol = '' } = URL.parse(text) ?? {}
  if (protocol === 'https:' || protocol === 'http:') return text.replace(/\/$/, '')
  throw new TypeError(`--url must be an address like https://monitoring.example.com; "${text}" is not.`)
}

try {
  await main()
} catch (error) {
  if (error instanceof TypeError) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exitCode = USAGE_CODE
  } else if (error instanceof RangeError) {
    process.stderr.write(`${error.message.trimEnd()}\n\n${AGAIN}\n`)
    process.exitCode = 1
  } else throw error
}
