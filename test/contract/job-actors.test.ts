import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import { startJobObjects, startEngineWorld } from '../hosts/engine-world.ts'
import { migrationStatements } from '../hosts/migrations.ts'
import type { Edge, World } from '../hosts/engine-world.ts'
import { ANYBODY, deliveryWith, rulesWith } from '../engine/rules.ts'
import { openStages } from '../engine/stage.ts'
import { EVERY_FAULT } from '../faults/bounds.ts'
import { fixedHistories, jobActorsContract, playOut } from './job-actors.contract.ts'
import { rejection } from './rejection.ts'
import { readUntil } from '../until.ts'

setDefaultTimeout(180_000)
const folder = await mkdtemp(join(FAST_DIR, 'tidemark-actors-'))
const stages = await openStages()
afterAll(async () => {
  await stages.close()
  await rm(folder, { recursive: true, force: true })
})

const JOB = 77
/** The jobs of tests that share a workerd. */
const SILENT = 78
const TIDIED = 79
const LARGE = 80
const FORGOTTEN = 81
const DAY_MS = 86_400_000
/** Restarts that are rarer than those of `npm test`, which come after each act. */
const SELDOM = [
  [1, 'object', 5],
  [3, 'object', 3],
] as const
/** Far more than a delivery takes beside others on the machine: none of these deadlines may pass unanswered. */
const EARLIER_MS = 1_200
let folders = 0
const newFolder = () => join(folder, `${(folders += 1)}`)

jobActorsContract('an engine on libSQL', onLibsql)
jobActorsContract('an engine in a Durable Object', () => startEngineWorld(newFolder(), 'object'))

describe('the same events on both hosts', () => {
  test.each([...(EVERY_FAULT ? SELDOM : []), [2, 'object', 1], [4, 'workerd', 10]] as const)(
    'of seed %i give the same answers, snapshots, histories and transitions (%s restarts)',
    async (seed, restarts, each) => {
      const scenes = fixedHistories(seed, 8)
      const here = await onLibsql()
      const there = await startEngineWorld(newFolder(), restarts)
      try {
        const calm = await playOut(here, scenes, Infinity)
        expect(calm.length).toBeGreaterThan(100)
        expect(await playOut(there, scenes, each)).toEqual([...calm])
      } finally {
        await there.close()
      }
    },
  )
})

describe('the object of a job, with its own clock and alarm', () => {
  let shared: Awaited<ReturnType<typeof startJobObjects>>
  const place = newFolder()
  beforeAll(async () => {
    shared = await startJobObjects(place)
    await prepare(shared.edge)
  })
  afterAll(() => shared.close())

  // Two tests are short, and run alone: a workerd that is busy with others would meet their deadlines late.
  test('notices silence at its deadline, exactly, and records it', async () => {
    const { actors, edge } = shared
    await actors.configure(SILENT, rulesWith({ timeoutMs: 300 }))
    const { deadlineAt } = await actors.deliver(
      SILENT,
      deliveryWith({ errorCode: 0, values: { returnValue1: 7 } }),
      ANYBODY,
    )
    const snapshot = await untilSilent(actors, SILENT)
    expect(snapshot).toMatchObject({ state: 'warning', sinceAt: deadlineAt ?? 0, deadlineAt: null })
    const [recorded] = await readRows(() => transitionsOf(edge, SILENT))
    expect(recorded).toMatchObject({
      object_id: SILENT,
      seq: 1,
      at: deadlineAt,
      to_state: 'warning',
      reason: 'timeout',
    })
    expect(Number(recorded?.['detected_at']) - Number(deadlineAt)).toBeWithin(0, 1_000)
  })

  test('is gone once it was forgotten, with its alarm and everything in its storage', async () => {
    const { actors, edge } = shared
    const others = await storagesOfJobs(place)
    await actors.configure(FORGOTTEN, rulesWith({ timeoutMs: 400 }))
    const [storage = ''] = (await storagesOfJobs(place)).filter((one) => !others.includes(one))
    expect(tablesIn(storage)).toContain('journal')
    await actors.forget(FORGOTTEN)
    expect(tablesIn(storage)).toEqual([])
    expect(await actors.snapshot(FORGOTTEN)).toBeNull()
    expect(await rejection(actors.deliver(FORGOTTEN, deliveryWith(), ANYBODY))).toMatchObject({
      code: 'not_found',
    })
    await Bun.sleep(600)
    expect(await transitionsOf(edge, FORGOTTEN)).toEqual([])
    await actors.configure(FORGOTTEN, rulesWith({ revision: 1 }))
    expect(await actors.snapshot(FORGOTTEN)).toMatchObject({ revision: 1, current: {} })
  })

  // The others wait, and do it together.
  test.concurrent('keeps its deadline, its values and its alarm while workerd is away', async () => {
    const away = newFolder()
    const before = await startJobObjects(away)
    await prepare(before.edge)
    await before.actors.configure(JOB, rulesWith({ timeoutMs: 60_000 }))
    // Earlier deadlines stand in the journal: none of them may be taken for one that was noticed too late.
    for (let index = 0; index < 5; index += 1) {
      await before.actors.deliver(
        JOB,
        deliveryWith({ errorCode: 0, ttlMs: EARLIER_MS, values: { returnValue1: index } }),
        ANYBODY,
      )
    }
    const { deadlineAt } = await before.actors.deliver(
      JOB,
      deliveryWith({ errorCode: 0, ttlMs: 8 * EARLIER_MS }),
      ANYBODY,
    )
    // The alarm that was set for them has come and gone by then.
    await Bun.sleep(EARLIER_MS + 200)
    await before.close()
    const after = await startJobObjects(away)
    try {
      const snapshot = await untilSilent(after.actors, JOB)
      expect(snapshot).toMatchObject({ sinceAt: deadlineAt ?? 0, current: { returnValue1: { value: 4 } } })
      const rows = await readRows(() =>
        rowsOf(after.edge, `select at, reason from transitions where object_id = ${JOB} order by seq`),
      )
      expect(rows).toEqual([{ at: deadlineAt, reason: 'timeout' }])
    } finally {
      await after.close()
    }
  })

  test.concurrent('tidies at its first alarm, and then not before its turn', async () => {
    const { actors } = shared
    const retention = { rawMs: DAY_MS, minutesMs: DAY_MS, hoursMs: DAY_MS }
    await actors.configure(TIDIED, rulesWith({ timeoutMs: null, retention }))
    const query = { key: 'returnValue1', beginAt: 0, endAt: Date.now(), skip: 0, limit: 10_000 }
    const left: number[] = []
    for (let round = 0; round < 2; round += 1) {
      // More than waits for a flush, all of it expired.
      const at = Array.from({ length: 1_100 }, (_, index) => Date.now() - 20 * DAY_MS + index)
      const run = { key: 'returnValue1', at, values: at.map(() => 1) }
      await actors.deliverAll([{ jobId: TIDIED, sent: { run }, repeat: null }], ANYBODY)
      await actors.deliver(TIDIED, deliveryWith({ errorCode: 0, ttlMs: EARLIER_MS }), ANYBODY)
      await untilSilent(actors, TIDIED)
      await Bun.sleep(300)
      left.push((await actors.samples(TIDIED, query)).samples.length)
    }
    expect(left).toEqual([0, 1_100])
  })

  test.concurrent('carries a change of state on later when the system database was away', async () => {
    const { actors, edge, close } = await startJobObjects(newFolder())
    try {
      await actors.configure(JOB, rulesWith({ timeoutMs: null }))
      // There are no tables yet: nobody takes the transition.
      expect(await actors.deliver(JOB, deliveryWith({ errorCode: 3 }), ANYBODY)).toMatchObject({
        state: 'warning',
      })
      await prepare(edge)
      const [recorded] = await readRows(() => transitionsOf(edge, JOB))
      expect(recorded).toMatchObject({ object_id: JOB, seq: 1, to_state: 'warning' })
    } finally {
      await close()
    }
  })

  test.concurrent('takes more in one turn than a row of its storage may hold', async () => {
    const { actors } = shared
    await actors.configure(LARGE, rulesWith({ textCount: 60, timeoutMs: null }))
    const texts = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`stringValue${index + 1}`, 'é'.repeat(4_096)]),
    )
    const deliveries = Array.from({ length: 16 }, (_, index) =>
      actors.deliver(LARGE, deliveryWith({ values: { ...texts, returnValue1: index } }), ANYBODY),
    )
    await Promise.all(deliveries)
    const query = { key: 'returnValue1', beginAt: 0, endAt: Date.now() + 1_000, skip: 0, limit: 100 }
    const { samples } = await actors.samples(LARGE, query)
    expect(samples.map(({ value }) => value).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 16 }, (_, index) => index),
    )
  })
})

async function onLibsql(): Promise<World> {
  const stage = await stages.open()
  return {
    get now() {
      return stage.now
    },
    set now(at) {
      stage.now = at
    },
    get actors() {
      return stage.engine
    },
    wake: () => stage.engine.wake(),
    ingestGap: (fromAt, toAt) => stage.engine.recordIngestGap(fromAt, toAt),
    flush: () => stage.engine.flush(),
    tidy: () => stage.engine.retention.apply(),
    settled: () => stage.engine.settled(),
    restart: async () => void (await stage.crash()),
    told: () => stage.told,
    close: () => Promise.resolve(),
  }
}

/** The tables of the system database, with objects that may have transitions. */
async function prepare({ batch }: Edge): Promise<void> {
  await batch([
    ...(await migrationStatements()),
    ...[JOB, SILENT, TIDIED, LARGE, FORGOTTEN].map(
      (id) =>
        `insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
           collector_id, version, created_at)
         values (${id}, 'job', 'webcollector', 'job ${id}', 'job ${id}', 1, '/1/${id}/', 0, 'none', 0, 1, 0)`,
    ),
  ])
}

/** The databases in which workerd stores the objects of jobs. */
async function storagesOfJobs(place: string): Promise<readonly string[]> {
  const files = await readdir(join(place, 'objects'), { recursive: true })
  return files
    .filter((file) => /-JobObject\/[0-9a-f]{64}\.sqlite$/.test(file))
    .map((file) => join(place, 'objects', file))
}

function tablesIn(path: string): readonly string[] {
  const database = new Database(path, { readonly: true })
  try {
    return database
      .query<{ name: string }, []>("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => name)
  } finally {
    database.close()
  }
}

async function rowsOf({ batch }: Edge, statement: string): Promise<readonly Record<string, unknown>[]> {
  return (await batch([statement]))[0] ?? []
}

const transitionsOf = (edge: Edge, jobId: number) =>
  rowsOf(edge, `select * from transitions where object_id = ${jobId} order by seq`)

const untilSilent = (actors: JobActors, jobId: number) =>
  readUntil(
    () => actors.snapshot(jobId),
    (snapshot) => snapshot?.errorCode === 5,
  )

const readRows = (read: () => Promise<readonly Record<string, unknown>[]>) =>
  readUntil(read, (rows) => rows.length > 0)
