import type { Bench } from '../bench.ts'
import { medianOf } from '../bench.ts'
import type { Peer } from '../peer.ts'
import { replay, writeRequests } from '../replay.ts'
import type { Load } from '../replay.ts'
import { deliveries } from '../samples.ts'
import { cell } from '../table.ts'
import type { Cell, Part } from '../table.ts'

const JOBS = [100, 1_000, 10_000, 100_000] as const
const CONNECTIONS = 64
const WARM_UP_S = 2
const ROUNDS_MAX = 2
const SECONDS_MAX = 2

/** The cost of a delivery beside few and many jobs. */
export async function flat(bench: Bench): Promise<Part> {
  const costs = new Map<number, Map<string, Cell>>(JOBS.map((jobs) => [jobs, new Map()]))
  for (const jobs of JOBS) {
    for (const peer of bench.wishes.peers) {
      if (jobs > peer.jobsMax) continue
      const cost = await bench.attempt(`flat, ${jobs} jobs, ${peer.name}`, () => costOf(bench, peer, jobs))
      if (cost !== null) costs.get(jobs)?.set(peer.name, cell(cost, 1))
    }
  }
  const rows = [...costs].map(([jobs, cells]) => ({
    measure: `CPU µs a delivery, ${jobs.toLocaleString('en')} jobs`,
    better: 'less' as const,
    cells,
  }))
  return {
    title: 'More jobs',
    explained:
      `single values as above, ${CONNECTIONS} connections; every job is known before. Pushgateway would need most of ` +
      'a minute to hear of 10,000.',
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

async function costOf(bench: Bench, peer: Peer, jobs: number): Promise<number> {
  const loads: Load[] = []
  await bench.withServer(peer, jobs, async (running, { directory }) => {
    const requests = deliveries(jobs, 1).flatMap((samples) =>
      samples.map((sample) => running.delivery(sample)),
    )
    const path = await writeRequests(directory, requests)
    const of = { running, path, connections: CONNECTIONS, sent: 0 }
    await replay(of, WARM_UP_S)
    for (let round = 0; round < Math.min(ROUNDS_MAX, bench.wishes.rounds); round++) {
      const seconds = Math.min(SECONDS_MAX, bench.wishes.seconds)
      const [best] = await bench.load(`flat, ${jobs} jobs, ${peer.name}`, of, seconds)
      if (best) loads.push(best)
    }
  })
  return medianOf(loads, (load) => load.cpuUs)
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
