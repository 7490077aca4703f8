import { expect, test } from 'bun:test'

import { dataBody } from '../../src/analytics/dashboards/data/schema.ts'
import { readData } from '../../src/analytics/dashboards/data/service.ts'
import type { SeriesName } from '../../src/domain/series.ts'
import { noValues, openBoards } from './dashboard-stage.ts'

test('20 histories of 20 jobs are one read of all series', async () => {
  const calls: (readonly SeriesName[])[] = []
  const stage = await openBoards(20, (series, query) => {
    calls.push(series)
    return noValues(series, query)
  })
  try {
    const histories = stage.ids.map((jobId) => [`h${jobId}`, { kind: 'history', series: [{ jobId }] }])
    const board = await stage.makeBoard(Object.fromEntries(histories) as Record<string, object>)
    const { widgets } = await readData(stage.context, board, dataBody.parse({}))
    expect(Object.values(widgets).map(({ status }) => status)).toEqual(stage.ids.map(() => 200))
    expect(calls).toHaveLength(1)
    expect(calls[0]?.map(({ jobId }) => jobId).toSorted((a, b) => a - b)).toEqual(stage.ids)
  } finally {
    await stage.close()
  }
})
