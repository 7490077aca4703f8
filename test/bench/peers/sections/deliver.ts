import type { Bench } from '../bench.ts'
import { checkStored, medianOf } from '../bench.ts'
import { CONNECTIONS, enter, loadOnce } from '../contestant.ts'
import type { Contestant } from '../contestant.ts'
import type { Load } from '../replay.ts'
import { cell } from '../table.ts'
import type { Cell, Part } from '../table.ts'
import { floor } from '../tidemark.ts'

/** Of many senders, as an installation has them. */
const CROWD_CONNECTIONS = 256

/** Single values, each acknowledged on its own, all servers in turn, round after round; then the same from a crowd. */
export async function deliver(bench: Bench): Promise<Part> {
  const { jobs } = bench.wishes
  const contestants: Contestant[] = []
  for (const peer of [floor, ...bench.wishes.peers]) {
    const contestant = await bench.attempt(`deliver, ${peer.name}`, () => enter(bench, peer, jobs))
    if (contestant) contestants.push(contestant)
  }
  await loadInTurn(bench, 'deliver', contestants)
  const crowded = contestants.map((one) => ({
    ...one,
    replay: { ...one.replay, connections: CROWD_CONNECTIONS },
    loads: [],
  }))
  await loadInTurn(bench, 'deliver from a crowd', crowded)
  for (const { peer, running, acknowledged } of crowded) {
    if (peer === floor) continue
    await bench.attempt(`deliver, ${peer.name}: reading back`, () =>
      checkStored(peer, running, { acknowledged, jobs }),
    )
  }
  return partOf(bench, contestants, crowded)
}

async function loadInTurn(bench: Bench, what: string, contestants: readonly Contestant[]): Promise<void> {
  for (let round = 0; round < bench.wishes.rounds; round++) {
    for (const one of contestants) {
      const name = `${what}, ${one.peer.name}`
      await bench.attempt(name, () => loadOnce(bench, name, one))
    }
  }
}

function partOf({ wishes }: Bench, contestants: readonly Contestant[], crowded: readonly Contestant[]): Part {
  const row = (pick: (load: Load) => number, digits: number, of = contestants): ReadonlyMap<string, Cell> =>
    new Map(
      of
        .filter(({ peer, loads }) => peer !== floor && loads.length > 0)
        .map(({ peer, loads }) => [peer.name, cell(medianOf(loads, pick), digits)]),
    )
  const rateOf = (wanted: string) =>
    medianOf(contestants.find(({ peer }) => peer.name === wanted)?.loads ?? [], (load) => load.perSecond)
  const [ours, empty] = [rateOf('Tidemark'), rateOf(floor.name)]
  const isWhole = ours > 0 && empty > 0
  return {
    title: 'Single deliveries',
    explained:
      `one value a request, ${wishes.jobs.toLocaleString('en')} jobs, ${CONNECTIONS} connections, closed loop. ` +
      'Tidemark and InfluxDB answer once the value is on stable storage, Prometheus once it is written and not ' +
      'flushed, the others well before. Pushgateway gets slower with each job it has heard of, and hears of a part ' +
      'of them only.',
    rows: [
      {
        measure: 'deliveries a second',
        better: 'more',
        cells: row((load) => load.perSecond, 0),
        bar: { is: 'ratio', atLeast: 1 },
      },
      {
        measure: 'an empty POST to the same server, a second',
        better: 'more',
        cells: new Map(isWhole ? [['Tidemark', cell(empty, 0)]] : []),
      },
      {
        measure: 'deliveries as a share of that',
        better: 'more',
        cells: new Map(isWhole ? [['Tidemark', cell(ours / empty, 2)]] : []),
        bar: { is: 'value', atLeast: 0.6 },
      },
      { measure: 'CPU µs a delivery', better: 'less', cells: row((load) => load.cpuUs, 1) },
      { measure: 'p50 ms', better: 'less', cells: row((load) => load.p50Ms, 2) },
      { measure: 'p99 ms', better: 'less', cells: row((load) => load.p99Ms, 2) },
      {
        measure: `deliveries a second, ${CROWD_CONNECTIONS} connections`,
        better: 'more',
        cells: row((load) => load.perSecond, 0, crowded),
      },
      {
        measure: `p99 ms, ${CROWD_CONNECTIONS} connections`,
        better: 'less',
        cells: row((load) => load.p99Ms, 2, crowded),
      },
    ],
  }
}
