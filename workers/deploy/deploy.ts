import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { requireReady, signIn } from './checks.ts'
import { configurationWith, readConfiguration } from './configuration.ts'
import type { Configuration, Target } from './configuration.ts'
import { countUsers, makeSetupLink } from './first-user.ts'
import { find, keyFile, makeBucket, makeDatabase, makeKey, putPassword } from './resources.ts'
import type { Found } from './resources.ts'
import { DeployFailure, deployed, outputOf } from './wrangler.ts'
import type { Wrangler } from './wrangler.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A deployment, with the parts of this machine that it uses. */
export type Deployment = {
  /** The clone, which has `wrangler.toml`. */
  readonly directory: string
  readonly target: Target
  /** The address of the service where `wrangler deploy` names none, such as the address of a route. */
  readonly url: string | undefined
  readonly environment: Environment
  readonly wrangler: Wrangler
  readonly print: (line: string) => void
}

/** Makes what is missing, migrates, deploys and checks. Each step first looks at what exists, so the command can be repeated.
 * @throws {DeployFailure} at the first step that fails */
export async function deploy(deployment: Deployment): Promise<void> {
  const { directory, target, wrangler, print } = deployment
  const configuration = await check(deployment)
  await requireLogin(wrangler)
  const found = await find(wrangler, configuration)
  const id = await makeDatabase(wrangler, configuration, found)
  print(`${made(found.databaseId === null)} D1 database ${configuration.database} (${id})`)
  await makeBucket(wrangler, configuration, found)
  print(`${made(!found.hasBucket)} R2 bucket ${configuration.bucket}`)

  const file = join(directory, `.wrangler-${target || 'top'}.toml`)
  const args = ['--config', file, '--env', target]
  const text = await configurationWith(configuration, id)
  try {
    await writeFile(file, text)
    await publish(deployment, { configuration, found, args })
  } finally {
    await rm(file, { force: true })
  }
}

const made = (isNew: boolean) => (isNew ? 'created ' : 'found   ')

/** The checks that need no account. */
async function check({ directory, target, print }: Deployment): Promise<Configuration> {
  const configuration = await readConfiguration(directory, target)
  print(`checked  settings of ${target || 'the top level'} in wrangler.toml`)
  for (const warning of configuration.warnings) print(`warning  ${warning}`)
  return configuration
}

async function requireLogin(wrangler: Wrangler): Promise<void> {
  const { code, stdout, stderr } = await wrangler(['whoami', '--json'])
  if (code !== 0)
    throw new DeployFailure(
      `Wrangler cannot sign in to Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.\n${stdout}${stderr}`,
    )
}

type Prepared = {
  readonly configuration: Configuration
  readonly found: Found
  readonly args: readonly string[]
}

async function publish(deployment: Deployment, { configuration, found, args }: Prepared): Promise<void> {
  const { wrangler, print, environment } = deployment
  const users = await countUsers(wrangler, args)
  const isNewKey = await makeKey(wrangler, configuration, { found, users })
  print(
    isNewKey
      ? `created  secret TIDEMARK_SECRET; keep a copy of ${keyFile(configuration)}`
      : 'found    secret TIDEMARK_SECRET',
  )
  const adminPassword = users === 0 ? environment['TIDEMARK_ADMIN_PASSWORD'] || null : null
  if (adminPassword !== null) await putPassword(wrangler, configuration, adminPassword)
  await outputOf(wrangler, ['d1', 'migrations', 'apply', 'DB', '--remote', ...args])
  print('migrated D1')
  const url = addressOf(deployment, configuration, await deployed(wrangler, args))
  print(`deployed ${configuration.worker}`)
  await requireReady(url, configuration.worker)
  print('ready    /readyz')
  print(`checked  ${await signIn(url, credentialsOf(environment, adminPassword))}`)
  print(`\nTidemark serves ${url}/`)
  if (users === 0 && adminPassword === null)
    print(`Create the administrator within 30 minutes: ${await makeSetupLink(wrangler, args, url)}`)
}

function credentialsOf(
  { TIDEMARK_USERNAME: username, TIDEMARK_PASSWORD: password }: Environment,
  adminPassword: string | null,
) {
  if (adminPassword !== null) return { username: 'admin', password: adminPassword }
  return username && password ? { username, password } : null
}

/** The address of the service: the given one, or the address of the Worker. */
function addressOf(
  { url }: Deployment,
  { basePath, worker }: Configuration,
  targets: readonly string[],
): string {
  const address = url ?? targets.find((one) => /^https?:\/\/[^*]+$/.test(one))
  if (address === undefined)
    throw new DeployFailure(
      `${worker} is deployed, but wrangler names no address of it. Name it: npm run deploy -- --url https://…`,
    )
  return url ?? address.replace(/\/$/, '') + basePath
}

/** Prints what a deployment would make, and builds the Worker. Without a login nothing in the account is looked for. */
export async function rehearse(deployment: Deployment): Promise<void> {
  const { target, wrangler, print } = deployment
  const configuration = await check(deployment)
  const { code } = await wrangler(['whoami', '--json'])
  if (code === 0) {
    const { databaseId, hasBucket, secrets } = await find(wrangler, configuration)
    print(`${planned(databaseId === null)} D1 database ${configuration.database}`)
    print(`${planned(!hasBucket)} R2 bucket ${configuration.bucket}`)
    print(`${planned(!secrets.has('TIDEMARK_SECRET'))} secret TIDEMARK_SECRET`)
  } else print('skipped  D1, R2 and secrets: wrangler cannot sign in to Cloudflare')
  print((await outputOf(wrangler, ['deploy', '--dry-run', '--env', target])).trim())
  print(`built    ${configuration.worker}; nothing was changed`)
}

const planned = (isMissing: boolean) => (isMissing ? 'create  ' : 'found   ')
