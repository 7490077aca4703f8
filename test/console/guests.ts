import type { Client } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { must } from '../runs/fake-runner.ts'
import type { Held } from '../runs/fake-runner.ts'
import { BACKTEST, packed } from '../runs/forecast-results.ts'

type Made = { readonly id: number }

const HOUR_MS = 3_600_000
const AHEAD = 12

/** Makes a job that has counted guests for thirty hours.
 * @returns its id */
export async function makeGuests(client: Client): Promise<number> {
  const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
  const device = await post('/devices?parentId=1', { name: 'Entrance' })
  const { id } = await post(`/jobs?parentId=${device.id}`, {
    name: 'Guests',
    parameters: { returnValue: [{ valueName: 'guests' }] },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
  })
  const now = Date.now()
  for (let hour = 30; hour >= 0; hour--)
    await post(`/webcollector/jobs/${id}/values`, {
      errorCode: 0,
      returnValue1: 40 + (hour % 6),
      timestamp: new Date(now - hour * HOUR_MS - 1000).toISOString(),
    })
  return id
}

/** Ends a run of a forecast of the guests with its results. */
export async function leaveResults(held: Held): Promise<void> {
  await held.begin()
  await must(held.say('PUT', 'outputs/forecast-00.ndjson.gz', { bytes: await results() }))
  await must(held.finish({ logLines: 0 }))
}

/** The file that a runner leaves: twelve hours that are predicted. */
function results(): Promise<Uint8Array<ArrayBuffer>> {
  const begin = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const t = Array.from({ length: AHEAD }, (_, place) => begin + place * HOUR_MS)
  const past = Array.from({ length: 24 }, (_, place) => begin - (24 - place) * HOUR_MS)
  const of = (value: number) => t.map((_, place) => value + (place % 6))
  const series = {
    id: 0,
    key: [],
    points: 30,
    kind: 'naive',
    t,
    endAt: begin + AHEAD * HOUR_MS,
    mean: of(40),
    lo80: of(37),
    hi80: of(43),
    lo95: of(35),
    hi95: of(45),
    past: { t: past, y: past.map((_, place) => 40 + (place % 6)) },
    season: 'day',
    quality: 'good',
    notes: {},
    cpuMs: 1,
    error: null,
    backtest: BACKTEST,
  }
  return packed([{ v: 1, engine: {}, keyTypes: [] }, series])
}
