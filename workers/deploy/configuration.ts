import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { parseEnvironment, strangeVariables } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import { DeployFailure } from './wrangler.ts'

/** Where `wrangler.toml` has an environment: at its top level, or below `[env.<name>]`. */
export type Target = '' | 'staging' | 'production'

/** An environment of `wrangler.toml`. */
export type Configuration = {
  readonly directory: string
  readonly target: Target
  readonly worker: string
  readonly basePath: string
  readonly database: string
  /** Null until `wrangler.toml` names one. */
  readonly databaseId: string | null
  readonly bucket: string
  /** A sentence for each variable without effect. */
  readonly warnings: readonly string[]
}

type Section = {
  readonly name?: string
  readonly vars?: Readonly<Record<string, unknown>>
  readonly d1_databases?: readonly { readonly database_name: string; readonly database_id?: string }[]
  readonly r2_buckets?: readonly { readonly bucket_name: string }[]
}
type File = Section & { readonly env?: Readonly<Record<string, Section>> }

const FILE = 'wrangler.toml'

/** Reads the file, and checks the variables of the environment.
 * @throws {RangeError} naming every variable that is wrong
 * @throws {DeployFailure} where something is missing */
export async function readConfiguration(directory: string, target: Target): Promise<Configuration> {
  const file = await readToml(directory)
  const { name, vars = {}, d1_databases: databases, r2_buckets: buckets } = sectionOf(file, target)
  const database = databases?.[0]
  const bucket = buckets?.[0]
  if (name === undefined || !database || !bucket)
    throw new DeployFailure(`${FILE} has no name, D1 database or R2 bucket for ${target || 'the top level'}.`)
  return {
    directory,
    target,
    worker: name,
    basePath: settingsOf(parseEnvironment(settingsSchema, vars)).basePath,
    database: database.database_name,
    databaseId: database.database_id ?? null,
    bucket: bucket.bucket_name,
    warnings: strangeVariables(settingsSchema, vars),
  }
}

async function readToml(directory: string): Promise<File> {
  try {
    return Bun.TOML.parse(await readFile(join(directory, FILE), 'utf8'))
  } catch (cause) {
    throw new DeployFailure(`${FILE} cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

const sectionOf = (file: File, target: Target): Section => (target === '' ? file : (file.env?.[target] ?? {}))

/** A copy of `wrangler.toml` with the id of this database, unless it has one. Wrangler needs the id; the file in the repository has none,
 * because each account has its own. */
export async function configurationWith(
  { directory, database, databaseId }: Configuration,
  id: string,
): Promise<string> {
  const text = await readFile(join(directory, FILE), 'utf8')
  if (databaseId !== null) return text
  const line = `database_name = ${JSON.stringify(database)}\n`
  if (!text.includes(line))
    throw new DeployFailure(
      `${FILE} has no line ${line.trim()}, below which the id of the database belongs. Write it below that name: database_id = "${id}"`,
    )
  return text.replace(line, `${line}database_id = ${JSON.stringify(id)}\n`)
}
