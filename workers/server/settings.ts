import { resolve } from 'node:path'

import * as z from 'zod'

import { onOff, parseEnvironment, strangeVariables, wholeNumber } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import type { Settings } from '../../src/ports/settings.ts'

const serverSchema = settingsSchema.extend({
  TIDEMARK_PORT: wholeNumber(0, 65_535)
    .default(8080)
    .describe('The TCP port; 0 chooses any free port. If unset, the first free port from 8080 is used.'),
  TIDEMARK_HOST: z.string().default('127.0.0.1').describe('The address to listen on; 0.0.0.0 for all.'),
  TIDEMARK_TRUSTED_PROXIES: wholeNumber(0, 10)
    .default(0)
    .describe(
      'Number of trusted reverse proxies in front of the service, whose X-Forwarded-For entries are believed.',
    ),
  TIDEMARK_DATA_DIR: z.string().default('data').describe('The directory of all data of this service.'),
  TIDEMARK_NEW_KEY: z
    .enum(['yes', 'no'])
    .default('no')
    .describe('Whether data whose `key` is lost get a new one.'),
  TIDEMARK_BACKUP_DIR: z
    .string()
    .optional()
    .describe('The directory of backups; default: inside the data directory.'),
  TIDEMARK_RUNNER: onOff('on').describe('Whether a script runner is started with the service.'),
  TIDEMARK_DATABASE_URL: z
    .string()
    .regex(/^(file|https?|libsql):/, 'must begin with file:, http:, https: or libsql:')
    .optional()
    .describe('URL of the system database; default: a file in the data directory.'),
  TIDEMARK_DATABASE_AUTH_TOKEN: z.string().optional().describe('Auth token of a remote libSQL server.'),
})

export type ServerSettings = Settings & {
  readonly port: number
  /** Whether another port may be used if this one is taken: false for a port that the environment names. */
  readonly anyPort: boolean
  readonly host: string
  readonly trustedProxies: number
  /** Absolute. */
  readonly dataDir: string
  /** Whether a new key is made for existing data. */
  readonly newKey: boolean
  /** Null for the data directory. */
  readonly backupDir: string | null
  readonly startsRunner: boolean
  readonly databaseUrl: string | null
  readonly databaseAuthToken: string | null
}

/** @throws {RangeError} naming every variable that is wrong */
export function readServerSettings(
  environment: Readonly<Record<string, string | undefined>>,
): ServerSettings {
  const values = parseEnvironment(serverSchema, environment)
  // npm and run.sh change the folder before this process starts.
  const called = (path: string) => resolve(environment['TIDEMARK_CALLED_FROM'] ?? '.', path)
  return {
    ...settingsOf(values),
    port: values.TIDEMARK_PORT,
    anyPort: (environment['TIDEMARK_PORT'] ?? '') === '',
    host: values.TIDEMARK_HOST,
    trustedProxies: values.TIDEMARK_TRUSTED_PROXIES,
    dataDir: called(values.TIDEMARK_DATA_DIR),
    newKey: values.TIDEMARK_NEW_KEY === 'yes',
    backupDir: values.TIDEMARK_BACKUP_DIR === undefined ? null : called(values.TIDEMARK_BACKUP_DIR),
    startsRunner: values.TIDEMARK_RUNNER === 'on',
    databaseUrl: values.TIDEMARK_DATABASE_URL ?? null,
    databaseAuthToken: values.TIDEMARK_DATABASE_AUTH_TOKEN ?? null,
  }
}

/** The variables that have no effect, each in a sentence for the operator. */
export function settingWarnings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return strangeVariables(serverSchema, environment)
}
