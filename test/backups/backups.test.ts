import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'

import type { Host } from '../hosts/host.ts'
import { HOST_NAMES } from '../hosts/start.ts'
import { filesOf, historiesOf, importedOf, tablesOf } from './compare.ts'
import { furnish, OWNER, PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

const TEST_MAX_MS = 180_000
setDefaultTimeout(TEST_MAX_MS)
const HEADER = { 'x-backup-passphrase': encodeURIComponent(PASSPHRASE), 'content-type': 'application/gzip' }
/** By default a backup has everything. */
const EVERYTHING = { passphrase: PASSPHRASE }

async function download(world: World, json: object = EVERYTHING): Promise<Uint8Array<ArrayBuffer>> {
  const { url } = await world.good<{ url: string }>('POST', '/backups', { json })
  return new Uint8Array(await (await world.ask('GET', url)).arrayBuffer())
}

const KINDS = ['always', 'histories', 'files']

/** An installation with a row in every table that a backup keeps, its backup, and what was in it. */
type Source = Awaited<ReturnType<typeof furnishedSource>>

async function furnishedSource(name: Host['name']) {
  const world = await startWorld(name)
  const { jobs, group } = await furnish(world)
  const endAt = Date.now()
  const tables = await tablesOf(world, KINDS)
  const bytes = await download(world)
  const histories = await historiesOf(world, jobs, endAt)
  return { world, jobs, group, endAt, tables, bytes, histories, files: await filesOf(world) }
}

describe.each(HOST_NAMES)('a backup of %s', (name) => {
  let source: Source
  beforeAll(async () => {
    source = await furnishedSource(name)
  }, TEST_MAX_MS)
  afterAll(() => source.world.close())

  test.each(HOST_NAMES)('brings all that was there to an empty %s', (to) => restoreAll(source, to))
  // It changes the source.
  test('brings back what was deleted, with its past', () => restoreDeleted(source))
})

async function restoreAll(
  { world, jobs, endAt, tables, ...before }: Source,
  to: Host['name'],
): Promise<void> {
  const after = await startWorld(to)
  try {
    const empty = Object.keys(tables).filter((name) => tables[name]?.length === 0)
    expect(empty.sort()).toEqual(['stale_maintenance', 'stale_memberships', 'stale_tallies'])
    const imported = await importedOf(world)
    await after.good('POST', '/backups/restore', { bytes: before.bytes, headers: HEADER })
    expect((await after.ask('GET', '/users')).status).toBe(401)
    await after.signIn(OWNER)
    const { audit: auditBefore, ...others } = tables
    const { audit: auditAfter, ...othersAfter } = await tablesOf(after, KINDS)
    expect(othersAfter).toEqual(others)
    const record = new Set(recordOf(auditAfter ?? []))
    expect(recordOf(auditBefore ?? []).filter((entry) => !record.has(entry))).toEqual([])
    expect(await historiesOf(after, jobs, endAt)).toEqual(before.histories)
    expect(await filesOf(after)).toEqual(before.files)
    expect(await importedOf(after)).toEqual(imported)
    expect(imported[1]).toHaveLength(3_001)
    expect(before.files.map((text) => text.slice(0, 10))).toEqual(['200 a plan', '200 print(', '200 in a d'])
  } finally {
    await after.close()
  }
}

/** Entries without their ids: what was done at the new place before stands in front of them. */
function recordOf(rows: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify((JSON.parse(row) as unknown[]).slice(1)))
}

async function restoreDeleted({ world, jobs, group, endAt }: Source): Promise<void> {
  const kinds = ['always', 'histories']
  const before = await tablesOf(world, kinds)
  const { id } = await world.good<{ id: number }>('POST', '/backups', { json: EVERYTHING })
  const histories = await historiesOf(world, jobs, endAt)
  const { id: later } = await world.good<{ id: number }>('POST', '/groups?parentId=1', {
    json: { name: 'later' },
  })
  await world.good('DELETE', `/groups/${group}?recursive=true`)
  await world.good('DELETE', '/userGroups/1')
  await world.good('DELETE', `/groups/${later}`)
  expect((await world.ask('GET', `/groups/${group}`)).status).toBe(404)
  const restore = (json: object) =>
    world.ask('POST', `/backups/${id}/restore`, { json: { passphrase: PASSPHRASE, ...json } })
  expect((await restore({ objects: [jobs[0]] })).status).toBe(409)
  expect((await restore({ objects: [group, 999] })).status).toBe(422)
  const tried = (await (await restore({ objects: [group], dryRun: true })).json()) as Part
  expect((await world.ask('GET', `/groups/${group}`)).status).toBe(404)
  const part = (await (await restore({ objects: [group] })).json()) as Part
  expect([part.objects, part.dropped]).toEqual([tried.objects, tried.dropped])
  expect(part.objects.map((object) => object.id).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(part.dropped.map(({ table }) => table).sort()).toEqual(['alarms', 'alarms', 'grants'])
  expect(await historiesOf(world, jobs, endAt)).toEqual(histories)
  const after = await tablesOf(world, kinds)
  const always = new Set(Object.keys(await tablesOf(world, ['always'])))
  for (const table of WHOLE) expect([table, after[table]]).toEqual([table, before[table]])
  expect((await restore({ objects: [group] })).status).toBe(409)
  expect(await tablesOf(world, ['always'])).toEqual(
    Object.fromEntries(Object.entries(after).filter(([table]) => always.has(table))),
  )
  await world.good('POST', `/webcollector/jobs/${jobs[0]}/values`, {
    json: { returnValue1: 5, errorCode: 0 },
  })
  const states = await world.rows(`select state from states where object_id = ${jobs[0]}`)
  expect(states).toEqual([{ state: 'ok' }])
}

type Part = {
  readonly objects: readonly { readonly id: number }[]
  readonly dropped: readonly { readonly table: string }[]
}

/** Fields that belong to objects alone. */
const WHOLE = [
  'objects',
  'devices',
  'jobs',
  'job_values',
  'properties',
  'links',
  'dependencies',
  'pings',
  'slos',
]
