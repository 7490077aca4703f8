import { expect, test } from 'bun:test'

import { dataBody } from '../../../src/analytics/dashboards/data/schema.ts'
import { readData } from '../../../src/analytics/dashboards/data/service.ts'
import { noValues, openBoards } from '../../analytics/dashboard-stage.ts'

/** Histories that have their data, beside one of a job that does not exist and one that never ends. */
const GOOD = 17

test('a widget whose source never answers is 503 after 10 seconds, and the others have their data', async () => {
  const stage = await openBoards(GOOD + 1, (series, query) =>
    query.mode === 'max' ? new Promise(() => undefined) : noValues(series, query),
  )
  try {
    const [slow = 0, ...ids] = stage.ids
    const board = await stage.makeBoard({
      slow: { kind: 'history', series: [{ jobId: slow, mode: 'max' }] },
      missing: { kind: 'value', source: { type: 'job', jobId: 999_999 } },
      states: { kind: 'states', objects: { ids: [slow] }, depth: 1 },
      ...Object.fromEntries(ids.map((jobId) => [`h${jobId}`, { kind: 'history', series: [{ jobId }] }])),
    })
    const beganAt = performance.now()
    const { widgets } = await readData(stage.context, board, dataBody.parse({}))
    const { slow: late, missing, states, ...others } = widgets
    expect(late).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 })
    expect([missing?.status, states?.status]).toEqual([404, 200])
    expect(Object.values(others).map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect(performance.now() - beganAt).toBeLessThan(30_000)
  } finally {
    await stage.close()
  }
})
