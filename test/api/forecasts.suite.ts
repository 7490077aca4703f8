import type { Client } from './client.ts'
import { good, once, table } from './suite.ts'
import type { Row, Suite } from './suite.ts'

type Made = { readonly id: number }

const DAY_MS = 86_400_000
const DAYS = 40
const NAMES = { timeColumn: 'Order Date', valueColumn: 'Amount (CHF)', groupColumns: ['select', 'Größe'] }

let made = 0

/** A table of days with columns of any names, in a data source of its own. */
async function ordersOf(client: Client): Promise<number> {
  const json = { name: `predicted ${++made}`, type: 'csv' }
  const { id } = await good<Made>(client.request('POST', '/dataSources', { json }))
  const today = Math.floor(Date.now() / DAY_MS)
  const lines = Array.from({ length: DAYS }, (_, place) => {
    const day = new Date((today - DAYS + place) * DAY_MS).toISOString().slice(0, 10)
    return `${day},${place},north,L\n${day},${2 * place},south,S\n`
  })
  const text = `Order Date,Amount (CHF),select,Größe\n${lines.join('')}`
  const sent = { text, headers: { 'content-type': 'text/csv' } }
  const upload = await good<{ id: string }>(client.request('POST', `/dataSources/${id}/uploads`, sent))
  await good(
    client.request('POST', `/dataSources/${id}/import`, {
      json: { upload: upload.id, table: 'sold orders' },
    }),
  )
  return id
}

const bodyOf = (dataSourceId: number, change: object = {}) => ({
  name: `forecast ${++made}`,
  source: { type: 'dataTable', dataSourceId, table: 'sold orders', ...NAMES, aggregate: 'sum' },
  step: 'P1D',
  horizon: 'P7D',
  timeZone: 'UTC',
  model: { kind: 'custom:croston' },
  ...change,
})

const stage = once(async (client) => {
  const source = await ordersOf(client)
  const { id } = await good<Made>(
    client.request('POST', '/forecasts', { json: bodyOf(source, { name: 'taken' }) }),
  )
  return { source, forecast: id }
})

const job = { type: 'job', jobId: 1, key: 'returnValue1' }
const rows: Row[] = [
  ...(['collector', 'dashboard_viewer'] as const).map((as): Row => ({
    title: as,
    call: 'GET /forecasts',
    as,
    answers: 'forbidden',
  })),
  {
    title: 'a name that is taken',
    call: 'POST /forecasts',
    json: bodyOf(1, { name: 'TAKEN', source: job }),
    answers: 'name_taken',
    pointers: ['/name'],
  },
  {
    title: 'a horizon of half a step',
    call: 'POST /forecasts',
    json: bodyOf(1, { horizon: 'PT12H' }),
    answers: 'invalid',
    pointers: ['/horizon'],
  },
  {
    title: 'a cron that never comes',
    call: 'POST /forecasts',
    json: bodyOf(1, { source: job, schedule: { cron: '0 0 30 2 *' } }),
    answers: 'invalid',
    pointers: ['/schedule/cron'],
  },
  {
    title: 'a table of an editor',
    call: 'POST /forecasts',
    as: 'editor',
    json: bodyOf(1, { source: job, table: { dataSourceId: 1, name: 'x' } }),
    answers: 'forbidden',
  },
  {
    title: 'a table nowhere',
    call: 'POST /forecasts',
    json: bodyOf(1, { source: job, table: { dataSourceId: 999_999, name: 'x' } }),
    answers: 'invalid',
    pointers: ['/table/dataSourceId'],
  },
  { title: 'no runner', call: 'POST /forecasts/{forecast}/run', answers: 'no_runner' },
  {
    title: 'nothing to select from',
    call: 'POST /forecasts/{forecast}/select',
    json: {},
    answers: 'conflict',
  },
  { title: 'no group', call: 'GET /forecasts/{forecast}/band', answers: 'not_found' },
  {
    title: 'groups of another user',
    call: 'GET /forecasts/{forecast}/groups',
    as: 'Data_Editor',
    answers: 'forbidden',
  },
  { title: 'no forecast', call: 'GET /forecasts/999999', answers: 'not_found' },
  {
    title: 'an older version',
    call: 'DELETE /forecasts/{forecast}',
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  },
]

export const forecastsSuite: Suite = { name: 'forecasts', scenarios: table(stage, rows) }
