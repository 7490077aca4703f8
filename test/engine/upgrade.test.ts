import { afterAll, expect, test } from 'bun:test'

import { ANYBODY, BEGIN_AT, deliveryWith, rulesWith } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

const stages = await openStages()
afterAll(() => stages.close())

const T = Date.UTC(2026, 2, 2, 9)
const NUMBERS = '010680eab4dc9567c0a9070103d00f02a413090103e514'
const TEXTS = '100580eab4dc9567c0a907010303044f4b04c3a90500d80002030004'

/** Puts the database back to what version 1 would have written. */
async function makeOld(stage: Stage): Promise<void> {
  const insert = (series: number, cells: string) => ({
    sql: `insert into segments (job_id, series, from_at, to_at, count, min, max, sum, first, last, body)
          values (1, ${series}, ${T}, ${cells})`,
    cells: [],
  })
  const plain = [
    'drop table segments',
    'drop table rollups',
    'drop table expired',
    'drop table blobs',
    `create table segments (
       id integer primary key, job_id integer not null, series integer not null,
       from_at integer not null, to_at integer not null, count integer not null,
       min real, max real, sum real, first real, last real, body blob not null) strict`,
    'create index segments_by_series on segments (job_id, series, from_at, id)',
    `update meta set value = 1 where key = 'version'`,
  ]
  await stage.values.commit([
    ...plain.map((sql) => ({ sql, cells: [] })),
    insert(1, `${T + 301_000}, 6, -1, 12.34, 60.54, 12.34, -1, x'${NUMBERS}'`),
    insert(1_001, `${T + 240_000}, 5, null, null, null, null, null, x'${TEXTS}'`),
  ])
}

const read = async (stage: Stage, key: string) =>
  (await stage.keeper.samples(1, { key, beginAt: 0, endAt: T * 2, skip: 0, limit: 100 })).samples.map(
    ({ value }) => value,
  )

test('a database of version 1 is taken over, whichever commit of that fails', async () => {
  for (let failAt = 1; failAt <= 4; failAt += 1) {
    const stage = await stages.open()
    stage.now = BEGIN_AT
    await stage.keeper.configure(1, rulesWith({ timeoutMs: null }))
    await stage.keeper.fold()
    await makeOld(stage)
    stage.values.failAt = stage.values.commits + failAt
    const opened = await stage.openKeeper().then(
      () => true,
      () => false,
    )
    expect(opened).toBe(failAt === 4)
    await stage.crash()
    expect(await read(stage, 'returnValue1')).toEqual([12.34, 12.3, 12.3, 12.3, 12.3, -1])
    expect(await read(stage, 'stringValue1')).toEqual(['OK', 'é', 'OK', 'OK', '\ud800'])
    const query = { key: 'returnValue1', edges: [T - 1, T + 400_000], mode: 'sum' as const }
    expect((await stage.keeper.buckets(1, query)).aggregate).toMatchObject({ count: 6, sum: 60.54, last: -1 })
    stage.now = T + 400_000
    await stage.keeper.deliver(1, deliveryWith({ values: { returnValue1: 7 } }), ANYBODY)
    await stage.keeper.fold()
    expect(await read(stage, 'returnValue1')).toEqual([12.34, 12.3, 12.3, 12.3, 12.3, -1, 7])
    const [version] = await stage.values.read({
      sql: `select value from meta where key = 'version'`,
      cells: [],
    })
    expect(version).toEqual({ value: 2 })
  }
})
