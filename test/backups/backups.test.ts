import { expect, setDefaultTimeout, test } from 'bun:test'

import { fileOf, historiesOf, tablesOf } from './compare.ts'
import { furnish, OWNER, PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

setDefaultTimeout(60_000)
const HEADER = { 'x-backup-passphrase': encodeURIComponent(PASSPHRASE), 'content-type': 'application/gzip' }
const EVERYTHING = { passphrase: PASSPHRASE, histories: true, files: true }

async function download(world: World, json: object = EVERYTHING): Promise<Uint8Array<ArrayBuffer>> {
  const { url } = await world.good<{ url: string }>('POST', '/backups', { json })
  return new Uint8Array(await (await world.ask('GET', url)).arrayBuffer())
}

const PAIRS = [
  ['bun', 'bun'],
  ['bun', 'edge'],
  ['edge', 'bun'],
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
    expect(empty.sort()).toEqual(['maintenance_changes', 'uncounted', 'unfiltered'])
    const bytes = await download(before)
    const histories = await historiesOf(before, jobs, endAt)
    const file = await fileOf(before, 'plan.txt')
    await after.good('POST', '/backups/restore', { bytes, headers: HEADER })
    expect((await after.ask('GET', '/users')).status).toBe(401)
    await after.signIn(OWNER)
    const { audit: auditBefore, ...others } = tables
    const { audit: auditAfter, ...othersAfter } = await tablesOf(after, kinds)
    expect(othersAfter).toEqual(others)
    const record = new Set(recordOf(auditAfter ?? []))
    expect(recordOf(auditBefore ?? []).filter((entry) => !record.has(entry))).toEqual([])
    expect(await historiesOf(after, jobs, endAt)).toEqual(histories)
    expect(await fileOf(after, 'plan.txt')).toBe(file)
    expect(file).toContain('200 a plan')
  } finally {
    await before.close()
    await after.close()
  }
})

/** Entries without their ids: what was done at the new place before stands in front of them. */
function recordOf(rows: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify((JSON.parse(row) as unknown[]).slice(1)))
}
