import { hasMariadb, startMariadb } from '../hosts/mariadb.ts'
import type { Mariadb } from '../hosts/mariadb.ts'
import { startPostgres } from '../hosts/postgres.ts'
import type { Postgres } from '../hosts/postgres.ts'

export { hasPostgres as hasSourceServer } from '../hosts/postgres.ts'

export const SOURCE_PASSWORD = 'canary-of-a-reader'

let server: Postgres | null = null
let mariadb: Mariadb | null = null

/** Starts the servers of the data sources that suites connect to.
 * @returns the variables that let the service reach it */
export async function startSourceServer(): Promise<Readonly<Record<string, string>>> {
  ;[server, mariadb] = await Promise.all([startPostgres(), hasMariadb ? startMariadb() : null])
  await server.sql(SCHEMA)
  const ports = [server, mariadb].flatMap((one) => one?.port ?? [])
  return { TIDEMARK_OUTBOUND_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(',') }
}

export async function closeSourceServer(): Promise<void> {
  await Promise.all([server?.close(), mariadb?.close()])
  ;[server, mariadb] = [null, null]
}

/** The server under test. */
export function sourceServer(): Postgres {
  if (!server) throw new Error('There is no server for data sources.')
  return server
}

/** The server for MySQL; null where there is none. */
export const mariadbServer = (): Mariadb | null => mariadb

const SCHEMA = `
  create schema eu; create schema other;
  create role reader login password '${SOURCE_PASSWORD}';
  grant usage on schema eu, other to reader;
  create table eu.orders (id bigint primary key, region varchar(20), placed timestamptz not null);
  create view eu.regions as select distinct region from eu.orders;
  create table eu.hidden (id int);
  create table other.elsewhere (id int);
  comment on table eu.orders is 'Orders'; comment on column eu.orders.region is 'Where';
  grant select on eu.orders, eu.regions, other.elsewhere to reader;`

/** The connection of a data source to a schema of the PostgreSQL server. */
export const connectionTo = (schema: string, change: object = {}) => ({
  host: '127.0.0.1',
  port: sourceServer().port,
  database: 'postgres',
  schema,
  user: 'reader',
  password: SOURCE_PASSWORD,
  tls: 'disable',
  ...change,
})
