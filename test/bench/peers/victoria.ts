import { join } from 'node:path'

import { BASIC, COLLECTOR_NAME, HOUR_MS, PASSWORD } from './peer.ts'
import type { Peer, Place, Request, Running, Sample } from './peer.ts'
import { bytesAtRest, freePort, launch } from './process.ts'
import { latestOf, promHistory, promValue } from './promql.ts'
import { send } from './requests.ts'
import { inOrderOfArrival } from './samples.ts'

const AT_ONCE = 10_000
/** What has arrived becomes a part after this, and then the merge of all parts begins. */
const FLUSH_MS = 1_500
const MERGE_MS = 2_000

/** VictoriaMetrics: values as lines of Prometheus's text format, its quickest way in. */
export const victoria: Peer = {
  name: 'VictoriaMetrics',
  debian: { package: 'victoria-metrics', program: 'victoria-metrics' },
  keeps: 'every',
  jobsMax: Infinity,
  start,
  async fill(place, series) {
    const running = await start(place)
    for (const samples of inOrderOfArrival(series, AT_ONCE)) await send(running, write(samples))
    await send(running, get('/internal/force_flush'))
    await Bun.sleep(FLUSH_MS)
    await send(running, get('/internal/force_merge'))
    await Bun.sleep(MERGE_MS)
    return { running, bytes: await bytesAtRest(join(place.directory, 'data')) }
  },
}

async function start(place: Place): Promise<Running> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const launched = await launch({
    place,
    command: [
      'victoria-metrics',
      `-storageDataPath=${join(place.directory, 'data')}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-retentionPeriod=10y',
      `-httpAuth.username=${COLLECTOR_NAME}`,
      `-httpAuth.password=${PASSWORD}`,
      '-search.latencyOffset=0s',
      '-search.disableCache',
      '-loggerLevel=ERROR',
    ],
    isReady: async () => (await fetch(`${url}/health`, { headers: BASIC })).ok,
  })
  return {
    url,
    ...launched,
    delivery: (sample) => write([sample]),
    bulk: [{ name: 'lines of text', request: write }],
    history: promHistory({ nocache: '1' }),
    async stored() {
      await send({ url }, get('/internal/force_flush'))
      return promValue(url, `sum(count_over_time(m[1h]))`)
    },
    async latest() {
      const query = new URLSearchParams({ 'match[]': 'm', start: String((Date.now() - HOUR_MS) / 1000) })
      const text = await send({ url }, get(`/api/v1/export?${query.toString()}`))
      const lines = text.split('\n').filter((line) => line !== '')
      return latestOf(
        lines.map((line) => {
          const { metric, values } = JSON.parse(line) as { metric: { job: string }; values: number[] }
          return [metric.job, values.at(-1)]
        }),
      )
    },
  }
}

function write(samples: readonly Sample[]): Request {
  const lines = samples.map(({ job, value, at }) => `m{job="${job}"} ${value}${at === null ? '' : ` ${at}`}`)
  return { method: 'POST', path: '/api/v1/import/prometheus', headers: BASIC, body: lines.join('\n') }
}

function get(path: string): Request {
  return { method: 'GET', path, headers: BASIC, body: '' }
}
