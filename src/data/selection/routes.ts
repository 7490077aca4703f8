import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import { accepts } from 'hono/accepts'
import { idPath, ok, sentPath } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { operationView } from '../../operations/work/schema.ts'
import { acceptedResponse } from '../../operations/work/service.ts'
import { READERS } from '../sources/schema.ts'
import { EXPORT_TYPES, XLSX_TYPE } from './formats.ts'
import {
  columnPath,
  distinctQuery,
  distinctView,
  exportQuery,
  histogramQuery,
  histogramView,
  selectBody,
  selectView,
  sourceDistinctQuery,
  tablePath,
  valuesQuery,
  valuesView,
} from './schema.ts'
import { select } from './service.ts'
import { columnValues, distinctValues } from './service/distinct.ts'
import { exportSelection } from './service/export.ts'
import { histogramOf } from './service/histogram.ts'
import { waited } from './service/waited.ts'
import type { Asking } from './service/waited.ts'

const BODY_MAX_BYTES = 256 * 1024
/** Statuses of refusals of databases. */
const REFUSES = [403, 409, 503]
const JSON_TYPE = 'application/json'
/** A proxy does not collect the rows. */
const UNBUFFERED = { 'x-accel-buffering': 'no' }
const waiting = {
  202: ok(operationView, 'The operation that reads the result, after the wait.', ['Location', 'Retry-After']),
}

/** The result of a read, or after the wait the operation that reads it. */
async function answer<Result extends object>(
  c: HonoContext<Env>,
  waitMs: number | undefined,
  read: (asking: Asking) => Promise<Result>,
): Promise<Response> {
  const context = c.get('context')
  const outcome = await waited(context, { subject: sentPath(c.req), waitMs }, read)
  return outcome.isDone ? c.json(outcome.result) : acceptedResponse(outcome.operation, context.ports)
}

const selectRoutes = new Hono<Env>().post(
  '/dataSources/:id/tables/:table/select',
  policy({
    summary:
      'Select rows or aggregates of a table; `Accept` with the type of CSV, NDJSON or XLSX exports them',
    roles: READERS,
    scope: 'read',
    answers: {
      200: { ...ok(selectView, 'The result; CSV, NDJSON and XLSX are streamed.'), alsoMedia: EXPORT_TYPES },
      ...waiting,
    },
    refuses: REFUSES,
  }),
  valid('param', tablePath),
  valid('query', exportQuery),
  jsonBody(BODY_MAX_BYTES),
  valid('json', selectBody),
  async (c) => {
    const context = c.get('context')
    const body = c.req.valid('json')
    const { wait: waitMs, safe } = c.req.valid('query')
    const type = accepts(c, { header: 'Accept', supports: [JSON_TYPE, ...EXPORT_TYPES], default: JSON_TYPE })
    const exportType = EXPORT_TYPES.find((one) => one === type)
    if (exportType) {
      const isForExcel = safe === 'excel'
      const rows = await exportSelection(context, {
        ...c.req.valid('param'),
        body,
        type: exportType,
        isForExcel,
      })
      const contentType = exportType === XLSX_TYPE ? exportType : `${exportType}; charset=utf-8`
      return c.body(rows, 200, { 'content-type': contentType, ...UNBUFFERED })
    }
    return answer(c, waitMs, (asking) => select(context, { ...c.req.valid('param'), body }, asking))
  },
)

export const selectionRoutes = selectRoutes
  .get(
    '/dataSources/:id/tables/:table/distinctValues',
    policy({
      summary: 'List the combinations of values of columns, with the number of rows of each',
      roles: READERS,
      answers: { 200: ok(distinctView, 'The combinations, the most frequent first.'), ...waiting },
      refuses: REFUSES,
    }),
    valid('param', tablePath),
    valid('query', distinctQuery),
    async (c) => {
      const query = c.req.valid('query')
      return answer(c, query.wait, (asking) =>
        distinctValues(c.get('context'), { ...c.req.valid('param'), query }, asking),
      )
    },
  )
  .get(
    '/dataSources/:id/tables/:table/columns/:column/histogram',
    policy({
      summary: 'Count the rows in ranges of a column of numbers',
      roles: READERS,
      answers: { 200: ok(histogramView, 'The histogram.'), ...waiting },
      refuses: REFUSES,
    }),
    valid('param', columnPath),
    valid('query', histogramQuery),
    async (c) => {
      const query = c.req.valid('query')
      return answer(c, query.wait, (asking) =>
        histogramOf(c.get('context'), { ...c.req.valid('param'), query }, asking),
      )
    },
  )
  .get(
    '/dataSources/:id/distinctValues',
    policy({
      summary: 'List the combinations of values of columns of a table, with the number of rows of each',
      roles: READERS,
      answers: { 200: ok(distinctView, 'The combinations, the most frequent first.'), ...waiting },
      refuses: [404, ...REFUSES],
    }),
    valid('param', idPath),
    valid('query', sourceDistinctQuery),
    async (c) => {
      const { table, ...query } = c.req.valid('query')
      const asked = { ...c.req.valid('param'), table, query }
      return answer(c, query.wait, (asking) => distinctValues(c.get('context'), asked, asking))
    },
  )
  .get(
    '/dataSources/:id/tables/:table/columns/:column/values',
    policy({
      summary: 'List the values of a column, with the number of rows of each',
      roles: READERS,
      answers: { 200: ok(valuesView, 'The values, the most frequent first.'), ...waiting },
      refuses: REFUSES,
    }),
    valid('param', columnPath),
    valid('query', valuesQuery),
    async (c) => {
      const query = c.req.valid('query')
      return answer(c, query.wait, (asking) =>
        columnValues(c.get('context'), { ...c.req.valid('param'), query }, asking),
      )
    },
  )
