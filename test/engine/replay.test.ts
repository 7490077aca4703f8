import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../src/lib/errors.ts'
import { happen, histories } from './acts.ts'
import type { Act } from './acts.ts'
import { ANYBODY, BEGIN_AT } from './rules.ts'
import { openStages } from './stage.ts'
import type { Stage } from './stage.ts'

setDefaultTimeout(180_000)
const stages = await openStages()
afterAll(() => stages.close())

const JOBS = [1, 2] as const
const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 30)

test('after each event, an engine that opens the database of a killed one has the same state', async () => {
  const both = fc.tuple(
    histories(14),
    histories(14),
    fc.array(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8), { minLength: 28, maxLength: 28 }),
  )
  await fc.assert(
    fc.asyncProperty(both, async ([one, other, order]) => {
      const stage = await stages.open()
      const left = new Map<number, Act[]>([
        [1, [...one.acts]],
        [2, [...other.acts]],
      ])
      await stage.engine.configure(1, one.rules)
      await stage.engine.configure(2, other.rules)
      for (const choice of order) {
        if (choice === 8) await stage.engine.flush()
        const id = choice % 2 === 0 ? 1 : 2
        const act = left.get(id)?.shift()
        if (act) await perform(stage, id, act)
        const before = await everything(stage)
        await stage.crash()
        expect(await everything(stage)).toEqual(before)
      }
      await stage.engine.settled()
      for (const id of JOBS) {
        // Told again after each crash; by their numbers they are one history without gaps.
        const told = stage.told.filter(({ objectId }) => objectId === id)
        const history = new Map(told.map((transition) => [transition.seq, transition]))
        expect([...history.keys()]).toEqual([...history.keys()].map((_, index) => index + 1))
        for (const transition of told) expect(transition).toEqual(history.get(transition.seq) ?? transition)
      }
      await stage.close()
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
})

async function perform(stage: Stage, jobId: number, act: Act): Promise<void> {
  const snapshot = await stage.engine.snapshot(jobId)
  const { deadlineAt = null, revision = 0 } = snapshot ?? {}
  const happening = happen(act, { now: stage.now, deadlineAt, revision })
  stage.now = happening.now
  switch (happening.kind) {
    case 'deliver':
      await stage.engine.deliver(jobId, happening.delivery, ANYBODY).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
      })
      return
    case 'wake':
      return stage.engine.wake()
    case 'ingest gap':
      return stage.engine.recordIngestGap(happening.fromAt, happening.now)
    case 'configure':
      return stage.engine.configure(jobId, happening.rules)
  }
}

async function everything(stage: Stage): Promise<unknown> {
  await stage.engine.settled()
  const jobs = JOBS.map(async (id) => {
    const series = ['returnValue1', 'returnValue2', 'stringValue1', 'errorCode'].map((key) => {
      const query = { key, beginAt: BEGIN_AT - 1e10, endAt: BEGIN_AT + 1e10, skip: 0, limit: 10_000 }
      return stage.engine.samples(id, query)
    })
    return { snapshot: await stage.engine.snapshot(id), series: await Promise.all(series) }
  })
  return Promise.all(jobs)
}
