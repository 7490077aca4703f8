import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { BASIC, COLLECTOR_NAME, PASSWORD } from './peer.ts'
import type { Peer, Place, Running } from './peer.ts'
import { freePort, launch, run } from './process.ts'
import { latestOf } from './promql.ts'
import { send } from './requests.ts'

/** Not in everybody's path. */
const PROGRAM = '/usr/sbin/icinga2'
const HEADERS = { ...BASIC, accept: 'application/json', 'content-type': 'application/json' }
const FOLDERS = { DataDir: 'data', LogDir: 'log.d', CacheDir: 'cache', SpoolDir: 'spool', InitRunDir: 'run' }

/** Icinga 2: passive check results over its API, the latest of each service; TLS, as it has nothing else. */
export const icinga: Peer = {
  name: 'Icinga 2',
  debian: { package: 'icinga2-bin', program: PROGRAM },
  keeps: 'latest',
  jobsMax: Infinity,
  start,
  fill: null,
}

async function start(place: Place): Promise<Running> {
  const { directory } = place
  const port = freePort()
  const url = `https://127.0.0.1:${port}`
  await prepare(place, port)
  const launched = await launch({
    place,
    command: [
      PROGRAM,
      'daemon',
      '-c',
      join(directory, 'icinga2.conf'),
      ...Object.entries(FOLDERS).map(([name, folder]) => `-D${name}=${join(directory, folder)}`),
    ],
    environment: await userNow(),
    isReady: async () => (await send({ url }, get('/v1/status/IcingaApplication'))) !== '',
  })
  const latest = async () => {
    const text = await send({ url }, get('/v1/objects/services?attrs=name&attrs=last_check_result'))
    const { results } = JSON.parse(text) as { results: Service[] }
    return latestOf(
      results.flatMap(({ attrs }) => {
        const value = attrs.last_check_result?.performance_data?.[0]?.split('=')[1]
        return value === undefined ? [] : [[attrs.name.slice(1), value] as const]
      }),
    )
  }
  return {
    url,
    ...launched,
    delivery: ({ job, value }) => ({
      method: 'POST',
      path: '/v1/actions/process-check-result',
      headers: HEADERS,
      body: JSON.stringify({
        type: 'Service',
        service: `h!s${job}`,
        exit_status: 0,
        plugin_output: 'ok',
        performance_data: [`v=${value}`],
      }),
    }),
    bulk: [],
    history: null,
    stored: async () => (await latest()).size,
    latest,
  }
}

type Service = {
  readonly attrs: {
    readonly name: string
    readonly last_check_result: { readonly performance_data: readonly string[] | null } | null
  }
}

function get(path: string) {
  return { method: 'GET', path, headers: HEADERS, body: '' } as const
}

/** It becomes somebody else unless it is told to stay who it is. */
async function userNow(): Promise<Readonly<Record<string, string>>> {
  const [user, group] = await Promise.all([run(['id', '-un']), run(['id', '-gn'])])
  return { ICINGA2_USER: user.trim(), ICINGA2_GROUP: group.trim() }
}

async function prepare({ directory, jobs }: Place, port: number): Promise<void> {
  const certificates = join(directory, 'data/certs')
  for (const folder of Object.values(FOLDERS)) await mkdir(join(directory, folder), { recursive: true })
  await mkdir(join(directory, 'spool/perfdata'), { recursive: true })
  await mkdir(certificates, { recursive: true })
  const [key, certificate] = [join(certificates, 'bench.key'), join(certificates, 'bench.crt')]
  if (!(await Bun.file(certificate).exists())) {
    await run(
      [PROGRAM, 'pki', 'new-cert', '--cn', 'bench', '--key', key, '--cert', certificate],
      await userNow(),
    )
    await Bun.write(join(certificates, 'ca.crt'), Bun.file(certificate))
  }
  await Bun.write(join(directory, 'icinga2.conf'), configuration(directory, port, jobs))
}

function configuration(directory: string, port: number, jobs: number): string {
  return `const NodeName = "bench"
const ZoneName = "bench"
const TicketSalt = ""
include <itl>
object Endpoint "bench" {}
object Zone "bench" { endpoints = [ "bench" ] }
object FileLogger "file" { severity = "warning"; path = "${directory}/log.d/icinga2.log" }
object ApiListener "api" { bind_host = "127.0.0.1"; bind_port = ${port} }
object ApiUser "${COLLECTOR_NAME}" { password = "${PASSWORD}"; permissions = [ "*" ] }
object CheckerComponent "checker" {}
object Host "h" { check_command = "dummy"; enable_active_checks = false }
for (i in range(1, ${jobs + 1})) {
  object Service "s" + i use(i) {
    host_name = "h"
    check_command = "dummy"
    max_check_attempts = 1
    enable_active_checks = false
  }
}
`
}
