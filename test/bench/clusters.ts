import { ADMIN } from '../hosts/host.ts'
import { startBun } from '../hosts/bun.ts'
import { numbersFrom } from '../data/places.ts'
import { machine, median, tableOf } from './measure.ts'

// How long clusters of a table of many points take, by HTTP, each time without results that requests share. Fails when a
// median is beyond the limit.

const POINTS = 1_000_000
const ROUNDS = 7
const LIMIT_MS = 2_000
const CITIES = 2_000
const STATES = ['ok', 'minor', 'major']

const next = numbersFrom(7)
const cities = Array.from({ length: CITIES }, () => [next() * 140 - 60, next() * 360 - 180] as const)
const lines = ['id,lat,lon,state,load']
for (let id = 0; id < POINTS; id++) {
  const [lat, lon] = cities[Math.floor(next() ** 2 * CITIES)] ?? [0, 0]
  const east = lon + (next() - 0.5) * 0.5
  const state = STATES[Math.floor(next() ** 4 * STATES.length)]
  lines.push(
    `${id},${(lat + (next() - 0.5) * 0.5).toFixed(6)},${(Math.abs(east) > 180 ? lon : east).toFixed(6)},${state},${(next() * 100).toFixed(2)}`,
  )
}

const host = await startBun({})
try {
  const authorization = `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`
  const ask = async (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = { authorization, 'content-type': type, 'cache-control': 'no-cache' }
    const answer = await fetch(`${host.url}${path}`, { method, headers, ...(body !== undefined && { body }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as {
      readonly id: string
      readonly state?: string
      readonly features: readonly object[]
    }
  }
  const { id } = await ask('POST', '/dataSources', JSON.stringify({ name: 'points', type: 'csv' }))
  const upload = await ask('POST', `/dataSources/${id}/uploads`, lines.join('\n'), 'text/csv')
  const order = JSON.stringify({ upload: upload.id, table: 'points' })
  let work = await ask('POST', `/dataSources/${id}/import?wait=PT0S`, order)
  while (work.state === 'queued' || work.state === 'running') {
    await Bun.sleep(500)
    work = await ask('GET', `/operations/${work.id}`)
  }
  const points = {
    dataSourceId: Number(id),
    table: 'points',
    lat: 'lat',
    lon: 'lon',
    key: 'id',
    state: 'state',
  }
  const cases: Readonly<Record<string, object>> = {
    'the world, zoom 2': { zoom: 2 },
    'the world, zoom 6': { zoom: 6 },
    'a country, zoom 8': { zoom: 8, bbox: [0, 40, 20, 55] },
    'a city, zoom 14': { zoom: 14, bbox: [8, 47, 9, 48] },
  }
  const rows = []
  let isTooSlow = false
  for (const [title, json] of Object.entries(cases)) {
    const times: number[] = []
    let features = 0
    for (let round = 0; round < ROUNDS; round++) {
      const beganAt = performance.now()
      const aggregates = [{ fn: 'SUM', column: 'load' }]
      features = (
        await ask('POST', '/gis/cluster', JSON.stringify({ points: { ...points, aggregates }, ...json }))
      ).features.length
      times.push(performance.now() - beganAt)
    }
    isTooSlow ||= median(times) > LIMIT_MS
    rows.push({
      clusters: title,
      'median ms': Math.round(median(times)),
      'longest ms': Math.round(Math.max(...times)),
      features,
    })
  }
  process.stdout.write(`${machine()}; ${POINTS} points\n${tableOf(rows)}\n`)
  if (isTooSlow) throw new Error(`A median is beyond ${LIMIT_MS} ms.`)
} finally {
  await host.close()
}
