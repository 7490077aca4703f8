import type { DatabaseTarget } from '../../src/automation/runs/protocol.ts'
import type { HostPort } from './sandbox/container.ts'

/** The certificates that the machine trusts, on Debian and systems that are derived from it. */
const TRUSTED = '/etc/ssl/certs/ca-certificates.crt'

/** The variables of a run for its database, including the variables that the programs of the database read.
 * @param found the address inside the sandbox, which may differ from the address of the database */
export function databaseVariables(target: DatabaseTarget, found: HostPort): Record<string, string> {
  const { type, database, schema, user, password, tls, access, timeoutMs } = target
  return {
    SVC_DATABASE_TYPE: type,
    SVC_DATABASE_HOST: found.host,
    SVC_DATABASE_PORT: String(found.port),
    SVC_DATABASE_NAME: database,
    SVC_DATABASE_SCHEMA: schema ?? '',
    SVC_DATABASE_USER: user,
    SVC_DATABASE_PASSWORD: password ?? '',
    SVC_DATABASE_TLS: tls,
    SVC_DATABASE_ACCESS: access,
    SVC_DATABASE_TIMEOUT_MS: String(timeoutMs),
    ...(type === 'postgresql' ? postgresVariables(target, found) : mysqlVariables(target, found)),
  }
}

/** The variables that a script or its run configuration may replace. */
export function databaseDefaults({ type, tls }: DatabaseTarget): Record<string, string> {
  return type === 'postgresql' && tls === 'verify-full' ? { PGSSLROOTCERT: TRUSTED } : {}
}

/** The variables of libpq. */
function postgresVariables(target: DatabaseTarget, found: HostPort): Record<string, string> {
  const { host, database, user, password, tls } = target
  return {
    // The name that the certificate must have. PGHOSTADDR is the address of the connection.
    PGHOST: host,
    ...(found.host === host ? {} : { PGHOSTADDR: found.host }),
    PGPORT: String(found.port),
    PGDATABASE: database,
    PGUSER: user,
    ...(password === null ? {} : { PGPASSWORD: password }),
    PGSSLMODE: tls,
    PGOPTIONS: postgresOptions(target),
  }
}

/** The options of the sessions of a run, which the run may change. */
function postgresOptions({ access, schema, timeoutMs }: DatabaseTarget): string {
  const options = {
    ...(access === 'read' ? { default_transaction_read_only: 'on' } : {}),
    ...(schema === null ? {} : { search_path: `"${schema.replaceAll('"', '""')}"` }),
    statement_timeout: String(timeoutMs),
  }
  // Words are separated by spaces, unless a backslash stands before one.
  const words = Object.entries(options).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\s\\]/g, '\\$&')}`,
  )
  return words.join(' ')
}

/** The variables of MySQL's own programs, which have none for the user and the database. */
function mysqlVariables({ password }: DatabaseTarget, { host, port }: HostPort): Record<string, string> {
  return {
    MYSQL_HOST: host,
    MYSQL_TCP_PORT: String(port),
    ...(password === null ? {} : { MYSQL_PWD: password }),
  }
}
