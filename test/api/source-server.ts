import { startPostgres } from '../hosts/postgres.ts'
import type { Postgres } from '../hosts/postgres.ts'

export { hasPostgres as hasSourceServer } from '../hosts/postgres.ts'

export const SOURCE_PASSWORD = 'canary-of-a-reader'

let server: Postgres | null = null

/** Starts the server of the data sources that suites connect to.
 * @returns the variables that let the service reach it */
export async function startSourceServer(): Promise<Readonly<Record<string, string>>> {
  server = await startPostgres()
  await server.sql(SCHEMA)
  return { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` }
}

export async function closeSourceServer(): Promise<void> {
  await server?.close()
  server = null
}

/** The server under test. */
export function sourceServer(): Postgres {
  if (!server) throw new Error('There is no server for data sources.')
  return server
}

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
