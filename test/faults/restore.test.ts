import { expect, setDefaultTimeout, test } from 'bun:test'

import { samplesOf } from '../backups/compare.ts'
import { PASSPHRASE, startWorld } from '../backups/world.ts'
import type { World } from '../backups/world.ts'

setDefaultTimeout(180_000)
const CYCLES = Number(process.env['TIDEMARK_TEST_RESTORES'] ?? 4)
const JOBS = 4
/** Some hundred values a second, so that what is measured is not how fast they are read. */
const PAUSE_MS = 10
const HEADERS = { 'x-backup-passphrase': encodeURIComponent(PASSPHRASE), 'content-type': 'application/gzip' }

type Job = { readonly id: number; acknowledged: number }

/** Delivers 1, 2, 3 … to each job, and another state with each, until it is told to stop. */
function deliverOn(world: World, jobs: readonly Job[]): () => Promise<void> {
  let goesOn = true
  const send = async (job: Job) => {
    while (goesOn) {
      const next = job.acknowledged + 1
      const json = { returnValue1: next, returnValue2: next % 2 === 0 ? 1 : 99, errorCode: 0 }
      await world.good('POST', `/webcollector/jobs/${job.id}/values`, { json })
      job.acknowledged = next
      await Bun.sleep(PAUSE_MS)
    }
  }
  const all = Promise.all(jobs.map(send))
  return async () => {
    goesOn = false
    await all
  }
}

async function createJobs(world: World): Promise<Job[]> {
  const { id: device } = await world.good<{ id: number }>('POST', '/devices?parentType=group&parentId=1', {
    json: { name: 'busy' },
  })
  const json = {
    name: 'counts',
    parameters: { returnValue: [{ valueName: 'count' }, { valueName: 'load' }], timeout: 'P1D' },
    thresholds: { major: { conditions: [{ key: 'returnValue2', operator: '>', value: 90 }] } },
  }
  const jobs: Job[] = []
  while (jobs.length < JOBS) {
    const { id } = await world.good<{ id: number }>('POST', `/jobs?parentType=device&parentId=${device}`, {
      json,
    })
    jobs.push({ id, acknowledged: 0 })
  }
  return jobs
}

/** The conditions that must hold after each restore. */
async function expectWhole(world: World, jobs: readonly Job[]): Promise<void> {
  expect(await world.rows('pragma foreign_key_check')).toEqual([])
  expect(await world.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(await world.rows('select count(*) as total from backup_rows')).toEqual([{ total: 0 }])
  const gaps = `select object_id from transitions group by object_id having max(seq) <> count(*)
    union all select s.object_id from states s
      left join (select object_id, max(seq) as latest from transitions group by 1) t using (object_id)
      where s.seq <> coalesce(t.latest, 0)`
  expect(await world.rows(gaps)).toEqual([])
  for (const { id, acknowledged } of jobs) {
    const found = await samplesOf(world, id)
    // Everything that was acknowledged before, in order; and of what came meanwhile no more than without a gap.
    expect(found).toEqual(found.map((_, index) => index + 1))
    expect(found.length).toBeGreaterThanOrEqual(acknowledged)
    const job = await world.good<{ currentState: string }>('GET', `/jobs/${id}`)
    expect(job.currentState).toBe(found.length % 2 === 0 ? 'ok' : 'major')
    expect(await world.rows(`select state from states where object_id = ${id}`)).toEqual([
      { state: job.currentState },
    ])
  }
  const bad = await world.rows(`select tally from states where object_id = 2`)
  const tally = JSON.parse(String(bad[0]?.['tally'])) as number[]
  expect(tally.reduce((sum, one) => sum + one, 0)).toBe(JOBS)
}

test('of each backup that is made while values arrive and states change, a restore is whole', async () => {
  const source = await startWorld('bun')
  const target = await startWorld('bun')
  const jobs = await createJobs(source)
  const stop = deliverOn(source, jobs)
  let isStopped = false
  try {
    let restored = 0
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const before = jobs.map((job) => ({ ...job }))
      const { id, url } = await source.good<{ id: number; url: string }>('POST', '/backups', {
        json: { passphrase: PASSPHRASE, histories: true },
      })
      const bytes = new Uint8Array(await (await source.ask('GET', url)).arrayBuffer())
      await source.good('DELETE', `/backups/${id}`)
      await target.good('POST', '/backups/restore?replace=true', { bytes, headers: HEADERS })
      await target.signIn()
      await expectWhole(target, before)
      const [first] = jobs
      const json = { returnValue1: 1, returnValue2: 1, errorCode: 0 }
      await target.good('POST', `/webcollector/jobs/${first?.id}/values`, { json })
      restored++
    }
    await stop()
    isStopped = true
    expect(restored).toBe(CYCLES)
    expect(Math.min(...jobs.map(({ acknowledged }) => acknowledged))).toBeGreaterThan(CYCLES)
  } finally {
    if (!isStopped) await stop().catch(() => undefined)
    await source.close()
    await target.close()
  }
})
