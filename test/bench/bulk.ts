import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { COLLECTOR, writeInstallation } from './installation.ts'
import { machine, residentBytesOf, tableOf } from './measure.ts'
import { requireTools, wrk } from './wrk.ts'

/**
 * Samples a second and CPU for each, in bulk: as single deliveries, as series and as rounds, durable, with a limit on each value and
 * with the flushes that follow, against the same server answering an empty POST. Server and load each on a core of their
 * own. Needs wrk 4.1 and taskset.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '16' },
    sizes: { type: 'string', default: '10,100,1000' },
    forms: { type: 'string', default: 'series,rounds,deliveries' },
  },
})

const SERVER_CORE = '0'
const WARM_UP_S = 2
/** Series begin so long ago, and each run so much later than the one before it. */
const BEGIN_S = 28 * 86_400
const RUN_S = 150_000

type Bench = {
  readonly host: HostProcess
  readonly sessionId: string
  readonly ids: readonly number[]
  beginS: number
}

async function main(): Promise<void> {
  requireTools()
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const bench = await start(directory)
  try {
    process.stdout.write(
      `${machine()}\n${options.jobs} jobs, ${options.connections} connections, ${options.seconds} s each\n`,
    )
    const rows = [await load(bench, 'floor', 1)]
    // Series first: after deliveries of now their samples of the past would be late, which costs less.
    for (const form of options.forms.split(',')) {
      for (const size of options.sizes.split(',')) {
        await load(bench, form, Number(size), WARM_UP_S)
        rows.push(await load(bench, form, Number(size)))
      }
    }
    process.stdout.write(`\n${tableOf(rows)}\n`)
  } finally {
    bench.host.signal('SIGTERM')
    await bench.host.exited
    await rm(directory, { recursive: true })
  }
}

async function start(directory: string): Promise<Bench> {
  const ids = await writeInstallation(join(directory, 'data'), {
    count: Number(options.jobs),
    timeout: 'PT12H',
    isBlank: true,
  })
  const command = ['taskset', '-c', SERVER_CORE, ...AS_SERVICE, `${import.meta.dir}/host.ts`, 'floor']
  const host = await startProcess({ command, dataDir: join(directory, 'data'), environment: {} })
  const login = await fetch(`${host.url}/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(COLLECTOR),
  })
  const { sessionId } = (await login.json()) as { sessionId: string }
  return { host, sessionId, ids, beginS: Math.floor(Date.now() / 1000) - BEGIN_S }
}

async function load(bench: Bench, form: string, size: number, seconds = Number(options.seconds)) {
  const { host, sessionId, ids } = bench
  bench.beginS += RUN_S
  const args = [form, String(ids[0]), String(ids.length), sessionId, String(size), String(bench.beginS)]
  const { url, pid } = host
  const connections = Number(options.connections)
  const script = [`${import.meta.dir}/bulk.lua`, ...args] as const
  const sent = await wrk({ url, pid, connections, seconds, script })
  const samples = Math.max(1, sent.good * size)
  return {
    form,
    'values a request': size,
    'samples per second': Math.round(sent.perSecond * size),
    'CPU µs a sample': ((sent.cpuSeconds * 1e6) / samples).toFixed(2),
    'p50 ms': sent.p50Ms.toFixed(2),
    'p99 ms': sent.p99Ms.toFixed(2),
    'server, cores': (sent.cpuSeconds / seconds).toFixed(2),
    'RSS MiB': Math.round((await residentBytesOf(host.pid)) / 1024 / 1024),
    failed: sent.failed,
    'others, cores': sent.othersCores.toFixed(2),
  }
}

await main()
