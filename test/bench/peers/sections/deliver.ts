import type { Bench } from '../bench.ts'
import { checkStored, introduce, medianOf } from '../bench.ts'
import type { Peer, Running } from '../peer.ts'
import { replay, writeRequests } from '../replay.ts'
import type { Load, Replay } from '../replay.ts'
import { deliveries } from '../samples.ts'
import { cell } from '../table.ts'
import type { Cell, Part } from '../table.ts'
import { floor } from '../tidemark.ts'

const CONNECTIONS = 64
/** Until a compiler has seen everything. */
const WARM_UP_S = 3

type Contestant = {
  readonly peer: Peer
  readonly running: Running
  readonly replay: Replay
  readonly loads: Load[]
  acknowledged: number
}

/** Single values, each acknowledged on its own, all servers in turn, round after round. */
export async function deliver(bench: Bench): Promise<Part> {
  const { jobs, rounds } = bench.wishes
  const contestants: Contestant[] = []
  for (const peer of [floor, ...bench.wishes.peers]) {
    const contestant = await bench.attempt(`deliver, ${peer.name}`, () => enter(bench, peer))
    if (contestant) contestants.push(contestant)
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of contestants)
      await bench.attempt(`deliver, ${one.peer.name}`, () => loadOnce(bench, one))
  }
  for (const { peer, running, acknowledged } of contestants) {
    if (peer === floor) continue
    await bench.attempt(`deliver, ${peer.name}: reading back`, () =>
      checkStored(peer, running, { acknowledged, jobs }),
    )
  }
  return partOf(bench, contestants)
}

async function enter(bench: Bench, peer: Peer): Promise<Contestant> {
  const { jobs } = bench.wishes
  const place = await bench.place(jobs)
  const running = bench.keep(await peer.start(place))
  const introduced = await introduce(peer, running, jobs)
  const path = await writeRequests(
    place.directory,
    deliveries(jobs, 1).map(([sample]) => running.delivery(sample ?? NOBODY)),
  )
  const of: Replay = { running, path, connections: CONNECTIONS, sent: 0 }
  const { acknowledged } = await replay(of, WARM_UP_S)
  return { peer, running, replay: of, loads: [], acknowledged: introduced + acknowledged }
}

const NOBODY = { job: 1, at: null, value: 0 }

async function loadOnce(bench: Bench, one: Contestant): Promise<void> {
  const loads = await bench.load(`deliver, ${one.peer.name}`, one.replay)
  one.acknowledged += loads.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  one.loads.push(...loads.slice(0, 1))
}

function partOf({ wishes }: Bench, contestants: readonly Contestant[]): Part {
  const measured = contestants.filter(({ loads }) => loads.length > 0)
  const row = (pick: (load: Load) => number, digits: number): ReadonlyMap<string, Cell> =>
    new Map(
      measured
        .filter(({ peer }) => peer !== floor)
        .map(({ peer, loads }) => [peer.name, cell(medianOf(loads, pick), digits)]),
    )
  const rateOf = (wanted: string) =>
    medianOf(measured.find(({ peer }) => peer.name === wanted)?.loads ?? [], (load) => load.perSecond)
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
    ],
  }
}
