import { readFileSync, writeFileSync } from 'node:fs'

import type { Answer, Wrangler } from '../../workers/deploy/wrangler.ts'

/** An account of Cloudflare, with a service on Bun in the place of the Worker and of its D1 database. */
export type Account = {
  isLoggedIn: boolean
  /** The address of the service. */
  url: string
  /** Runs a statement in its system database. */
  rows: (statement: string) => Promise<unknown[]>
  databases: string[]
  buckets: string[]
  secrets: Record<string, string>
  readonly calls: string[]
}

class Fault extends Error {}

/** Stands in for wrangler 4.86: answers the commands of a deployment with the texts that it prints. */
export function recordedWrangler(account: Account): Wrangler {
  return async (args, input = ''): Promise<Answer> => {
    account.calls.push(args.join(' '))
    try {
      return { code: 0, stdout: await answer(account, args, input), stderr: '' }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // As `whoami --json` without a login.
      if (error.message.startsWith('{')) return { code: 1, stdout: `\n${error.message}\n`, stderr: '' }
      return { code: 1, stdout: '', stderr: `✘ [ERROR] ${error.message}\n` }
    }
  }
}

const idOf = (name: string) => `id-of-${name}`
const after = (args: readonly string[], option: string) => args[args.indexOf(option) + 1] ?? ''

async function answer(account: Account, args: readonly string[], input: string): Promise<string> {
  const [first, second, third = ''] = args
  switch (first === 'deploy' ? first : `${first} ${second}`) {
    case 'whoami --json':
      if (!account.isLoggedIn) throw new Fault('{"loggedIn":false}')
      return JSON.stringify({
        loggedIn: true,
        authType: 'OAuth Token',
        accounts: [{ id: '1', name: 'Example' }],
      })
    case 'd1 list':
      return JSON.stringify(account.databases.map((name) => ({ uuid: idOf(name), name, num_tables: 0 })))
    case 'd1 create':
      account.databases.push(third)
      return `✅ Successfully created DB '${third}' in region WEUR\nCreated your new D1 database.\n`
    case 'r2 bucket':
      return third === 'list' ? buckets(account) : createBucket(account, args[3] ?? '')
    case 'secret put':
      account.secrets[third] = input
      return `🌀 Creating the secret for the Worker\n✨ Success! Uploaded secret ${third}\n`
    default:
      return answerOfWorker(account, args)
  }
}

async function answerOfWorker(account: Account, args: readonly string[]): Promise<string> {
  const environment = after(args, '--env')
  const worker = `tidemark-${environment}`
  if (args[0] === 'secret') return secrets(account, environment)
  if (args.includes('--dry-run')) return '--dry-run: exiting now.\n'
  requireId(args, worker)
  if (args[1] === 'migrations') return '✅ No migrations to apply!\n'
  if (args[0] === 'deploy') return deploy(account, worker)
  return JSON.stringify([{ results: await account.rows(after(args, '--command')), success: true }], null, 2)
}

function secrets({ secrets: all }: Account, environment: string): string {
  const names = Object.keys(all)
  if (names.length === 0)
    throw new Fault(
      `Worker "tidemark-${environment}" (env: ${environment}) not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`,
    )
  return JSON.stringify(names.map((name) => ({ name, type: 'secret_text' })))
}

function buckets(account: Account): string {
  const lines = account.buckets.map(
    (name) => `name:           ${name}\ncreation_date:  2026-11-01T10:00:00.000Z\n`,
  )
  return `Listing buckets...\n${lines.join('\n')}`
}

function createBucket(account: Account, name: string): string {
  if (account.buckets.includes(name))
    throw new Fault('The bucket you tried to create already exists, and you own it. [code: 10004]')
  account.buckets.push(name)
  return `Creating bucket '${name}'...\n✅ Created bucket '${name}' with default storage class of Standard.\n`
}

/** Wrangler reads the id of the database from its configuration alone. */
function requireId(args: readonly string[], worker: string): void {
  const expected = `database_name = "${worker}"\ndatabase_id = "${idOf(worker)}"`
  if (!readFileSync(after(args, '--config'), 'utf8').includes(expected))
    throw new Fault('Found a database with name or binding DB but it is missing a database_id')
}

function deploy({ url }: Account, worker: string): string {
  const entries = [
    { type: 'wrangler-session', version: 1 },
    { type: 'deploy', version: 1, worker_name: worker, targets: ['schedule: */5 * * * *', url] },
  ]
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  writeFileSync(process.env['WRANGLER_OUTPUT_FILE_PATH'] ?? '', lines)
  return `Uploaded ${worker} (5.2 sec)\n`
}
