import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { machine } from './measure.ts'
import { Bench } from './peers/bench.ts'
import { icinga } from './peers/icinga.ts'
import { influx } from './peers/influx.ts'
import { install, missingPackages, versionsOf } from './peers/install.ts'
import { prometheus } from './peers/prometheus.ts'
import { pushgateway } from './peers/pushgateway.ts'
import { bulk } from './peers/sections/bulk.ts'
import { deliver } from './peers/sections/deliver.ts'
import { flat } from './peers/sections/flat.ts'
import { read } from './peers/sections/read.ts'
import { size } from './peers/sections/size.ts'
import { survive } from './peers/sections/survive.ts'
import { markdownOf } from './peers/table.ts'
import type { Part } from './peers/table.ts'
import { tidemark } from './peers/tidemark.ts'
import { victoria } from './peers/victoria.ts'

/**
 * Tidemark side by side with what else Debian has for the same job, in one run, as one Markdown table. Servers run on
 * one core and the load on another; each is signed in to; what each acknowledges is read back from it. A load beside
 * which others took a part of the machine is repeated, `--tries` times at most.
 *
 *   npm run bench:peers                          every section, some forty minutes
 *   npm run bench:peers -- deliver read          these sections only
 *   npm run bench:peers -- --install             installs what is missing first (as root)
 *   npm run bench:peers -- --peers victoria-metrics,influxdb --rounds 1 --seconds 1 --jobs 1000 --out table.md
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peers: {
      type: 'string',
      default: 'victoria-metrics,prometheus,influxdb,prometheus-pushgateway,icinga2-bin',
    },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '10000' },
    tries: { type: 'string', default: '3' },
    out: { type: 'string', default: 'data/bench/peers.md' },
    install: { type: 'boolean', default: false },
  },
})

const SECTIONS: Readonly<Record<string, (bench: Bench) => Promise<Part>>> = {
  deliver,
  bulk,
  size,
  read,
  survive,
  flat,
}
const PEERS = [victoria, prometheus, influx, pushgateway, icinga]

async function main(): Promise<void> {
  const sections = (positionals.length > 0 ? positionals : Object.keys(SECTIONS)).map((name) => ({
    name,
    measure: chosen(SECTIONS[name], name, Object.keys(SECTIONS)),
  }))
  const peers = options.peers.split(',').map((name) => {
    const found = PEERS.find(({ debian }) => debian?.package === name)
    return chosen(
      found,
      name,
      PEERS.map(({ debian }) => debian?.package ?? ''),
    )
  })
  await prepare(peers)
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const bench = new Bench({
    peers: [tidemark, ...peers],
    directory,
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    jobs: Number(options.jobs),
    triesMax: Number(options.tries),
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopEarly(bench))
  const parts: Part[] = []
  try {
    for (const { name, measure } of sections) {
      const part = await bench.attempt(name, () => measure(bench))
      if (part) parts.push(part)
      await bench.stopAll()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  const text = `${await headOf(bench, peers)}\n\n${markdownOf(
    parts,
    peers.map(({ name }) => name),
  )}`
  await mkdir(dirname(resolve(options.out)), { recursive: true })
  await Bun.write(options.out, text)
  process.stdout.write(text)
  bench.say(`written to ${options.out}`)
  if (bench.hasFailed) process.exitCode = 1
}

/** Nothing that was started stays behind. */
function stopEarly(bench: Bench): void {
  bench
    .stopAll()
    .then(() => rm(bench.wishes.directory, { recursive: true, force: true }))
    .then(
      () => process.exit(130),
      () => process.exit(1),
    )
}

function chosen<Thing>(found: Thing | undefined, name: string, all: readonly string[]): Thing {
  if (found === undefined) throw new RangeError(`There is no ${name}; there are ${all.join(', ')}.`)
  return found
}

/** @throws {RangeError} when something is missing and nobody said that it may be installed */
async function prepare(peers: typeof PEERS): Promise<void> {
  const missing = missingPackages(peers)
  if (missing.length === 0) return
  if (!options.install) {
    throw new RangeError(
      `Missing: apt-get install ${missing.join(' ')}; or run this with --install, which also stops what Debian starts.`,
    )
  }
  await install(missing)
}

async function headOf(bench: Bench, peers: typeof PEERS): Promise<string> {
  const { rounds, seconds } = bench.wishes
  return [
    `${machine()}. ${await versionsOf(peers)}.`,
    `Medians, in bulk means, of ${rounds} rounds of ${seconds} s; others took ${bench.othersCores.toFixed(2)} cores at most.`,
    ...bench.remarks.map((remark) => `${remark}`),
  ].join('\n\n')
}

await main()
