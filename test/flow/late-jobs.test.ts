import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { readableBy } from '../../src/access/rights/service.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { lateJobsQuery } from '../../src/monitoring/jobs/late/schema.ts'
import { listLateJobs } from '../../src/monitoring/jobs/late/service.ts'
import { findRunning, readWaitingJobs } from '../../src/monitoring/jobs/late/store.ts'
import type { Ports } from '../../src/ports/index.ts'
import { plantTree } from '../api/large-tree.ts'
import { isScan, planOf, recording } from '../api/plans.ts'
import { openPorts } from '../hosts/ports.ts'
import { contextOf } from './plants.ts'

/** Group 2 + i; device 4 + i in group 2 + i % 2; job 8 + i in device 4 + i % 4. */
const SIZE = { groups: 2, devices: 4, jobs: 1_200 }
const FIRST_JOB = 8
/** Jobs from 20 on and before this one have an interval of a minute. */
const FIRST_WITHOUT_INTERVAL = 23
/** Every 200th job of the planted tree is stopped: all of them in this device. */
const STOPPED = FIRST_JOB
const DEVICE = 4
const STOPPED_OF_DEVICE = 6
const NOW = Date.UTC(2026, 2, 2, 9)

type Actor = {
  readonly heardMinutesAgo?: number
  readonly timeoutMinutes?: number | null
  /** The distances of its values, the last first. */
  readonly minutesApart?: readonly number[]
}

let stage: Awaited<ReturnType<typeof openPorts>>
const actors = new Map<number, Actor>()
let histories = 0

function snapshotOf({ heardMinutesAgo = 0, timeoutMinutes = 5, minutesApart }: Actor): Snapshot {
  const heardAt = NOW - heardMinutesAgo * MINUTE_MS
  return {
    revision: 1,
    state: 'ok',
    sinceAt: 0,
    errorCode: 0,
    message: null,
    silentSinceAt: null,
    deadlineAt: timeoutMinutes === null ? null : heardAt + timeoutMinutes * MINUTE_MS,
    lastReceivedAt: heardAt,
    heardAt,
    isFlapping: false,
    predictions: [],
    bands: [],
    current: minutesApart
      ? { stringValue1: { value: '', at: 0 }, returnValue1: { value: 1, at: heardAt } }
      : {},
  }
}

function portsWith(snapshotsMax: number): Ports {
  const jobActors: Ports['jobActors'] = {
    ...stage.ports.jobActors,
    snapshotsMax,
    snapshot: (id) => Promise.resolve(actors.has(id) ? snapshotOf(actors.get(id) ?? {}) : null),
    samples: (id, { key, endAt }) => {
      histories++
      const { minutesApart } = actors.get(id) ?? {}
      if (!minutesApart) return Promise.reject(new Refusal('not_found', 'There is no such webhook job.'))
      expect(key).toBe('returnValue1')
      const at = [endAt - 1]
      for (const minutes of minutesApart) at.unshift((at[0] ?? 0) - minutes * MINUTE_MS)
      return Promise.resolve({ samples: at.map((one) => ({ at: one, value: 1 })), more: false })
    },
  }
  return { ...stage.ports, jobActors }
}

type Asked = {
  readonly limit?: number
  readonly before?: string
  readonly group?: number
  readonly max?: number
}

async function page({ limit = 200, before, group = 1, max = 10_000 }: Asked, cursor?: string) {
  const query = lateJobsQuery.parse({ limit: String(limit), before, cursor })
  return listLateJobs(contextOf(portsWith(max)), { parentType: 'group', parentId: group }, query)
}

const idsOf = ({ items }: Awaited<ReturnType<typeof page>>) => items.map(({ object }) => object.id)

/** The ids of each page. */
async function pagesOf(asked: Asked): Promise<number[][]> {
  const pages: number[][] = []
  for (let cursor: string | undefined; ;) {
    const found = await page(asked, cursor)
    pages.push(idsOf(found))
    if (found.nextCursor === null) return pages
    cursor = found.nextCursor
  }
}

function act(own: Readonly<Record<number, Actor>>): void {
  actors.clear()
  histories = 0
  for (const [id, actor] of Object.entries(own)) actors.set(Number(id), actor)
}

/** Actors of `count` jobs from an id on. */
function actorsFrom(first: number, count: number, actorOf: (index: number) => Actor): Record<number, Actor> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [first + index, actorOf(index)]))
}

beforeAll(async () => {
  stage = await openPorts()
  stage.clock.at = NOW
  await plantTree(stage.ports.database, SIZE)
  await stage.ports.database.run(sql`update jobs set interval_ms = 0`)
  await stage.ports.database.run(
    sql`update jobs set interval_ms = ${MINUTE_MS} where id < ${FIRST_WITHOUT_INTERVAL} and id >= 20`,
  )
})
afterAll(() => stage.close())

describe('late jobs', () => {
  test('have waited until halfway between their usual interval and their timeout', async () => {
    const minutely = [1, 1, 7, 1]
    act({
      [FIRST_JOB + 1]: { heardMinutesAgo: 3, minutesApart: minutely },
      [FIRST_JOB + 2]: { heardMinutesAgo: 2.99, minutesApart: minutely },
      [FIRST_JOB + 3]: { heardMinutesAgo: 4.5, minutesApart: [4] },
      [FIRST_JOB + 4]: { heardMinutesAgo: 4.49, minutesApart: [4] },
      20: { heardMinutesAgo: 3 },
      21: { heardMinutesAgo: 2.99 },
      22: { heardMinutesAgo: 3, minutesApart: [4, 4] },
    })
    const { items, nextCursor } = await page({})
    expect(nextCursor).toBeNull()
    expect(items.map(({ object }) => object.id)).toEqual([FIRST_JOB + 3, FIRST_JOB + 1, 20, 22])
    expect(items[0]).toEqual({
      object: { id: 11, type: 'job', name: 'Job 0 of device 3', path: '/Group 1/Device 3/Job 0 of device 3' },
      state: 'ok',
      usualInterval: 'PT4M',
      lastReceivedAt: '2026-03-02T09:55:30+01:00',
      lateSince: '2026-03-02T10:00:00+01:00',
      nextTimeoutAt: '2026-03-02T10:00:30+01:00',
    })
    expect(items.map(({ usualInterval }) => usualInterval)).toEqual(['PT4M', 'PT1M', 'PT1M', 'PT1M'])
    // Only a job without an interval that has waited for half of its timeout.
    expect(histories).toBe(4)
  })

  test('are running jobs with a timeout and a usual interval', async () => {
    const late = { heardMinutesAgo: 4, minutesApart: [1, 1] }
    act({
      [STOPPED]: late,
      9: { ...late, timeoutMinutes: null },
      10: { heardMinutesAgo: 4 },
      11: { heardMinutesAgo: 4, minutesApart: [] },
      12: { heardMinutesAgo: 4, minutesApart: [5, 5] },
      13: late,
    })
    expect(await pagesOf({})).toEqual([[13]])
  })

  test('are those below the parent, with a timeout before the bound, by timeout', async () => {
    act(
      actorsFrom(100, 8, (index) => ({
        heardMinutesAgo: 4,
        timeoutMinutes: 6 - index / 10,
        minutesApart: [1, 1],
      })),
    )
    expect(await pagesOf({})).toEqual([[107, 106, 105, 104, 103, 102, 101, 100]])
    expect(await pagesOf({ group: 2 })).toEqual([[106, 104, 102, 100]])
    expect(await pagesOf({ limit: 3 })).toEqual([
      [107, 106, 105],
      [104, 103, 102],
      [101, 100],
    ])
    const bound = new Date(NOW + 1.6 * MINUTE_MS).toISOString()
    expect(await pagesOf({ before: bound })).toEqual([[107, 106, 105]])
    const behind = new Date(NOW + 1.6 * MINUTE_MS + 1).toISOString()
    expect(await pagesOf({ before: behind })).toEqual([[107, 106, 105, 104]])
  })

  test('a call examines as many jobs as the host can ask, and a cursor leads to the others', async () => {
    act(
      actorsFrom(FIRST_WITHOUT_INTERVAL, 1_100, (index) => ({
        heardMinutesAgo: 4,
        timeoutMinutes: 5 + (index % 3),
        minutesApart: index % 100 === 3 ? [1, 1] : [9],
      })),
    )
    const pages = await pagesOf({ max: 100, limit: 2 })
    const wanted = (await pagesOf({})).flat()
    expect(wanted).toHaveLength(11)
    expect(pages.flat().toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b))
    expect(pages.length).toBeGreaterThanOrEqual(11)
    expect(pages.every((ids) => ids.length <= 2)).toBe(true)
  })

  test('a call reads the histories of 1,000 jobs', async () => {
    act(
      actorsFrom(FIRST_WITHOUT_INTERVAL, 1_100, (index) => ({
        heardMinutesAgo: 4,
        timeoutMinutes: index === 1_050 ? 7 : 6,
        minutesApart: index === 1_050 ? [1] : [9],
      })),
    )
    const first = await page({})
    expect([first.items, histories]).toEqual([[], 1_000])
    expect(idsOf(await page({}, first.nextCursor ?? ''))).toEqual([FIRST_WITHOUT_INTERVAL + 1_050])
  })

  test('are readable jobs, which are read along an index', async () => {
    const statements: SQL[] = []
    const database = recording(stage.ports.database, statements)
    const granted = new Map([[DEVICE, { write: false, execute: false, maintain: false }]])
    const rights = { userId: 7, role: 'editor', granted, ways: [] } as const
    const first = { after: '', limit: 10_000, readable: readableBy(rights, 'o') }
    const { ids } = await findRunning(database, '/1/', first)
    const running = [...(await readWaitingJobs(database, ids)).values()]
    expect(running).toHaveLength(SIZE.jobs / SIZE.devices - STOPPED_OF_DEVICE)
    expect(running.filter(({ path }) => !path.includes(`/${DEVICE}/`))).toEqual([])
    const [found, read] = await Promise.all(statements.map((one) => planOf(stage.ports.database, one)))
    expect(found?.[1]).toStartWith('SEARCH o USING COVERING INDEX objects_by_type (type=? AND path>?')
    expect(
      [...(found ?? []), ...(read ?? [])].filter((line) => isScan(line) || line.includes('TEMP B-TREE')),
    ).toEqual([])
  })
})
