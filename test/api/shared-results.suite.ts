import { expect } from 'bun:test'

import { logIn, PASSWORD } from './client.ts'
import type { Client } from './client.ts'
import { connectionTo, hasSourceServer, sourceServer } from './source-server.ts'
import { expectAnswer, good, once } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type Selected = { readonly rows: readonly (readonly unknown[])[]; readonly cached: boolean }
type Asker = { readonly as: null; readonly headers: Readonly<Record<string, string>> }

const EQUAL = 20
const ROUNDS = 10
const TRIES = 5
const AGE_MAX_MS = 1_000
const NO_CACHE = { 'cache-control': 'no-cache' }
const REGIONS = ['north', 'south']
const OWN = { column: 'region', op: 'eq', value: '${user.properties.region}' }
const BODY = { columns: ['id', 'region'], orderBy: [{ column: 'id' }] }

let made = 0
let prepared: Promise<unknown> | null = null

/** Tables of four rows, and one whose reads the server counts. */
function tables(): Promise<unknown> {
  return (prepared ??= sourceServer().sql(`create schema shared; set search_path to shared;
    create table orders (id bigint primary key, region text); insert into orders values (1, 'north'), (2, 'south'), (3, 'north'), (4, null);
    create table counted (id int); insert into counted values (1);
    create view lasting as select id, pg_sleep(0.6)::text as slept from counted;
    create table owned (id bigint primary key, owner_id bigint); insert into owned select i, i from generate_series(1, 1000) i;
    alter table owned enable row level security;
    create policy own on owned for select to reader using (owner_id = nullif(current_setting('tidemark.user_id', true), '')::bigint);
    grant usage on schema shared to reader; grant select on all tables in schema shared to reader;`))
}

async function makeDatabase(client: Client, change: object = {}): Promise<number> {
  await tables()
  const connection = connectionTo('shared')
  const json = { name: `shared ${++made}`, type: 'postgresql', connection, ...change }
  return (await good<Made>(client.request('POST', '/dataSources', { json }))).id
}

async function makeUser(client: Client, region: string): Promise<Asker & { readonly id: number }> {
  const username = `sharing user ${++made}`
  const properties = [{ key: 'region', value: region }]
  const json = { username, password: PASSWORD, role: 'Data_Editor', properties }
  const { id } = await good<Made>(client.request('POST', '/users', { json }))
  const session = await logIn(client, { username, password: PASSWORD })
  return { id, as: null, headers: { 'x-session-id': session } }
}

async function importOrders(client: Client, source: number, text: string, mode = 'create'): Promise<void> {
  const { id: upload } = await good<{ id: string }>(
    client.request('POST', `/dataSources/${source}/uploads`, {
      text,
      headers: { 'content-type': 'text/csv' },
    }),
  )
  await good(
    client.request('POST', `/dataSources/${source}/import`, { json: { upload, table: 'orders', mode } }),
  )
}

const stage = once(async (client) => {
  const database = await makeDatabase(client)
  const { id: files } = await good<Made>(
    client.request('POST', '/dataSources', { json: { name: `shared ${++made}`, type: 'csv' } }),
  )
  await importOrders(client, files, 'id,region\n1,north\n2,south\n3,north\n4,\n')
  const scope = { name: 'own', tables: ['orders'], subjects: { roles: ['Data_Editor'] }, filter: OWN }
  for (const source of [database, files])
    await good(client.request('POST', `/dataSources/${source}/scopes`, { json: scope }))
  const users = await Promise.all([...REGIONS, ...REGIONS].map((region) => makeUser(client, region)))
  return { database, files, users }
})

const ask = (client: Client, of: string, request: object = {}) =>
  client.request('POST', `/dataSources/${of}/select`, { json: BODY, ...request })
const select = (client: Client, of: string, request: object = {}) => good<Selected>(ask(client, of, request))

/** How often the server has read the counted table. */
async function reads(): Promise<number> {
  const count = async () =>
    Number(
      await sourceServer().sql(
        `select seq_scan from pg_stat_user_tables where schemaname = 'shared' and relname = 'counted'`,
      ),
    )
  // Processes of the server report when they end.
  let [before, now] = [-1, await count()]
  while (now !== before) {
    await Bun.sleep(400)
    ;[before, now] = [now, await count()]
  }
  return now
}

const OWN_IDS: Readonly<Record<string, readonly number[]>> = { north: [1, 3], south: [2] }

function onBoth(title: string, run: (client: Client, of: string) => Promise<void>): Scenario[] {
  return (['database', 'files'] as const).map((source) => ({
    title: `${title} (${source})`,
    run: async (client) => run(client, `${(await stage(client))[source]}/tables/orders`),
  }))
}

const scenarios: Scenario[] = [
  {
    title: 'equal requests at one time are one statement at the server',
    async run(client) {
      const { database } = await stage(client)
      const of = `${database}/tables/lasting`
      const json = { columns: ['id', 'slept'] }
      // On a busy machine they may not be at one time.
      for (let tried = 1; ; tried++) {
        const before = await reads()
        const answers = await Promise.all(Array.from({ length: EQUAL }, () => select(client, of, { json })))
        for (const { rows } of answers) expect(rows).toEqual([[1, '']])
        const statements = (await reads()) - before
        expect(answers.filter(({ cached }) => !cached).length).toBe(statements)
        if (statements === 1) break
        expect(tried).toBeLessThan(TRIES)
      }
      const before = await reads()
      await Promise.all([1, 2, 3].map(() => select(client, of, { json, headers: NO_CACHE })))
      expect((await reads()) - before).toBe(3)
    },
  },
  {
    title: 'when the first of equal requests leaves, the others have their answer',
    async run(client) {
      const { database } = await stage(client)
      const of = `${database}/tables/lasting`
      const json = { columns: ['slept'], filter: { column: 'id', op: 'lt', value: 2 } }
      const leaving = new AbortController()
      const first = ask(client, of, { json, signal: leaving.signal }).catch(() => null)
      await Bun.sleep(200)
      const others = [1, 2, 3].map(() => select(client, of, { json }))
      await Bun.sleep(200)
      leaving.abort()
      await first
      for (const { rows } of await Promise.all(others)) expect(rows).toEqual([['']])
    },
  },
  {
    title: 'an answer of a database is less than a second old',
    decidedAbovePorts: 'shared results',
    async run(client) {
      const { database } = await stage(client)
      await sourceServer().sql(`create table shared.changing (n int); insert into shared.changing values (0);
        grant select on shared.changing to reader;`)
      // The columns of the table have become known.
      await Bun.sleep(AGE_MAX_MS)
      const of = `${database}/tables/changing`
      const request = { json: {} }
      let shared = 0
      // On a busy machine an answer may be too old before the next request.
      for (let n = 1; n <= 2 || (shared === 0 && n <= TRIES); n++) {
        const beganAt = performance.now()
        await select(client, of, request)
        await sourceServer().sql(`update shared.changing set n = ${n}`)
        expect((await select(client, of, { ...request, headers: NO_CACHE })).rows).toEqual([[n]])
        const again = await select(client, of, request)
        expect(again.rows).toEqual([[n]])
        if (again.cached) shared += 1
        await Bun.sleep(Math.max(0, AGE_MAX_MS - (performance.now() - beganAt)) + AGE_MAX_MS)
        expect(await select(client, of, request)).toMatchObject({ rows: [[n]], cached: false })
      }
      expect(shared).toBeGreaterThan(0)
    },
  },
  ...onBoth('users of different scopes never have the answer of another', async (client, of) => {
    const { users } = await stage(client)
    let shared = 0
    for (let round = 0; round < ROUNDS; round++) {
      const turns = round % 2 === 0 ? users : users.toReversed()
      const asked = turns.map((user) => ask(client, of, user))
      const all = ask(client, of)
      for (const [at, answer] of (await Promise.all(asked)).entries()) {
        const { rows, cached } = answer.body as unknown as Selected
        const region = REGIONS[(round % 2 === 0 ? at : users.length - 1 - at) % 2] ?? ''
        expect(rows.map(([id]) => Number(id))).toEqual([...(OWN_IDS[region] ?? [])])
        if (cached) shared += 1
      }
      expect((await good<Selected>(all)).rows.length).toBe(4)
    }
    // Of each two users one scope is equal.
    expect(shared).toBeGreaterThan(ROUNDS)
  }),
  {
    title: 'users that row security tells apart share nothing, though their scopes are equal',
    async run(client) {
      const { users } = await stage(client)
      const source = await makeDatabase(client, { scopeMode: 'native' })
      const of = `${source}/tables/owned`
      const json = { columns: ['id'] }
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(users.map((user) => select(client, of, { json, ...user })))
        expect(answers.map(({ rows }) => rows)).toEqual(users.map(({ id }) => [[id]]))
      }
    },
  },
  {
    title: 'the rows of another generation are answered at once',
    decidedAbovePorts: 'shared results',
    async run(client) {
      const { id } = await good<Made>(
        client.request('POST', '/dataSources', { json: { name: `shared ${++made}`, type: 'csv' } }),
      )
      const of = `${id}/tables/orders`
      for (let version = 0; version < TRIES; version++) {
        await importOrders(client, id, `id,region\n${version},north\n`, version === 0 ? 'create' : 'replace')
        expect(await select(client, of)).toMatchObject({ rows: [[version, 'north']], cached: false })
        // It does not change, so its age does not count.
        if (version === 0) await Bun.sleep(AGE_MAX_MS + 100)
        expect(await select(client, of)).toMatchObject({ rows: [[version, 'north']], cached: true })
      }
      expectAnswer(await ask(client, of, { headers: NO_CACHE }), { answers: 200 })
      await good(client.request('DELETE', `/dataSources/${of}`))
      expectAnswer(await ask(client, of), { answers: 'not_found' })
    },
  },
]

type Ran = Selected & { readonly computedAt: string }

async function makeQuery(client: Client, dataSourceId: number, text: string): Promise<number> {
  const json = { name: `shared ${++made}`, dataSourceId, text }
  const { id } = await good<Made>(client.request('POST', '/dataQueries', { json }))
  await good(client.request('POST', `/dataQueries/${id}/publish`, { json: {} }))
  return id
}

const start = (client: Client, id: number, json: object, request: object = {}) =>
  client.request('POST', `/dataQueries/${id}/run`, { json, ...request })
const run = (client: Client, id: number, json: object, request: object = {}) =>
  good<Ran>(start(client, id, json, request))

const ofQueries: Scenario[] = [
  {
    title: 'equal runs of a data query at one time are one statement, also when the first caller leaves',
    async run(client) {
      const { database } = await stage(client)
      const id = await makeQuery(client, database, 'SELECT id, slept FROM lasting WHERE id < 7')
      for (let tried = 1; ; tried++) {
        const before = await reads()
        const answers = await Promise.all(Array.from({ length: EQUAL }, () => run(client, id, {})))
        for (const { rows } of answers) expect(rows).toEqual([[1, '']])
        const statements = (await reads()) - before
        expect(answers.filter(({ cached }) => !cached).length).toBe(statements)
        if (statements === 1) break
        expect(tried).toBeLessThan(TRIES)
      }
      const json = { maxAge: 'PT1M', limit: 9 }
      const leaving = new AbortController()
      const first = start(client, id, json, { signal: leaving.signal }).catch(() => null)
      await Bun.sleep(200)
      const others = [1, 2, 3].map(() => run(client, id, json))
      await Bun.sleep(200)
      leaving.abort()
      await first
      for (const { rows } of await Promise.all(others)) expect(rows).toEqual([[1, '']])
    },
  },
  {
    title:
      'a result is used as long as the caller allows, by users with equal scopes, until its version, tables or scopes change',
    async run(client) {
      const { users } = await stage(client)
      const { id: source } = await good<Made>(
        client.request('POST', '/dataSources', { json: { name: `shared ${++made}`, type: 'csv' } }),
      )
      await importOrders(client, source, 'id,region\n1,north\n2,south\n3,north\n4,\n')
      const text = 'SELECT id, random() AS chance FROM orders ORDER BY id'
      const id = await makeQuery(client, source, text)
      const kept = { maxAge: 'PT1M' }
      const first = await run(client, id, kept)
      expect([first.cached, first.rows.length]).toEqual([false, 4])
      const answer = await start(client, id, kept)
      expect([answer.status, answer.body]).toMatchObject([200, { ...first, cached: true }])
      expect(answer.headers.get('age')).toMatch(/^\d+$/)
      const others = [
        run(client, id, { maxAge: 'PT0S' }),
        run(client, id, kept, { headers: NO_CACHE }),
        run(client, id, { ...kept, limit: 3 }),
        run(client, id, { ...kept, version: 'draft' }),
      ]
      for (const { cached } of await Promise.all(others)) expect(cached).toBe(false)

      const scope = { name: 'own', tables: ['orders'], subjects: { roles: ['Data_Editor'] }, filter: OWN }
      const [north, south, northern] = users
      expect((await run(client, id, kept, north)).rows).toHaveLength(4)
      await good(client.request('POST', `/dataSources/${source}/scopes`, { json: scope }))
      const own = await run(client, id, kept, north)
      expect([own.cached, own.rows.map(([row]) => row)]).toEqual([false, [1, 3]])
      expect((await run(client, id, kept, south)).rows.map(([row]) => row)).toEqual([2])
      expect(await run(client, id, kept, northern)).toEqual({ ...own, cached: true })

      const json = { rows: [{ id: 5, region: 'north' }] }
      await good(client.request('POST', `/dataSources/${source}/tables/orders/rows`, { json }))
      expect((await run(client, id, kept, north)).rows.map(([row]) => row)).toEqual([1, 3, 5])
      expect((await run(client, id, kept, northern)).cached).toBe(true)
      await good(client.request('POST', `/dataQueries/${id}/publish`, { json: {} }))
      expect((await run(client, id, kept, north)).cached).toBe(false)
    },
  },
]

export const sharedResultsSuite: Suite = {
  name: 'shared results',
  scenarios: hasSourceServer ? [...scenarios, ...ofQueries] : [],
}
