import { expect, setDefaultTimeout, test } from 'bun:test'

import { readArchive } from '../../src/content/backups/archive/lines.ts'
import { PASSPHRASE, startWorld } from './world.ts'
import type { World } from './world.ts'

setDefaultTimeout(180_000)
/** At the edge each job is asked by itself: a backup takes as long as there are many. */
const CREATORS = { bun: 3, edge: 1 }
/** So many jobs are there before, and more than so many at the end. */
const JOBS_MIN = 3
const TRIES = { bun: 4, edge: 1 }
/** Between two queries others have their turn. */
const TURN_MS = 50

type Tables = ReadonlyMap<string, readonly (readonly unknown[])[]>

/** Halves of what one commit wrote: jobs without their objects, and states whose latest transition is
 * not there or not the latest. */
function torn(tables: Tables): readonly string[] {
  const objects = new Set(rowsOf(tables, 'objects').map(([id]) => id))
  const latest = new Map<unknown, number>()
  for (const [id, seq] of rowsOf(tables, 'transitions'))
    latest.set(id, Math.max(latest.get(id) ?? 0, Number(seq)))
  return [
    ...rowsOf(tables, 'jobs').flatMap(([id]) => (objects.has(id) ? [] : [`job ${String(id)}`])),
    ...rowsOf(tables, 'states').flatMap(([id, seq]) =>
      (latest.get(id) ?? 0) === seq ? [] : [`state of ${String(id)}`],
    ),
  ]
}

function rowsOf(tables: Tables, name: string): readonly (readonly unknown[])[] {
  return tables.get(name) ?? []
}

/** The first two columns are what is compared. */
async function archived(bytes: Uint8Array): Promise<Tables> {
  const tables = new Map<string, (readonly unknown[])[]>()
  const chunks = async function* () {
    yield await Promise.resolve(bytes)
  }
  for await (const part of readArchive(chunks())) {
    if ('heading' in part && 'table' in part.heading) tables.set(part.heading.table, [])
    else if ('row' in part && 'table' in part.under) tables.get(part.under.table)?.push(part.row)
  }
  return tables
}

/** As whoever reads one table after the other does. */
async function readOneByOne(world: World): Promise<Tables> {
  const tables = new Map<string, (readonly unknown[])[]>()
  for (const [name, first, second] of [
    ['states', 'object_id', 'seq'],
    ['objects', 'id', 'id'],
    ['transitions', 'object_id', 'seq'],
    ['jobs', 'id', 'id'],
  ] as const) {
    await Bun.sleep(TURN_MS)
    const rows = await world.rows(`select ${first} as a, ${second} as b from ${name}`)
    tables.set(
      name,
      rows.map(({ a, b }) => [a, b]),
    )
  }
  return tables
}

/** A host may close a connection that lay idle for a moment. */
function unlessReset(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'ECONNRESET') throw error
}

/** Makes jobs and changes their states without a pause, until it is told to stop. */
function load(world: World, creators: number): () => Promise<number> {
  let goesOn = true
  let made = 0
  const create = async () => {
    const { id: device } = await world.good<{ id: number }>('POST', '/devices?parentType=group&parentId=1', {
      json: { name: 'busy' },
    })
    for (let turn = 0; goesOn; turn++) await createJob(device, turn).catch(unlessReset)
  }
  const createJob = async (device: number, turn: number) => {
    const thresholds = { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } }
    const { id } = await world.good<{ id: number }>('POST', `/jobs?parentType=device&parentId=${device}`, {
      json: { name: `job ${turn}`, parameters: { returnValue: [{ valueName: 'load' }] }, thresholds },
    })
    for (const returnValue1 of [99, 1])
      await world.good('POST', `/webcollector/jobs/${id}/values`, { json: { returnValue1, errorCode: 0 } })
    made++
  }
  const all = Promise.all(Array.from({ length: creators }, create))
  return async () => {
    goesOn = false
    await all
    return made
  }
}

test.each(['bun', 'edge'] as const)(
  'on %s a backup under load is of one instant, which reads one after the other are not',
  async (name) => {
    const world = await startWorld(name)
    const stop = load(world, CREATORS[name])
    try {
      while ((await world.rows('select id from jobs')).length < JOBS_MIN) await Bun.sleep(TURN_MS)
      const found = { archives: 0, reads: 0 }
      for (let tried = 0; tried < TRIES[name]; tried++) {
        found.reads += torn(await readOneByOne(world)).length
        const { url } = await world.good<{ url: string }>('POST', '/backups', {
          json: { passphrase: PASSPHRASE, histories: true },
        })
        const tables = await archived(new Uint8Array(await (await world.ask('GET', url)).arrayBuffer()))
        expect(rowsOf(tables, 'jobs').length).toBeGreaterThan(0)
        expect(torn(tables)).toEqual([])
        found.archives++
      }
      expect(found.archives).toBe(TRIES[name])
      expect(found.reads).toBeGreaterThan(0)
      expect(await stop()).toBeGreaterThan(JOBS_MIN)
    } finally {
      await stop()
      await world.close()
    }
  },
)

test('a backup during which objects are deleted begins anew, and gives up when that never ends', async () => {
  let deletes = 0
  let left = 0
  let goesWhileRead = false
  const world = await startWorld('bun')
  const actors = world.ports?.jobActors
  if (!actors) throw new Error('There are no job actors here.')
  const archive = actors.archive.bind(actors)
  actors.archive = async (jobId, at) => {
    if (left-- > 0) {
      deletes++
      await world.good('DELETE', `/groups/${groups.pop() ?? 0}`)
    }
    const lines = await archive(jobId, at)
    if (goesWhileRead) await world.good('DELETE', `/jobs/${jobId}`)
    goesWhileRead = false
    return lines
  }
  const groups: number[] = []
  try {
    const { id: device } = await world.good<{ id: number }>('POST', '/devices?parentType=group&parentId=1', {
      json: { name: 'still' },
    })
    await world.good('POST', `/jobs?parentType=device&parentId=${device}`, { json: { name: 'one' } })
    for (let made = 0; made < 8; made++)
      groups.push(
        (await world.good<{ id: number }>('POST', '/groups?parentId=1', { json: { name: 'goes' } })).id,
      )
    const json = { passphrase: PASSPHRASE, histories: true }
    left = 2
    const { url } = await world.good<{ url: string }>('POST', '/backups', { json })
    const tables = await archived(new Uint8Array(await (await world.ask('GET', url)).arrayBuffer()))
    const names = rowsOf(tables, 'objects').filter((row) => row.includes('goes'))
    expect([deletes, names.length]).toEqual([2, 6])
    goesWhileRead = true
    const { url: without } = await world.good<{ url: string }>('POST', '/backups', { json })
    const rest = await archived(new Uint8Array(await (await world.ask('GET', without)).arrayBuffer()))
    expect(rowsOf(rest, 'jobs').length).toBe(rowsOf(tables, 'jobs').length - 1)
    await world.good('POST', `/jobs?parentType=device&parentId=${device}`, { json: { name: 'another' } })
    left = 5
    expect((await world.ask('POST', '/backups', { json })).status).toBe(409)
    expect(await world.rows('select count(*) as total from backup_rows')).toEqual([{ total: 0 }])
  } finally {
    await world.close()
  }
})
