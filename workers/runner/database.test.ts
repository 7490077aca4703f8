import { describe, expect, test } from 'bun:test'

import type { DatabaseTarget } from '../../src/automation/runs/protocol.ts'
import { databaseDefaults, databaseVariables } from './database.ts'

const TARGET: DatabaseTarget = {
  type: 'postgresql',
  host: 'db.example.org',
  port: 5_432,
  database: 'sales',
  schema: null,
  user: 'reader',
  password: 'p w',
  tls: 'verify-full',
  access: 'read',
  timeoutMs: 30_000,
}
const THERE = { host: 'db.example.org', port: 5_432 }
const HERE = { host: '127.0.0.1', port: 41_234 }

const optionsOf = (change: Partial<DatabaseTarget>) =>
  databaseVariables({ ...TARGET, ...change }, THERE)['PGOPTIONS']

describe('a job gets the settings of a database', () => {
  test('of PostgreSQL, as its own programs are', () => {
    expect(databaseVariables(TARGET, THERE)).toEqual({
      SVC_DATABASE_TYPE: 'postgresql',
      SVC_DATABASE_HOST: 'db.example.org',
      SVC_DATABASE_PORT: '5432',
      SVC_DATABASE_NAME: 'sales',
      SVC_DATABASE_SCHEMA: '',
      SVC_DATABASE_USER: 'reader',
      SVC_DATABASE_PASSWORD: 'p w',
      SVC_DATABASE_TLS: 'verify-full',
      SVC_DATABASE_ACCESS: 'read',
      SVC_DATABASE_TIMEOUT_MS: '30000',
      PGHOST: 'db.example.org',
      PGPORT: '5432',
      PGDATABASE: 'sales',
      PGUSER: 'reader',
      PGPASSWORD: 'p w',
      PGSSLMODE: 'verify-full',
      PGOPTIONS: '-c default_transaction_read_only=on -c statement_timeout=30000',
    })
  })

  test('of MySQL, whose programs know no more of it', () => {
    const told = databaseVariables({ ...TARGET, type: 'mysql', port: 3_306 }, HERE)
    const known = Object.entries(told).filter(([name]) => !name.startsWith('SVC_'))
    expect(Object.fromEntries(known)).toEqual({
      MYSQL_HOST: '127.0.0.1',
      MYSQL_TCP_PORT: '41234',
      MYSQL_PWD: 'p w',
    })
    expect(told).toMatchObject({ SVC_DATABASE_TYPE: 'mysql', SVC_DATABASE_PORT: '41234' })
  })

  test('where it finds it, and under which name', () => {
    expect(databaseVariables(TARGET, HERE)).toMatchObject({
      SVC_DATABASE_HOST: '127.0.0.1',
      SVC_DATABASE_PORT: '41234',
      PGHOST: 'db.example.org',
      PGHOSTADDR: '127.0.0.1',
      PGPORT: '41234',
    })
  })

  test('without a password', () => {
    for (const type of ['postgresql', 'mysql'] as const) {
      const told = databaseVariables({ ...TARGET, type, password: null }, THERE)
      expect(told['SVC_DATABASE_PASSWORD']).toBe('')
      expect(Object.keys(told)).not.toContain(type === 'mysql' ? 'MYSQL_PWD' : 'PGPASSWORD')
    }
  })

  test.each([
    [{ access: 'write' }, '-c statement_timeout=30000'],
    [{ access: 'write', timeoutMs: 0, schema: 'eu' }, '-c search_path="eu" -c statement_timeout=0'],
    [
      { access: 'write', schema: 'my "own" \\ schema' },
      '-c search_path="my\\ ""own""\\ \\\\\\ schema" -c statement_timeout=30000',
    ],
  ] as const)('with options: %j', (change, options) => expect(optionsOf(change)).toBe(options))

  test('and trusts the certificate authorities of the machine where certificates are verified', () => {
    const trusted = { PGSSLROOTCERT: '/etc/ssl/certs/ca-certificates.crt' }
    expect(databaseDefaults(TARGET)).toEqual(trusted)
    expect(databaseDefaults({ ...TARGET, tls: 'require' })).toEqual({})
    expect(databaseDefaults({ ...TARGET, type: 'mysql' })).toEqual({})
  })
})
