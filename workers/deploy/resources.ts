import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Configuration, Target } from './configuration.ts'
import { DeployFailure, jsonOf, outputOf } from './wrangler.ts'
import type { Wrangler } from './wrangler.ts'

const SECRET = 'TIDEMARK_SECRET'
const PASSWORD = 'TIDEMARK_ADMIN_PASSWORD'
/** The code of Cloudflare for a bucket that exists. */
const BUCKET_EXISTS = /10004|already exists/

/** The resources of an environment in the account. */
export type Found = {
  readonly databaseId: string | null
  readonly hasBucket: boolean
  readonly secrets: ReadonlySet<string>
}

/** Looks for the database, the bucket and the secrets; changes nothing. */
export async function find(
  wrangler: Wrangler,
  { database, databaseId, bucket, target }: Configuration,
): Promise<Found> {
  return {
    databaseId: databaseId ?? (await idOf(wrangler, database)),
    hasBucket: new RegExp(`^name:\\s+${bucket}$`, 'm').test(
      await outputOf(wrangler, ['r2', 'bucket', 'list']),
    ),
    secrets: await secretsOf(wrangler, target),
  }
}

async function idOf(wrangler: Wrangler, database: string): Promise<string | null> {
  const all = await jsonOf<readonly { readonly uuid: string; readonly name: string }[]>(wrangler, [
    'd1',
    'list',
    '--json',
  ])
  return all.find(({ name }) => name === database)?.uuid ?? null
}

/** The names of the secrets of a Worker; none while there is no such Worker. */
async function secretsOf(wrangler: Wrangler, target: Target): Promise<ReadonlySet<string>> {
  const { code, stdout, stderr } = await wrangler(['secret', 'list', '--env', target])
  if (code !== 0 && /Worker "[^"]*".* not found/.test(stdout + stderr)) return new Set()
  if (code !== 0) throw new DeployFailure(`wrangler secret list failed.\n${stdout}${stderr}`)
  const all = JSON.parse(stdout) as readonly { readonly name: string }[]
  return new Set(all.map(({ name }) => name))
}

/** Creates the database if it is missing; returns its id. */
export async function makeDatabase(
  wrangler: Wrangler,
  { database }: Configuration,
  found: Found,
): Promise<string> {
  if (found.databaseId !== null) return found.databaseId
  await outputOf(wrangler, ['d1', 'create', database])
  const id = await idOf(wrangler, database)
  if (id === null) throw new DeployFailure(`D1 has no database ${database} after its creation.`)
  return id
}

/** Creates the bucket if it is missing. A list may be shorter than the number of buckets, so an existing bucket is accepted. */
export async function makeBucket(wrangler: Wrangler, { bucket }: Configuration, found: Found): Promise<void> {
  if (found.hasBucket) return
  const { code, stdout, stderr } = await wrangler(['r2', 'bucket', 'create', bucket])
  if (code !== 0 && !BUCKET_EXISTS.test(stdout + stderr))
    throw new DeployFailure(
      `wrangler r2 bucket create ${bucket} failed. R2 has to be activated once in the dashboard of Cloudflare.\n${stdout}${stderr}`,
    )
}

/** The file that keeps the key of an installation outside of Cloudflare, which never returns a secret. */
export const keyFile = ({ directory, target }: Configuration) =>
  join(directory, `.env.tidemark-${target || 'top'}.key`)

/** Makes the key if it is missing, and keeps it in a file first: data of an installation cannot be decrypted without its key.
 * @throws {DeployFailure} where an installation with users has lost its key */
export async function makeKey(
  wrangler: Wrangler,
  configuration: Configuration,
  { found, users }: { readonly found: Found; readonly users: number },
): Promise<boolean> {
  if (found.secrets.has(SECRET)) return false
  const { worker, target } = configuration
  const file = keyFile(configuration)
  const kept = (await readFile(file, 'utf8').catch(ignoreAbsence)).trim()
  if (kept === '' && users > 0)
    throw new DeployFailure(
      `The Worker ${worker} has no secret ${SECRET}, but its database has users. Put the former key: npx wrangler secret put ${SECRET} --name ${worker}`,
    )
  const key = kept || Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
  if (kept === '') await appendFile(file, `${key}\n`, { mode: 0o600 })
  await outputOf(wrangler, ['secret', 'put', SECRET, '--env', target], key)
  return true
}

function ignoreAbsence(error: unknown): string {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return ''
  throw error
}

/** Gives the Worker the password of the first administrator. */
export async function putPassword(
  wrangler: Wrangler,
  { target }: Configuration,
  password: string,
): Promise<void> {
  await outputOf(wrangler, ['secret', 'put', PASSWORD, '--env', target], password)
}
