import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'

import type { Ports } from '../../src/ports/index.ts'
import { tablesOf } from './compare.ts'
import { furnish, OWNER, PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

setDefaultTimeout(180_000)
const KINDS = ['always', 'histories', 'files']
const PASS = { passphrase: PASSPHRASE }
const CONFIGURATION = { ...PASS, histories: false, files: false }
const EVERYTHING = { ...PASS, histories: true, files: true }

/** The calls of a store of blobs that fail. */
let fails: ((key: string) => boolean) | null = null
let world: World
let jobs: readonly number[] = []

beforeAll(async () => {
  world = await startWorld('bun', (ports) => ({ ...ports, blobs: failing(ports.blobs) }))
  ;({ jobs } = await furnish(world))
})
afterEach(() => {
  fails = null
})
afterAll(() => world.close())

function failing(blobs: Ports['blobs']): Ports['blobs'] {
  const away = () => Promise.reject(new Error('The blobs are away.'))
  return {
    ...blobs,
    put: (key, body) => {
      if (fails?.(key) !== true) return blobs.put(key, body)
      // Half of it arrives.
      if (body instanceof ReadableStream) return body.getReader().read().then(away)
      return away()
    },
    get: (key, span) => (fails?.(`get ${key}`) === true ? away() : blobs.get(key, span)),
  }
}

async function make(json: object = EVERYTHING): Promise<{ id: number; bytes: Uint8Array<ArrayBuffer> }> {
  const { id, url } = await world.good<{ id: number; url: string }>('POST', '/backups', { json })
  return { id, bytes: new Uint8Array(await (await world.ask('GET', url)).arrayBuffer()) }
}

async function send(bytes: Uint8Array<ArrayBuffer>, query = '?replace=true', passphrase = PASSPHRASE) {
  const headers = {
    'x-backup-passphrase': encodeURIComponent(passphrase),
    'content-type': 'application/gzip',
  }
  const response = await world.ask('POST', `/backups/restore${query}`, { bytes, headers })
  return (await response.json()) as {
    code?: string
    detail?: string
    errors?: { pointer: string }[]
    restored?: boolean
  }
}

/** The tables without those that the outbox of notifications writes meanwhile. */
async function settledTables() {
  const { alarm_recipients: _, notices: __, notifications: ___, ...others } = await tablesOf(world, KINDS)
  return others
}

/** A refused restore has changed nothing, and has left nothing behind. */
async function unchanged<Result>(run: () => Promise<Result>): Promise<Result> {
  const before = await settledTables()
  const result = await run()
  expect(await settledTables()).toEqual(before)
  expect(await world.rows('select count(*) as total from backup_rows')).toEqual([{ total: 0 }])
  return result
}

test('what is cut, altered, of another passphrase or in the way of something is refused, and changes nothing', async () => {
  const { bytes } = await make()
  const half = bytes.slice(0, bytes.length / 2)
  const altered = bytes.with(bytes.length - 200, (bytes.at(-200) ?? 0) ^ 1)
  expect(await unchanged(() => send(half))).toMatchObject({ code: 'bad_request' })
  expect(await unchanged(() => send(altered))).toMatchObject({ code: 'bad_request' })
  expect(await unchanged(() => send(new Uint8Array()))).toMatchObject({ code: 'bad_request' })
  expect(await unchanged(() => send(bytes, '?replace=true', 'some other passphrase'))).toMatchObject({
    code: 'invalid',
    errors: [{ pointer: '/passphrase' }],
  })
  expect(await unchanged(() => send(bytes, ''))).toMatchObject({ code: 'not_empty' })
})

test('a table or a column of a later release is refused by its name', async () => {
  const { archiveKeys, proofOf } = await import('../../src/content/backups/archive/keys.ts')
  const { writeArchive } = await import('../../src/content/backups/archive/lines.ts')
  const { secretsOf } = await import('../../workers/secrets.ts')
  const keys = await archiveKeys(secretsOf(new Uint8Array(32)), PASSPHRASE)
  const header = {
    tidemark: 'backup',
    format: 1,
    release: '9',
    createdAt: 1,
    hasHistories: false,
    hasFiles: false,
  }
  const later = async (heading: object) => {
    const lines = async function* () {
      yield JSON.stringify({ ...header, salt: keys.salt, check: await proofOf(keys) })
      yield JSON.stringify(heading)
    }
    const parts = await Array.fromAsync(writeArchive(lines(), (chain) => proofOf(keys, chain)))
    return unchanged(() => send(new Uint8Array(Buffer.concat(parts))))
  }
  const table = await later({ table: 'dashboards_of_tomorrow', columns: ['id'] })
  expect(table).toMatchObject({ code: 'newer_backup' })
  expect(table.detail).toContain('dashboards_of_tomorrow')
  expect(await later({ table: 'users', columns: ['id', 'shoe_size'] })).toMatchObject({
    code: 'newer_backup',
  })
  expect(await later({ notes: 1 })).toMatchObject({ code: 'newer_backup' })
})

test('while blobs are away nothing is kept, nothing changes, and deliveries go on', async () => {
  const { id, bytes } = await make()
  const count = await world.rows('select count(*) as total from backups')
  const job = jobs[0] ?? 0
  const deliver = () =>
    world.ask('POST', `/webcollector/jobs/${job}/values`, { json: { returnValue1: 99, errorCode: 0 } })
  const refusals = [
    [(key: string) => key.startsWith('backups/'), () => world.ask('POST', '/backups', { json: EVERYTHING })],
    [
      (key: string) => key.startsWith('get files/'),
      () => world.ask('POST', '/backups', { json: EVERYTHING }),
    ],
    [(key: string) => key.startsWith('get backups/'), () => world.ask('GET', `/backups/${id}`)],
    [
      (key: string) => key.startsWith('files/'),
      () => world.ask('POST', `/backups/${id}/restore`, { json: { ...PASS, replace: true } }),
    ],
    [
      (key: string) => key.startsWith('backups/'),
      async () => {
        const { code } = await send(bytes)
        return { status: code === 'unavailable' ? 503 : 0 }
      },
    ],
  ] as const
  for (const [which, run] of refusals) {
    fails = which
    expect([which.toString(), await unchanged(async () => (await run()).status)]).toEqual([
      which.toString(),
      503,
    ])
    expect((await deliver()).status).toBe(200)
  }
  fails = null
  expect(await world.rows('select count(*) as total from backups')).toEqual(count)
  await expectNoDanglingBlobs()
})

/** Each row of files and backups has its bytes. */
async function expectNoDanglingBlobs(): Promise<void> {
  const keys = await world.rows(`select blob as key from files union all select blob from backups
    union all select blob from script_files where blob is not null`)
  expect(keys.length).toBeGreaterThan(1)
  const there = new Set(await world.ports?.blobs.list(''))
  expect(keys.filter(({ key }) => !there.has(String(key)))).toEqual([])
}

test('histories of more jobs than the host can ask are refused, the configuration of as many is not', async () => {
  const { id } = await make()
  const actors = world.ports?.jobActors ?? {}
  Reflect.set(actors, 'archivesMax', 5)
  const status = async (path: string, json: object) => (await world.ask('POST', path, { json })).status
  // Three jobs are here, three in the backup.
  expect(await unchanged(() => status(`/backups/${id}/restore`, { ...PASS, replace: true }))).toBe(422)
  expect(await status('/backups', EVERYTHING)).toBe(201)
  Reflect.set(actors, 'archivesMax', 2)
  expect(await unchanged(() => status('/backups', EVERYTHING))).toBe(422)
  expect(await status('/backups', CONFIGURATION)).toBe(201)
  Reflect.set(actors, 'archivesMax', Infinity)
})

test('a dry run says what would change, and changes nothing but the record', async () => {
  const { id } = await make()
  const record = await world.rows('select count(*) as total from audit')
  const tried = await world.good<{
    restored: boolean
    jobs: number
    tables: { name: string; rows: number; rowsBefore: number }[]
  }>('POST', `/backups/${id}/restore`, { json: { ...PASS, dryRun: true } })
  expect(tried).toMatchObject({ restored: false, jobs: 3 })
  expect(tried.tables).toContainEqual({ name: 'users', rows: 2, rowsBefore: 2 })
  expect(await world.rows('select count(*) as total from audit')).toEqual([
    { total: Number(record[0]?.['total']) + 1 },
  ])
})

test('of the configuration alone everything begins anew: no states, no values, and jobs that take some', async () => {
  const { id, bytes } = await make(CONFIGURATION)
  const text = new TextDecoder().decode(Bun.gunzipSync(bytes))
  expect(text).not.toContain('canary-key')
  expect(text).not.toContain('"table":"transitions"')
  await world.good('POST', '/groups?parentId=1', { json: { name: 'goes' } })
  const before = await tablesOf(world, ['always'])
  const result = await send(bytes)
  expect(result).toMatchObject({ restored: true })
  await world.signIn(OWNER)
  const after = await tablesOf(world, ['always'])
  expect(after['objects']?.length).toBe((before['objects']?.length ?? 0) - 1)
  expect({ ...after, objects: [], grants: [] }).toEqual({ ...before, objects: [], grants: [] })
  expect((await world.ask('GET', '/files/plan.txt')).status).toBe(200)
  const history = await world.good<{ aggregate: { count: number } }>('GET', `/jobs/${jobs[0]}/value-history`)
  expect(history.aggregate.count).toBe(0)
  await world.good('POST', `/webcollector/jobs/${jobs[0]}/values`, {
    json: { returnValue1: 99, errorCode: 0 },
  })
  expect(await world.rows(`select seq, state from states where object_id = ${jobs[0]}`)).toEqual([
    { seq: 1, state: 'major' },
  ])
  expect((await world.ask('GET', `/backups/${id}`)).status).toBe(200)
  await expectNoDanglingBlobs()
})

test('in place of everything comes what was, and numbers are given out once only', async () => {
  const { bytes } = await make()
  const before = await tablesOf(world, KINDS)
  const { id } = await world.good<{ id: number }>('POST', '/groups?parentId=1', { json: { name: 'goes' } })
  await world.good('POST', '/files/other.txt', {
    bytes: new TextEncoder().encode('other'),
    headers: { 'content-type': 'text/plain' },
  })
  expect(await send(bytes)).toMatchObject({ restored: true })
  await world.signIn(OWNER)
  const { audit: record, ...after } = await tablesOf(world, KINDS)
  const { audit: recordBefore, ...others } = before
  expect(after).toEqual(others)
  expect((recordBefore ?? []).filter((entry) => record?.includes(entry) !== true)).toEqual([])
  const next = await world.good<{ id: number }>('POST', '/groups?parentId=1', { json: { name: 'new' } })
  expect(next.id).toBeGreaterThan(id)
  await expectNoDanglingBlobs()
})
