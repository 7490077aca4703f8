import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { BASIC, COLLECTOR_NAME, PASSWORD } from './peer.ts'
import type { Peer, Place, Request, Running, Sample, Series } from './peer.ts'
import { bytesOnDisk, freePort, launch, run } from './process.ts'
import { promHistory, promValue, promValues } from './promql.ts'
import { writeRequest } from './remote-write.ts'

const HEADERS = {
  ...BASIC,
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

/** Requests of several connections may overtake each other. */
const CONFIGURATION = 'storage:\n  tsdb:\n    out_of_order_time_window: 10m\n'

/** Prometheus as a receiver of remote write. History older than an hour it takes as blocks only, from promtool. */
export const prometheus: Peer = {
  name: 'Prometheus',
  debian: { package: 'prometheus', program: 'prometheus' },
  keeps: 'every',
  jobsMax: Infinity,
  start,
  async fill(place, series) {
    const data = join(place.directory, 'data')
    await mkdir(data, { recursive: true })
    const text = join(place.directory, 'history.txt')
    await writeHistory(text, series)
    await run([
      'promtool',
      'tsdb',
      'create-blocks-from',
      'openmetrics',
      '--max-block-duration=744h',
      text,
      data,
    ])
    const bytes = await bytesOnDisk(data)
    return { running: await start(place), bytes }
  },
}

async function start(place: Place): Promise<Running> {
  const { directory } = place
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const hash = await Bun.password.hash(PASSWORD, { algorithm: 'bcrypt', cost: 4 })
  await Bun.write(join(directory, 'prometheus.yml'), CONFIGURATION)
  await Bun.write(join(directory, 'web.yml'), `basic_auth_users:\n  ${COLLECTOR_NAME}: ${hash}\n`)
  const launched = await launch({
    place,
    command: [
      'prometheus',
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--web.config.file=${join(directory, 'web.yml')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      '--storage.tsdb.retention.time=10y',
      '--web.enable-remote-write-receiver',
      '--log.level=error',
    ],
    isReady: async () => (await fetch(`${url}/-/ready`, { headers: BASIC })).ok,
  })
  return {
    url,
    ...launched,
    delivery: (sample) => write([sample]),
    bulk: [{ name: 'remote write', request: write }],
    history: promHistory({}),
    stored: () => promValue(url, 'sum(count_over_time(m[1h]))'),
    latest: () => promValues(url, 'last_over_time(m[1h])'),
  }
}

function write(samples: readonly Sample[]): Request {
  return { method: 'POST', path: '/api/v1/write', headers: HEADERS, body: writeRequest(samples) }
}

/** OpenMetrics text, which wants the samples of a series together. */
async function writeHistory(path: string, series: readonly Series[]): Promise<void> {
  const writer = Bun.file(path).writer()
  await writer.write('# TYPE m gauge\n')
  for (const { job, at, values } of series) {
    await writer.write(
      at.map((instant, index) => `m{job="${job}"} ${values[index]} ${instant / 1000}\n`).join(''),
    )
  }
  await writer.write('# EOF\n')
  await writer.end()
}
