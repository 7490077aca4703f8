import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { RELEASE } from '../../src/operations/health/service.ts'
import { EXIT, CommandFailure } from './failures.ts'
import { migrate } from './libsql.ts'
import type { Libsql } from './libsql.ts'

const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')

type Client = Libsql['client']
type Migration = { readonly tag: string; readonly when: number }

/** The migrations of a system database. */
export type Migrated = {
  /** The name of the latest migration. */
  readonly latest: string
  /** The number of migrations that this start has applied. */
  readonly applied: number
}

/** Checks that this release can read the data.
 * @returns how many migrations the system database has; 0 when it is new
 * @throws {CommandFailure} if a later release or an unreleased build wrote the data */
export async function requireReadableData(values: Client, system: Client): Promise<number> {
  const { rows } = await values.execute('pragma user_version')
  const writtenBy = Number(rows[0]?.[0])
  if (writtenBy > numberOf(RELEASE.tidemark)) throw laterRelease(`Tidemark ${nameOf(writtenBy)}`)
  const known = await knownMigrations()
  const applied = await appliedMigrations(system)
  const unknown = applied.filter((when) => !known.some((one) => one.when === when))
  const latest = known.at(-1)?.when ?? 0
  if (unknown.some((when) => when > latest)) throw laterRelease('a later Tidemark')
  if (unknown.length > 0) throw unreleasedBuild()
  return applied.length
}

/** Applies the migrations that the system database has not seen, and notes in the values database that this release
 * has written the data. */
export async function migrateRelease(
  values: Client,
  system: Libsql,
  appliedBefore: number,
): Promise<Migrated> {
  await migrate(system.database, MIGRATIONS)
  await values.execute(`pragma user_version = ${numberOf(RELEASE.tidemark)}`)
  const known = await knownMigrations()
  return { latest: known.at(-1)?.tag ?? '', applied: known.length - appliedBefore }
}

function laterRelease(release: string): CommandFailure {
  return new CommandFailure(
    EXIT.data,
    `The data were written by ${release}, and this is Tidemark ${RELEASE.tidemark}. Start that release or a later one, or restore a backup that ${RELEASE.tidemark} made into an empty directory.`,
  )
}

/** Migrations may be rewritten until they are released. */
function unreleasedBuild(): CommandFailure {
  return new CommandFailure(
    EXIT.data,
    `The data were made by an unreleased build, which Tidemark ${RELEASE.tidemark} cannot upgrade. Start with an empty data directory (TIDEMARK_DATA_DIR), and with an empty database if TIDEMARK_DATABASE_URL is set.`,
  )
}

async function knownMigrations(): Promise<readonly Migration[]> {
  const journal = JSON.parse(await readFile(join(MIGRATIONS, 'meta/_journal.json'), 'utf8')) as {
    readonly entries: readonly Migration[]
  }
  return journal.entries
}

/** The times at which the applied migrations were generated, in milliseconds. */
async function appliedMigrations(system: Client): Promise<readonly number[]> {
  const tables = await system.execute(`select 1 from sqlite_master where name = '__drizzle_migrations'`)
  if (tables.rows.length === 0) return []
  const { rows } = await system.execute('select created_at from __drizzle_migrations')
  return rows.map((row) => Number(row[0]))
}

/** A release such as `1.2.3` as 1002003, because SQLite stores one number for the application. */
function numberOf(release: string): number {
  const [major = 0, minor = 0, patch = 0] = release.split(/[.-]/).map(Number)
  return (major * 1_000 + minor) * 1_000 + patch
}

function nameOf(number: number): string {
  return [Math.floor(number / 1_000_000), Math.floor(number / 1_000) % 1_000, number % 1_000].join('.')
}
