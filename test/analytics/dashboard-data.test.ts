import { expect, test } from 'bun:test'

import { Hono } from 'hono'

import { dataRoutes } from '../../src/analytics/dashboards/data/routes.ts'
import { dataBody } from '../../src/analytics/dashboards/data/schema.ts'
import { readData } from '../../src/analytics/dashboards/data/service.ts'
import { readNested } from '../../src/analytics/dashboards/nested/service.ts'
import { authenticators } from '../../src/app.ts'
import type { Context } from '../../src/context.ts'
import type { SeriesName } from '../../src/domain/series.ts'
import type { Env } from '../../src/http/policy.ts'
import type { Log } from '../../src/ports/log.ts'
import { noValues, openBoards } from './dashboard-stage.ts'

test('20 histories of 20 jobs are one read of all series, and take no negative time when the clock is set back', async () => {
  const calls: (readonly SeriesName[])[] = []
  const stage = await openBoards(20, (series, query) => {
    calls.push(series)
    stage.clock.at -= 3_600_000
    return noValues(series, query)
  })
  try {
    const histories = stage.ids.map((jobId) => [`h${jobId}`, { kind: 'history', series: [{ jobId }] }])
    const board = await stage.makeBoard(Object.fromEntries(histories) as Record<string, object>)
    const { widgets } = await readData(stage.context, board, dataBody.parse({}))
    const answers = Object.values(widgets).map(({ status, durationMs }) => ({ status, durationMs }))
    expect(answers).toEqual(stage.ids.map(() => ({ status: 200, durationMs: 0 })))
    expect(calls).toHaveLength(1)
    expect(calls[0]?.map(({ jobId }) => jobId).toSorted((a, b) => a - b)).toEqual(stage.ids)
  } finally {
    await stage.close()
  }
})

test('a failure is logged with its cause, of a widget and of the stream', async () => {
  const stage = await openBoards(1, () => Promise.reject(new Error('the engine failed')))
  try {
    const [jobId] = stage.ids
    const board = await stage.makeBoard({ past: { kind: 'history', series: [{ jobId }] } })
    const calls: Parameters<Log['error']>[] = []
    const log = {
      ...stage.context.ports.log,
      error(...call: Parameters<Log['error']>) {
        calls.push(call)
        if (calls.length === 1) throw new Error('the log failed')
      },
    }
    const { ports, caller, requestId } = stage.context
    if (caller.kind !== 'user') throw new TypeError('The stage has a user.')
    const app = new Hono<Env>()
      .use((c, next) => {
        c.set('ports', { ...ports, log })
        c.set('authenticators', { ...authenticators, user: () => caller })
        c.set('requestId', requestId)
        return next()
      })
      .route('/', dataRoutes)
    const headers = { accept: 'application/x-ndjson' }
    const answer = await app.request(`/dashboards/${board}/data`, { headers })
    expect(await answer.text().catch(String)).toBe('Error: the log failed')
    const about = { dashboardId: board, requestId }
    expect(calls.map(([message, cause, fields]) => [message, String(cause), fields])).toEqual([
      ['dashboards: the data of a widget failed', 'Error: the engine failed', { ...about, widget: 'past' }],
      ['dashboards: a stream of data broke off', 'Error: the log failed', about],
    ])
  } finally {
    await stage.close()
  }
})

test('a dashboard with those that it embeds and all names is 5 statements', async () => {
  const stage = await openBoards(2, noValues)
  try {
    const [job = 0, other = 0] = stage.ids
    const value = (jobId: number) => ({ kind: 'value', source: { type: 'job', jobId } })
    const last = await stage.makeBoard({ of: value(other), gone: value(999_999) })
    const third = await stage.makeBoard({ last: { kind: 'dashboard', dashboardId: last } })
    const second = await stage.makeBoard({ third: { kind: 'dashboard', dashboardId: third } })
    const linked = await stage.makeBoard({})
    const link = { dashboardId: linked }
    const first = await stage.makeBoard({
      second: { kind: 'dashboard', dashboardId: second },
      of: { ...value(job), link },
    })
    const { context, statements } = counted(await stage.viewer())
    const view = await readNested(context, first, {})
    expect(view.children.map(({ dashboard, depth }) => [dashboard.id, depth])).toEqual([
      [second, 1],
      [third, 2],
      [last, 3],
    ])
    expect(Object.keys(view.dashboards).map(Number)).toEqual([last, third, second, linked])
    expect(Object.keys(view.objects).map(Number)).toEqual([job, other])
    expect(view.hidden).toEqual({ objects: [999_999], dashboards: [] })
    expect(view.children.at(-1)?.dashboard.problems.map(({ code }) => code)).toEqual(['gone'])
    expect(statements.count).toBeLessThanOrEqual(5)
  } finally {
    await stage.close()
  }
})

/** A context whose database counts its statements. */
function counted(context: Context): {
  readonly context: Context
  readonly statements: { readonly count: number }
} {
  const statements = { count: 0 }
  const database = new Proxy(context.ports.database, {
    get(target, name) {
      if (name === 'all' || name === 'run' || name === 'select') statements.count += 1
      const found: unknown = Reflect.get(target, name)
      return typeof found === 'function' ? (found.bind(target) as unknown) : found
    },
  })
  return { context: { ...context, ports: { ...context.ports, database } }, statements }
}
