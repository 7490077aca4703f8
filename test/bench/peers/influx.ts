import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { BASIC, COLLECTOR_NAME, PASSWORD } from './peer.ts'
import type { History, Peer, Place, Request, Running, Sample } from './peer.ts'
import { bytesAtRest, freePort, launch } from './process.ts'
import { send } from './requests.ts'
import { inOrderOfArrival } from './samples.ts'

const AT_ONCE = 10_000
/** A shard that nobody wrote to for this long is packed; as Debian ships it, and while a bench waits for it. */
const COLD = { usual: { cache: '10m', full: '4h' }, soon: { cache: '1s', full: '1s' } } as const
/** The server looks for cold shards this often, and needs two looks. */
const PACK_MS = 12_000

/** InfluxDB, whose write-ahead log is flushed at each write, as it is by default. */
export const influx: Peer = {
  name: 'InfluxDB',
  debian: { package: 'influxdb', program: 'influxd' },
  keeps: 'every',
  jobsMax: Infinity,
  start: (place) => start(place, 'usual'),
  async fill(place, series) {
    const running = await start(place, 'soon')
    for (const samples of inOrderOfArrival(series, AT_ONCE)) await send(running, write(samples))
    await Bun.sleep(PACK_MS)
    return { running, bytes: await bytesAtRest(join(place.directory, 'data')) }
  },
}

async function start(place: Place, cold: keyof typeof COLD): Promise<Running> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  await mkdir(place.directory, { recursive: true })
  const isNew = !(await Bun.file(join(place.directory, 'meta/meta.db')).exists())
  await Bun.write(join(place.directory, 'influxdb.conf'), configuration(place.directory, port, cold))
  const launched = await launch({
    place,
    command: ['influxd', '-config', join(place.directory, 'influxdb.conf')],
    isReady: async () => (await fetch(`${url}/ping`)).status === 204,
  })
  if (isNew) {
    // Until there is an administrator, anybody may create one, and nothing else.
    await send(
      { url },
      query(`CREATE USER ${COLLECTOR_NAME} WITH PASSWORD '${PASSWORD}' WITH ALL PRIVILEGES`),
    )
    await send({ url }, query('CREATE DATABASE b'))
  }
  return {
    url,
    ...launched,
    delivery: (sample) => write([sample]),
    bulk: [{ name: 'lines of text', request: write }],
    history: HISTORY,
    stored: async () => rowsOf(await send({ url }, query('SELECT count(v) FROM m')))[0]?.[1] ?? 0,
    async latest() {
      const text = await send({ url }, query('SELECT last(v) FROM m GROUP BY job'))
      return new Map(seriesIn(text).map(({ tags, values }) => [Number(tags?.job), values[0]?.[1] ?? 0]))
    },
  }
}

const HISTORY: History = {
  requests({ of, beginAt, endAt, bucketMs }) {
    const where = `time >= ${beginAt}ms AND time < ${endAt}ms AND job ${of === 'first' ? '=' : '!='} '1'`
    const group = `time(${bucketMs}ms)${of === 'first' ? '' : ', job'}`
    return [query(`SELECT mean(v) FROM m WHERE ${where} GROUP BY ${group}`, 'GET')]
  },
  means: (answers) => answers.flatMap((text) => rowsOf(text).map(([, mean]) => mean)),
}

function write(samples: readonly Sample[]): Request {
  const isNow = samples.every(({ at }) => at === null)
  const lines = samples.map(({ job, value, at }) => `m,job=${job} v=${value}${isNow ? '' : ` ${at}`}`)
  const path = `/write?db=b${isNow ? '' : '&precision=ms'}`
  return { method: 'POST', path, headers: BASIC, body: lines.join('\n') }
}

function query(q: string, method: 'GET' | 'POST' = 'POST'): Request {
  const path = `/query?${new URLSearchParams({ db: 'b', epoch: 'ms', q }).toString()}`
  return { method, path, headers: BASIC, body: '' }
}

type InfluxSeries = {
  readonly tags?: { readonly job: string }
  readonly values: readonly (readonly [number, number])[]
}

/** @throws {Error} with what the server found wrong: it says so in a 200 */
function seriesIn(text: string): readonly InfluxSeries[] {
  const { results } = JSON.parse(text) as { results: { series?: InfluxSeries[]; error?: string }[] }
  const error = results.find((result) => result.error !== undefined)?.error
  if (error !== undefined) throw new Error(error)
  return results.flatMap(({ series = [] }) => series)
}

function rowsOf(text: string): readonly (readonly [number, number])[] {
  return seriesIn(text).flatMap(({ values }) => values)
}

function configuration(directory: string, port: number, cold: keyof typeof COLD): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${freePort()}"
[meta]
  dir = "${directory}/meta"
  logging-enabled = false
[data]
  dir = "${directory}/data"
  wal-dir = "${directory}/wal"
  wal-fsync-delay = "0s"
  index-version = "tsi1"
  query-log-enabled = false
  max-values-per-tag = 0
  cache-snapshot-write-cold-duration = "${COLD[cold].cache}"
  compact-full-write-cold-duration = "${COLD[cold].full}"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  auth-enabled = true
  log-enabled = false
[subscriber]
  enabled = false
[logging]
  level = "error"
`
}
