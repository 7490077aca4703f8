import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'

import { checkStatement } from './gate.ts'
import type { Relations } from './names.ts'
import type { Dialect } from './spelling.ts'
import { TextFault } from './text-fault.ts'

const ALL: readonly Dialect[] = ['postgresql', 'mysql', 'duckdb', 'sqlite']

function verdict(text: string, dialect: Dialect, relations: Relations | null = null): string {
  try {
    return checkStatement(text, dialect, relations)
  } catch (error) {
    if (error instanceof TextFault) return `${error.code} at ${error.position}: ${error.complaint}`
    throw error
  }
}

const REFUSED = /^(?:invalid|scope_unsupported_reference) at \d+: /

const READS = [
  'SELECT 1',
  'select a, b as "insert" from t where c in (1, 2) order by (a) desc limit 3',
  'with a as (select 1 as x), b(y) as (select x from a) select * from b',
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n',
  '(select 1) union all (select 2)',
  "select 'insert into t; delete from t', coalesce(a, 'x;y') from t",
  'select count(*) from (select 1) as q(a) join t on q.a = t.a',
  'select "update" from t',
  'select t.into from t',
  'select cast(a as decimal(10, 2)) from t',
  'select sum(a) over (partition by b order by c) from t',
  'select case when (a) then 1 else 2 end from t',
]

describe('statements of every dialect', () => {
  test.each(ALL.flatMap((dialect) => READS.map((text) => [dialect, text] as const)))(
    '%s runs %p',
    (dialect, text) => {
      const own = dialect === 'mysql' ? text.replaceAll('"', '`') : text
      expect(verdict(own, dialect)).toBe(own)
    },
  )

  test.each(ALL)('%s: without its semicolon and the comment after it', (dialect) => {
    expect(verdict(' select 1 ; -- end', dialect)).toBe(' select 1')
    expect(verdict('select 1 -- )', dialect)).toBe('select 1')
    expect(verdict('select 1 /* ; */', dialect)).toBe('select 1')
  })

  const CHANGES = [
    '',
    ';',
    '-- select 1',
    'select 1; select 2',
    'select 1;;',
    "select 'a'; delete from t",
    'select 1) q; delete from t; select * from (select 1',
    'select 1) union select * from (select 2',
    '(select 1',
    'insert into t values (1)',
    'update t set a = 1',
    'delete from t',
    'with a as (delete from t returning *) select * from a',
    'with a as (select 1) delete from t',
    'with a as (select 1) insert into t select * from a',
    'with a as (update t set a = 1 returning a) select 1',
    'create table u (a int)',
    'drop table t',
    'alter table t add b int',
    'truncate t',
    'copy t to stdout',
    'attach database x as y',
    'set a = 1',
    'call p()',
    'do $$ begin end $$',
    'commit',
    'rollback',
    'begin',
    'lock table t',
    'vacuum',
    'pragma table_info(t)',
    'explain select 1',
    'select * into u from t',
    "select a from t into outfile '/tmp/x'",
    'select a from t for update',
    'select a from t for share',
    'select a from t lock in share mode',
    'table t',
    'show tables',
    'select * from (describe t)',
    'select * from (show tables)',
  ]
  test.each(ALL.flatMap((dialect) => CHANGES.map((text) => [dialect, text] as const)))(
    '%s refuses %p',
    (dialect, text) => expect(verdict(text, dialect)).toMatch(REFUSED),
  )
})

/** Calls, files and catalogues, each with the first character that is refused. */
const ATTACKS: readonly (readonly [dialect: Dialect, text: string, at: number])[] = [
  ['postgresql', "select query_to_xml('select 1', true, true, '')", 7],
  ['postgresql', "select \"query_to_xml\"('select 1', true, true, '')", 7],
  ['postgresql', "select Query_To_Xml /* */ ('select 1', true, true, '')", 7],
  ['postgresql', "select table_to_xml('t', true, true, '')", 7],
  ['postgresql', "select * from dblink('host=x', 'select 1') as t(a int)", 14],
  ['postgresql', "select ts_stat('select a from t')", 7],
  ['postgresql', 'select pg_sleep(9)', 7],
  ['postgresql', 'select pg_advisory_lock(1)', 7],
  ['postgresql', "select pg_read_file('/etc/passwd')", 7],
  ['postgresql', "select set_config('a', 'b', false)", 7],
  ['postgresql', "select current_setting('a')", 7],
  ['postgresql', "select lo_import('/etc/passwd')", 7],
  ['postgresql', 'select public.lower(a) from t', 14],
  ['postgresql', 'select my_function(1)', 7],
  [
    'postgresql',
    "select * from generate_series(1, 2) with ordinality, query_to_xml('x', true, true, '')",
    53,
  ],
  ['postgresql', "select * from crosstab('select 1; delete from t') as ct(a int)", 23],
  ['postgresql', "select * from crosstab('select pg_sleep(9)') as ct(a int)", 23],
  ['postgresql', "select * from crosstab('select ' || 'pg_sleep(9)') as ct(a int)", 33],
  ['mysql', "select load_file('/etc/passwd')", 7],
  ['mysql', 'select sleep(9)', 7],
  ['mysql', 'select benchmark(1e9, md5(1))', 7],
  ['mysql', "select get_lock('a', 9)", 7],
  ['mysql', 'select @@datadir', 7],
  ['mysql', 'select @a := 1', 7],
  ['mysql', 'select 1 /*! union select load_file(0x2f) */', 9],
  ['mysql', "select a from t group by a with rollup, load_file('x')", 40],
  ['duckdb', "select * from enable_logging(storage='file', storage_path='/tmp/x')", 14],
  ['duckdb', "from 'orders.duckdb'", 5],
  ['duckdb', "select * from t join 'x.csv' on true", 21],
  ['duckdb', "select * from t, 'x.csv'", 17],
  ['duckdb', 'select * from "/tmp/x.csv"', 14],
  ['duckdb', "select * from (from 'x.csv')", 20],
  ['duckdb', "select * from read_blob('/etc/passwd')", 14],
  ['duckdb', "select * from read_duckdb('x')", 14],
  ['duckdb', "select * from read_csv('/etc/passwd')", 14],
  ['duckdb', "select * from glob('/*')", 14],
  ['duckdb', "select * from query('select 1')", 14],
  ['duckdb', 'select * from "query"(\'select 1\')', 14],
  ['duckdb', "select * from query_table('t')", 14],
  ['duckdb', "select * from json_execute_serialized_sql('x')", 14],
  ['duckdb', 'select * from duckdb_databases()', 14],
  ['duckdb', 'select * from duckdb_settings', 14],
  ['duckdb', 'select * from sqlite_master', 14],
  ['duckdb', 'select * from information_schema.tables', 14],
  ['duckdb', 'select * from pragma_database_list', 14],
  ['duckdb', "select getenv('PATH')", 7],
  ['duckdb', "select getvariable('x')", 7],
  ['duckdb', "select ('x').getenv()", 13],
  ['duckdb', 'pivot t on a', 0],
  ['duckdb', 'force checkpoint', 0],
  ['sqlite', 'select * from sqlite_schema', 14],
  ['sqlite', "select * from pragma_table_info('t')", 14],
  ['sqlite', "select load_extension('x')", 7],
  ['sqlite', "select readfile('/etc/passwd')", 7],
  ['sqlite', "select * from 'orders'", 14],
  ['sqlite', 'select * from main.sqlite_master', 19],
  ['sqlite', 'select zeroblob(1e9)', 7],
]

describe('attacks', () => {
  test.each(ATTACKS)('%s refuses %p at %d', (dialect, text, at) => {
    expect(verdict(text, dialect)).toMatch(new RegExp(`^\\w+ at ${at}: `))
  })

  test.each([
    ['duckdb', "select 'a/b' from t where a is distinct from 'x/y' and b in ('c.csv')"],
    ['duckdb', 'from t select a'],
    ['duckdb', "select extract(year from '2026-01-01'::date), list_transform([1, 2], x -> x + 1)"],
    ['duckdb', "select ('a').upper(), x.lower() from t"],
    ['duckdb', 'select * exclude (a) from t qualify row_number() over (order by b) = 1'],
    ['postgresql', "select a from t where b = 'pg_sleep(9)'"],
    ['postgresql', "select * from crosstab('select a, b, c from t order by 1') as ct(a text, b int)"],
    ['postgresql', 'select percentile_cont(0.5) within group (order by a) filter (where b > 1) from t'],
    ['mysql', 'select a from t group by a with rollup having count(*) > 1'],
  ] as const)('%s runs %p', (dialect, text) => expect(verdict(text, dialect)).toBe(text))
})

describe('names of a source with scopes', () => {
  const relations: Relations = {
    hidden: ['salaries', 'Ünder', 'a'.repeat(63), 'b'.repeat(62)],
    scoped: ['orders', 'order items'],
  }
  const SCOPE = /^scope_unsupported_reference at (\d+): /
  const at = (text: string, dialect: Dialect) => SCOPE.exec(verdict(text, dialect, relations))?.[1]

  test.each([
    ['select * from salaries', '14'],
    ['select * from "salaries"', '14'],
    ['select * from SALARIES', '14'],
    ['select * from public.salaries', '21'],
    ['select * from /* */ salaries', '20'],
    ['select * from üNDER', '14'],
    [`select * from ${'a'.repeat(70)}`, '14'],
    // PostgreSQL keeps no part of a character.
    [`select * from ${'b'.repeat(62)}ü`, '14'],
    ['select * from public.orders', '21'],
    ['select * from public."orders"', '21'],
    ['select * from public . orders', '23'],
    ['select * from public./* */Orders', '26'],
    ['with orders as (select 1) select * from orders', '5'],
    ['with a as (select 1), "orders"(b) as (select 1) select * from orders', '22'],
    ['with recursive orders as (select 1) select * from orders', '15'],
    ['select * from (with orders as (select 1) select * from orders) q', '20'],
    ['select * from pg_stats', '14'],
    ['select * from pg_catalog.pg_class', '14'],
    ['select * from information_schema.columns', '14'],
    ["select * from crosstab('select a from orders') as ct(a int)", '23'],
  ])('PostgreSQL refuses %p at %s', (text, position) => expect(at(text, 'postgresql')).toBe(position))

  test.each([
    ['select * from `salaries`', '14'],
    ['select * from shop.orders', '19'],
    ['select * from shop.`orders`', '19'],
    ['select * from mysql.user', '14'],
    ['select * from performance_schema.threads', '14'],
    ["select 'salaries'", '7'],
  ])('MySQL refuses %p at %s', (text, position) => expect(at(text, 'mysql')).toBe(position))

  test.each([
    'select orders.region from orders',
    'with mine as (select * from orders) select * from mine, "order items"',
    'select * from orders where exists (select 1 from orders)',
    "select 'salaries'",
  ])('PostgreSQL runs %p', (text) => expect(verdict(text, 'postgresql', relations)).toBe(text))

  test('catalogues of PostgreSQL are open to a caller without a scope', () => {
    const text = 'select relname from pg_class'
    expect(verdict(text, 'postgresql')).toBe(text)
  })
})

test('SQLite runs each statement that is allowed as one that only reads', () => {
  const database = new Database(':memory:')
  database.run('create table t (a, b, c, "insert", "update", "into")')
  // SQLite has no parentheses around the parts of UNION, and an alias has no columns; INTO is reserved.
  for (const text of READS.filter((read) => !/^\(| as q\(|t\.into/.test(read))) {
    const statement = database.prepare(checkStatement(text, 'sqlite', null))
    expect(statement.columnNames.length).toBeGreaterThan(0)
    statement.finalize()
  }
})
