import { expect, setDefaultTimeout, test } from 'bun:test'

import { filesOf, historiesOf, importedOf, tablesOf } from './compare.ts'
import { furnish, OWNER, PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

setDefaultTimeout(180_000)
const HEADER = { 'x-backup-passphrase': encodeURIComponent(PASSPHRASE), 'content-type': 'application/gzip' }
/** By default a backup has everything. */
const EVERYTHING = { passphrase: PASSPHRASE }

async function download(world: World, json: object = EVERYTHING): Promise<Uint8Array<ArrayBuffer>> {
  const { url } = await world.good<{ url: string }>('POST', '/backups', { json })
  return new Uint8Array(await (await world.ask('GET', url)).arrayBuffer())
}

const PAIRS = [
  ['bun', 'bun'],
  ['bun', 'edge'],
  ['edge', 'bun'],
  ['edge', 'edge'],
] as const

test.each(PAIRS)('what was on %s is on an empty %s, all of it', async (from, to) => {
  const before = await startWorld(from)
  const after = await startWorld(to)
  try {
    const { jobs } = await furnish(before)
    const endAt = Date.now()
    const kinds = ['always', 'histories', 'files']
    const tables = await tablesOf(before, kinds)
    const empty = Object.keys(tables).filter((name) => tables[name]?.length === 0)
    expect(empty.sort()).toEqual(['stale_maintenance', 'stale_memberships', 'stale_tallies'])
    const bytes = await download(before)
    const histories = await historiesOf(before, jobs, endAt)
    const files = await filesOf(before)
    const imported = await importedOf(before)
    await after.good('POST', '/backups/restore', { bytes, headers: HEADER })
    expect((await after.ask('GET', '/users')).status).toBe(401)
    await after.signIn(OWNER)
    const { audit: auditBefore, ...others } = tables
    const { audit: auditAfter, ...othersAfter } = await tablesOf(after, kinds)
    expect(othersAfter).toEqual(others)
    const record = new Set(recordOf(auditAfter ?? []))
    expect(recordOf(auditBefore ?? []).filter((entry) => !record.has(entry))).toEqual([])
    expect(await historiesOf(after, jobs, endAt)).toEqual(histories)
    expect(await filesOf(after)).toEqual(files)
    expect(await importedOf(after)).toEqual(imported)
    expect(imported[1]).toHaveLength(3_001)
    expect(files.map((text) => text.slice(0, 10))).toEqual(['200 a plan', '200 print(', '200 in a d'])
  } finally {
    await before.close()
    await after.close()
  }
})

/** Entries without their ids: what was done at the new place before stands in front of them. */
function recordOf(rows: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify((JSON.parse(row) as unknown[]).slice(1)))
}

test.each(['bun', 'edge'] as const)(
  'on %s what was deleted comes back from a backup, with its past',
  async (name) => {
    const world = await startWorld(name)
    try {
      const { jobs, group } = await furnish(world)
      const endAt = Date.now()
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
    } finally {
      await world.close()
    }
  },
)

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
