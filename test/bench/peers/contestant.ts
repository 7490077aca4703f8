import type { Bench } from './bench.ts'
import { introduce } from './bench.ts'
import type { Peer, Place, Running } from './peer.ts'
import { replay, settled, writeRequests } from './replay.ts'
import type { Load, Replay } from './replay.ts'
import { deliveries } from './samples.ts'

export const CONNECTIONS = 64
/** Until a compiler has seen everything. */
export const WARM_UP_S = 8

/** A server that takes single values of so many jobs, and what its loads have shown. */
export type Contestant = {
  readonly peer: Peer
  readonly place: Place
  readonly running: Running
  readonly replay: Replay
  readonly loads: Load[]
  acknowledged: number
}

/** Starts a server, which hears of all its jobs and has warmed up then. */
export async function enter(bench: Bench, peer: Peer, jobs: number): Promise<Contestant> {
  const place = await bench.place(jobs)
  const running = bench.keep(await peer.start(place))
  const introduced = await introduce(peer, running, jobs)
  const path = await writeRequests(
    place.directory,
    deliveries(jobs, 1).map(([sample]) => running.delivery(sample ?? NOBODY)),
  )
  const of: Replay = { running, path, connections: CONNECTIONS, sent: 0 }
  const { acknowledged } = await replay(of, WARM_UP_S)
  return { peer, place, running, replay: of, loads: [], acknowledged: introduced + acknowledged }
}

const NOBODY = { job: 1, at: null, value: 0 }

/** Loads it once more, until it is done with that; of loads that were repeated in peace the best one counts. */
export async function loadOnce(
  bench: Bench,
  name: string,
  one: Contestant,
  seconds = bench.wishes.seconds,
): Promise<void> {
  const loads = await bench.load(name, one.replay, seconds)
  one.acknowledged += loads.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  one.loads.push(...loads.slice(0, 1))
  await settled(one.running.pid)
}
