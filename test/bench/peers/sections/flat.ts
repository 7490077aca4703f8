import { cpuSecondsOfFamily } from '../../measure.ts'
import type { Bench } from '../bench.ts'
import { CONNECTIONS, enter, loadOnce } from '../contestant.ts'
import type { Contestant } from '../contestant.ts'
import type { Peer } from '../peer.ts'
import { cell } from '../table.ts'
import type { Cell, Part } from '../table.ts'

const JOBS = [100, 1_000, 10_000, 100_000] as const
/** What a server does with deliveries every ten seconds or so is to be in each load. */
const TIMES_AS_LONG = 4
const ROUNDS_MAX = 2

/** CPU µs of a delivery, with all that a server does with it later. */
type Cost = { readonly jobs: number; readonly cpuUs: number }

/** The cost of a delivery beside few and many jobs. */
export async function flat(bench: Bench): Promise<Part> {
  const costs = new Map<number, Map<string, Cell>>(JOBS.map((jobs) => [jobs, new Map()]))
  for (const peer of bench.wishes.peers) {
    const measured = await bench.attempt(`flat, ${peer.name}`, () => costsOf(bench, peer))
    for (const { jobs, cpuUs } of measured ?? []) costs.get(jobs)?.set(peer.name, cell(cpuUs, 1))
  }
  const rows = [...costs].map(([jobs, cells]) => ({
    measure: `CPU µs a delivery, ${jobs.toLocaleString('en')} jobs`,
    better: 'less' as const,
    cells,
  }))
  return {
    title: 'More jobs',
    explained:
      `single values as above, ${CONNECTIONS} connections; every job is known before, and a load of the same length went ` +
      'before those that count. Pushgateway would need most of a minute to hear of 10,000.',
    rows: [
      ...rows,
      {
        measure: 'furthest from the mean of these, %',
        better: 'less',
        cells: spreads(bench.wishes.peers, [...costs.values()]),
        bar: { is: 'value', atMost: 20 },
      },
    ],
  }
}

/** Every number of jobs in turn, round after round: what the machine gives differs from minute to minute. */
async function costsOf(bench: Bench, peer: Peer): Promise<readonly Cost[]> {
  const contestants: Contestant[] = []
  try {
    for (const jobs of JOBS) if (jobs <= peer.jobsMax) contestants.push(await enter(bench, peer, jobs))
    // What a server does for the first time with each of its jobs is not what a delivery costs.
    for (const one of contestants) await secondsOf(bench, one)
    const spent = contestants.map(() => 0)
    const before = contestants.map(({ acknowledged }) => acknowledged)
    for (let round = 0; round < Math.min(ROUNDS_MAX, bench.wishes.rounds); round++) {
      for (const [index, one] of contestants.entries())
        spent[index] = (spent[index] ?? 0) + (await secondsOf(bench, one))
    }
    return contestants.map(({ place, acknowledged }, index) => ({
      jobs: place.jobs,
      cpuUs: (1e6 * (spent[index] ?? 0)) / (acknowledged - (before[index] ?? 0)),
    }))
  } finally {
    for (const { running, place } of contestants) await bench.remove(running, place)
  }
}

/** CPU of one load, until the server is done with it. */
async function secondsOf(bench: Bench, one: Contestant): Promise<number> {
  const { pid } = one.running
  const before = await cpuSecondsOfFamily(pid)
  const name = `flat, ${one.place.jobs} jobs, ${one.peer.name}`
  await loadOnce(bench, name, one, TIMES_AS_LONG * bench.wishes.seconds)
  return (await cpuSecondsOfFamily(pid)) - before
}

/** For those who were measured beside every number of jobs. */
function spreads(
  peers: readonly Peer[],
  costs: readonly ReadonlyMap<string, Cell>[],
): ReadonlyMap<string, Cell> {
  return new Map(
    peers.flatMap(({ name }) => {
      const values = costs.flatMap((cells) => cells.get(name)?.value ?? [])
      if (values.length < costs.length) return []
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const furthest = Math.max(...values.map((value) => Math.abs(value - mean)))
      return [[name, cell((100 * furthest) / mean, 0)] as const]
    }),
  )
}
