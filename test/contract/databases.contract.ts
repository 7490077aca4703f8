import { describe, expect, test } from 'bun:test'

import type { Bound, DatabaseTarget, QueryLimits } from '../../src/ports/databases.ts'
import type { DatabaseCall } from '../hosts/database-calls.ts'

export type Call = (
  call: Partial<DatabaseCall> &
    Pick<DatabaseCall, 'method' | 'args'> & {
      /** On Workers, the private hosts that may be reached; absent for the usual ones. */
      readonly allowed?: readonly string[]
    },
) => Promise<unknown>

/** A server, how a host calls it, and its dialect. */
export type Stage = {
  readonly call: Call
  readonly target: () => DatabaseTarget
  /** Runs statements as the owner of the server. */
  readonly sql: (statements: string) => Promise<string>
  readonly dialect: Dialect
}

/** The spelling of a dialect. */
export type Dialect = {
  readonly sleep: (seconds: number) => string
  /** Sessions of the service at the server that run a statement. */
  readonly working: string
  readonly sessions: string
  readonly series: (count: number) => string
  readonly placeholder: string
  readonly types: {
    readonly text: string
    readonly columns: readonly object[]
    readonly row: readonly unknown[]
  }
  readonly refused: readonly string[]
}

const LIMITS: QueryLimits = { timeoutMs: 10_000, rowsMax: 2_000_000, bytesMax: 100_000_000 }
const READ = { access: 'read', session: {} } as const

/** Stands for any text that matches, in a comparison. */
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

/** Runs one statement more than a source has connections, each longer than a caller waits for one, and then another. */
export async function expectFewConnections({ call, target, dialect }: Stage): Promise<void> {
  const query = (text: string) => {
    const source = { ...target(), name: `narrow ${target().type}`, connectionsMax: 2 }
    const limits = { ...LIMITS, timeoutMs: 60_000 }
    return call({ method: 'query', args: [source, { ...READ, statement: { text, binds: [] } }, limits] })
  }
  const answers = await Promise.all(Array.from({ length: 3 }, () => query(dialect.sleep(12))))
  const codes = (answers as { code?: string }[]).map(({ code = 'rows' }) => code)
  expect(codes.sort()).toEqual(['pool_exhausted', 'rows', 'rows'])
  expect(await query('select 1 as one')).toHaveProperty('result')
}

export function databasesContract(name: string, stageOf: () => Stage): void {
  const bound = (text: string, ...binds: Bound['binds']): Bound => ({ text, binds })
  const query = (text: string, change: Partial<DatabaseCall> & { limits?: object; target?: object } = {}) => {
    const { call, target } = stageOf()
    const { limits, target: other, ...rest } = change
    const args = [
      { ...target(), ...other },
      { ...READ, statement: bound(text) },
      { ...LIMITS, ...limits },
    ]
    return call({ method: 'query', args, ...rest })
  }
  const until = async (probe: string, wanted: string, ms = 15_000) => {
    const beganAt = performance.now()
    let seen = ''
    while (performance.now() - beganAt < ms) {
      seen = (await stageOf().sql(probe)).trim()
      if (seen === wanted) return seen
      await Bun.sleep(50)
    }
    return seen
  }

  describe(name, () => {
    test('gives rows with their columns, each type as its cell', async () => {
      const { types } = stageOf().dialect
      expect(await query(types.text)).toEqual({ result: { columns: types.columns, rows: [types.row] } })
    })

    test('gives columns without rows', async () => {
      expect(await query('select 1 as one where 1 = 0')).toMatchObject({
        result: { columns: [{ name: 'one', type: 'integer' }], rows: [] },
      })
    })

    test('binds values as they are, whatever is in them', async () => {
      const { call, target, dialect } = stageOf()
      for (const value of [`'; drop table a; --`, '\\', '%_"`', 'ä€😀', '', null]) {
        const statement = bound(`select cast(${dialect.placeholder} as char(40)) as v`, {
          type: 'string',
          value,
        })
        const { result } = (await call({
          method: 'query',
          args: [target(), { ...READ, statement }, LIMITS],
        })) as {
          result: { rows: (string | null)[][] }
        }
        expect(result.rows[0]?.[0]?.trimEnd() ?? null).toBe(value)
      }
    })

    test('streams many rows, and bounds their number and bytes', async () => {
      const { series } = stageOf().dialect
      const all = (await query(series(100_000))) as { result: { rows: number[][] } }
      expect(all.result.rows.length).toBe(100_000)
      expect(all.result.rows.at(-1)).toEqual([100_000])
      expect(await query(series(100), { limits: { rowsMax: 100 } })).toHaveProperty('result')
      expect(await query(series(101), { limits: { rowsMax: 100 } })).toMatchObject({
        code: 'query_too_large',
      })
      expect(await query(series(5_000), { limits: { bytesMax: 39_999 } })).toMatchObject({
        code: 'query_too_large',
      })
      expect(await query(series(5_000), { limits: { bytesMax: 40_000 } })).toHaveProperty('result')
    })

    test('lets nothing be written by a statement that reads, and no second statement run', async () => {
      const { dialect, sql } = stageOf()
      for (const text of dialect.refused)
        expect([text, (await query(text)) as object]).toMatchObject([text, { code: 'query_failed' }])
      expect((await sql('select count(*) from tidemark.kept')).trim()).toBe('1')
    })

    test('commits writes together, or none of them', async () => {
      const { call, target, sql } = stageOf()
      const insert = (id: number) => bound(`insert into written values (${id})`)
      const write = (...statements: Bound[]) =>
        call({ method: 'write', args: [target(), statements, LIMITS] })
      expect(await write(insert(1), insert(2), bound('delete from written where id < 9'))).toEqual({
        result: [1, 1, 2],
      })
      expect(await write(insert(3), bound('insert into nowhere values (1)'))).toMatchObject({
        code: 'query_failed',
      })
      expect((await sql('select count(*) from tidemark.written')).trim()).toBe('0')
      expect(await write(insert(4))).toEqual({ result: [1] })
      expect((await sql('select count(*) from tidemark.written')).trim()).toBe('1')
      await sql('delete from tidemark.written')
    })

    test('ends a statement at its time limit, also at the server', async () => {
      const { dialect } = stageOf()
      const beganAt = performance.now()
      expect(await query(dialect.sleep(30), { limits: { timeoutMs: 500 } })).toMatchObject({
        code: 'query_timeout',
      })
      expect(performance.now() - beganAt).toBeLessThan(20_000)
      expect(await until(dialect.working, '0')).toBe('0')
    })

    test('ends a statement when its caller leaves, also at the server', async () => {
      const { dialect } = stageOf()
      const beganAt = performance.now()
      const answer = await query(dialect.sleep(30), { abortAfterMs: 500, limits: { timeoutMs: 40_000 } })
      expect(answer).toMatchObject({ code: 'conflict' })
      expect(await until(dialect.working, '0')).toBe('0')
      expect(performance.now() - beganAt).toBeLessThan(20_000)
    })

    test('closes the connection when rows are not read to their end', async () => {
      const { dialect } = stageOf()
      expect(await query(dialect.series(500_000), { batchesMax: 1 })).toHaveProperty('result')
      expect(await until(dialect.sessions, '0')).toBe('0')
    })

    test('gives the message of the database for a statement that it refuses', async () => {
      expect(await query('select * from no_such_table')).toMatchObject({ code: 'query_failed' })
      expect((await query('select * from no_such_table')) as { detail: string }).toMatchObject({
        detail: matching(/no_such_table.*SQLSTATE 42/),
      })
    })

    test('is refused when the server is away or refuses the user', async () => {
      const away = (change: object) => query('select 1', { target: change })
      for (const change of [
        { password: 'wrong' },
        { user: 'nobody_known' },
        { database: 'no_such_database' },
      ]) {
        const answer = (await away(change)) as { code: string }
        expect([change, answer]).toMatchObject([change, { code: 'source_unavailable' }])
      }
      expect(await away({ port: 1 })).toMatchObject({
        code: matching(/^(?:source_unavailable|forbidden)$/),
      })
    })

    test('reaches no private host that the operator did not allow', async () => {
      for (const host of ['127.0.0.2', 'localhost', '10.1.2.3', '::1', 'db.internal', '169.254.169.254'])
        expect(await query('select 1', { target: { host } })).toMatchObject({ code: 'forbidden' })
    })

    test('gives the columns of the schema with their types and comments', async () => {
      const { call, target } = stageOf()
      const { result } = (await call({ method: 'schema', args: [target()] })) as {
        result: { table: string }[]
      }
      expect(result.filter(({ table }) => table === 'described')).toMatchObject([
        {
          kind: 'table',
          tableComment: 'a table',
          name: 'id',
          type: 'integer',
          isNullable: false,
          position: 1,
          comment: 'a number',
        },
        { name: 'label "x"', type: 'string', isNullable: true, position: 2, comment: null },
      ])
      expect(result.find(({ table }) => table === 'seen')).toMatchObject({
        kind: 'view',
        tableComment: null,
        tableRows: null,
      })
    })

    test('tells the version of the server, whether its user may write, and whether row security restricts the user', async () => {
      const { call, target } = stageOf()
      // MySQL has no row security.
      const isAboveRowSecurity = target().type === 'mysql'
      expect(await call({ method: 'probe', args: [target()] })).toMatchObject({
        result: { serverVersion: matching(/^\d+\.\d+/), isWritable: true, isAboveRowSecurity },
      })
      const reader = { ...target(), user: 'reader' }
      expect(await call({ method: 'probe', args: [reader] })).toMatchObject({
        result: { isWritable: false, isAboveRowSecurity },
      })
    })

    test('explains a statement without running it, or by running it without a change', async () => {
      const { call, target, dialect, sql } = stageOf()
      const explain = (text: string, isAnalyzed: boolean) =>
        call({
          method: 'explain',
          args: [target(), { statement: bound(text), session: {}, isAnalyzed }, LIMITS],
        })
      const plain = (await explain(dialect.sleep(60), false)) as { result: { format: string; text: string } }
      expect(plain.result.format).toBe('json')
      expect(JSON.parse(plain.result.text)).toBeTruthy()
      const analyzed = (await explain('select count(*) from kept', true)) as { result: { text: string } }
      expect(analyzed.result.text).toMatch(/actual|r_rows/i)
      expect(await explain('delete from kept', true)).toMatchObject({ code: 'query_failed' })
      expect((await sql('select count(*) from tidemark.kept')).trim()).toBe('1')
    })
  })
}
