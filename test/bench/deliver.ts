import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { LIMITS, READER } from './installation.ts'
import type { Limit } from './installation.ts'
import { load, start } from './load.ts'
import type { Run, Variant } from './load.ts'
import { machine, median, tableOf } from './measure.ts'
import { requireTools } from './wrk.ts'

/**
 * Durable deliveries of one value a second over HTTP, through session, validation and thresholds, against the same
 * server answering an empty POST, and the same without its journal: in turn within one run, server and load each on
 * a core of their own. Needs wrk 4.1 and taskset.
 *
 * With `--limits inFuture,adaptive`: the whole twice, and with one more limit of each kind on the value, which is within it.
 * Each round has all of them, and the ratios are medians of the rounds: others on the machine slow all of a round. The
 * whole beside itself shows the noise.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '64,256' },
    only: { type: 'string', default: 'floor,no-journal,whole' },
    limits: { type: 'string' },
  },
})

/** A run beside which others took more of the machine than this, in cores, says nothing; it is done again. */
const OTHERS_MAX = 0.12
const TRIES_MAX = 20
/** Until the compiler has seen everything. */
const WARM_UP_S = 4
const WHOLE = 'whole'

async function main(): Promise<void> {
  requireTools()
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const variants: Variant[] = []
  try {
    const jobs = Number(options.jobs)
    for (const { label, name, limit } of wantedVariants())
      variants.push({ ...(await start({ name, jobs, limit }, join(directory, label))), name: label })
    process.stdout.write(
      `${machine()}\n${options.jobs} jobs, ${options.rounds} rounds of ${options.seconds} s, medians\n`,
    )
    const measure = options.limits === undefined ? compare : compareLimits
    for (const connections of options.connections.split(',')) await measure(variants, Number(connections))
  } finally {
    for (const { host } of variants) {
      host.signal('SIGTERM')
      await host.exited
    }
    await rm(directory, { recursive: true })
  }
}

type WantedVariant = { readonly label: string; readonly name: string; readonly limit?: Limit }

function wantedVariants(): readonly WantedVariant[] {
  if (options.limits === undefined) return options.only.split(',').map((name) => ({ label: name, name }))
  const limits = options.limits.split(',').map((limit) => {
    if (Object.hasOwn(LIMITS, limit)) return limit as Limit
    throw new RangeError(`There is no limit ${limit}; there are ${Object.keys(LIMITS).join(', ')}.`)
  })
  const whole = [WHOLE, `${WHOLE} again`].map((label) => ({ label, name: WHOLE }))
  return [...whole, ...limits.map((limit) => ({ label: limit, name: WHOLE, limit }))]
}

/** @throws {Error} if a limit that looks ahead or adapts is unknown, and so compares nothing */
async function requireKnown({ name, host, ids }: Variant): Promise<void> {
  if (name.startsWith(WHOLE)) return
  const headers = { 'content-type': 'application/json' }
  const login = { method: 'POST', headers, body: JSON.stringify(READER) }
  const { sessionId } = (await (await fetch(`${host.url}/session/login`, login)).json()) as {
    sessionId: string
  }
  const asked = await fetch(`${host.url}/jobs/${ids[0]}?thresholds=true`, {
    headers: { 'x-session-id': sessionId },
  })
  const { bands, predictions } = (await asked.json()) as Record<string, readonly { unknown: unknown }[]>
  const shown = [...(bands ?? []), ...(predictions ?? [])]
  if (shown.length !== 1 || shown[0]?.unknown !== null)
    throw new Error(`The limit ${name} is unknown: ${JSON.stringify(shown)}`)
}

/** Each round begins with another variant. */
async function compareLimits(variants: readonly Variant[], connections: number): Promise<void> {
  for (const variant of variants) {
    await load(variant, connections, WARM_UP_S)
    await requireKnown(variant)
  }
  const rounds: Record<string, Run>[] = []
  for (let round = 0; round < Number(options.rounds); round++) {
    const runs: Record<string, Run> = {}
    const order = [...variants]
    order.push(...order.splice(0, round % order.length))
    for (const variant of order)
      runs[variant.name] = await load(variant, connections, Number(options.seconds))
    rounds.push(runs)
  }
  const rows = variants.map(({ name }) => {
    const all = rounds.flatMap((runs) => runs[name] ?? [])
    const toWhole = (pick: (run: Run) => number) =>
      median(rounds.map((runs) => pick(runs[name] as Run) / pick(runs[WHOLE] as Run))).toFixed(3)
    return {
      [`${connections} connections`]: name,
      'per second': Math.round(median(all.map(({ perSecond }) => perSecond))),
      'CPU µs each': median(all.map(({ cpuUs }) => cpuUs)).toFixed(1),
      'rate of whole': toWhole(({ perSecond }) => perSecond),
      'CPU of whole': toWhole(({ cpuUs }) => cpuUs),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      'others, cores': median(all.map(({ othersCores }) => othersCores)).toFixed(2),
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

async function compare(variants: readonly Variant[], connections: number): Promise<void> {
  const runs = new Map<string, Run[]>(variants.map(({ name }) => [name, []]))
  for (const variant of variants) await load(variant, connections, WARM_UP_S)
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const variant of variants) runs.get(variant.name)?.push(await loadInPeace(variant, connections))
  }
  const floor = median(runs.get('floor')?.map(({ perSecond }) => perSecond) ?? [])
  const rows = [...runs].map(([name, all]) => {
    const of = (pick: (run: Run) => number) => median(all.map(pick))
    const perSecond = of((run) => run.perSecond)
    return {
      [`${connections} connections`]: name,
      'per second': Math.round(perSecond),
      'of floor': floor === 0 ? '' : `${Math.round((100 * perSecond) / floor)} %`,
      'CPU µs each': of((run) => run.cpuUs).toFixed(1),
      'p50 ms': of((run) => run.p50Ms).toFixed(2),
      'p99 ms': of((run) => run.p99Ms).toFixed(2),
      'RSS MiB': Math.round(of((run) => run.residentBytes) / 1024 / 1024),
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      'others, cores': of((run) => run.othersCores).toFixed(2),
    }
  })
  process.stdout.write(`\n${tableOf(rows)}\n`)
}

/** The load beside which others took least of the machine, once that is little. */
async function loadInPeace(variant: Variant, connections: number): Promise<Run> {
  let best = await load(variant, connections, Number(options.seconds))
  for (let tried = 1; best.othersCores > OTHERS_MAX && tried < TRIES_MAX; tried++) {
    const again = await load(variant, connections, Number(options.seconds))
    if (again.othersCores < best.othersCores) best = again
  }
  return best
}

await main()
