import { join } from 'node:path'

import { BASIC, COLLECTOR_NAME, PASSWORD } from './peer.ts'
import type { Peer, Place, Running } from './peer.ts'
import { freePort, launch } from './process.ts'
import { latestOf } from './promql.ts'
import { send } from './requests.ts'

/** Pushgateway: the latest value of each job, written to a file every five minutes, as it is by default. */
export const pushgateway: Peer = {
  name: 'Pushgateway',
  debian: { package: 'prometheus-pushgateway', program: 'prometheus-pushgateway' },
  keeps: 'latest',
  // A push costs it more the more jobs it has: to hear of 10,000 takes it most of a minute.
  jobsMax: 1_000,
  start,
  fill: null,
}

async function start(place: Place): Promise<Running> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const hash = await Bun.password.hash(PASSWORD, { algorithm: 'bcrypt', cost: 4 })
  const webConfig = join(place.directory, 'web.yml')
  await Bun.write(webConfig, `basic_auth_users:\n  ${COLLECTOR_NAME}: ${hash}\n`)
  const launched = await launch({
    place,
    command: [
      'prometheus-pushgateway',
      `--web.listen-address=127.0.0.1:${port}`,
      `--web.config.file=${webConfig}`,
      `--persistence.file=${join(place.directory, 'pushed')}`,
      '--log.level=error',
    ],
    isReady: async () => (await fetch(`${url}/-/ready`, { headers: BASIC })).ok,
  })
  const latest = async () => {
    const text = await send({ url }, { method: 'GET', path: '/metrics', headers: BASIC, body: '' })
    const lines = text.matchAll(/^m\{[^}]*job="(?<job>\d+)"[^}]*\} (?<value>\S+)$/gm)
    return latestOf(lines.map(({ groups }) => [groups?.['job'] ?? '', groups?.['value']] as const))
  }
  return {
    url,
    ...launched,
    delivery: ({ job, value }) => ({
      method: 'POST',
      path: `/metrics/job/${job}`,
      headers: BASIC,
      body: `m ${value}\n`,
    }),
    bulk: [],
    history: null,
    stored: async () => (await latest()).size,
    latest,
  }
}
