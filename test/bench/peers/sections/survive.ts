import type { Bench } from '../bench.ts'
import type { Peer, Running } from '../peer.ts'
import { send } from '../requests.ts'
import { cell } from '../table.ts'
import type { Cell, Part } from '../table.ts'

const TRIES = 5
const JOBS = 1_000
/** A try delivers for this long at most, one value to each job. */
const DELIVERING_MS = 1_000

type Tally = { acknowledged: number; lost: number }

/** Kills each server right after an acknowledgement, and counts what is there once it has started again. */
export async function survive(bench: Bench): Promise<Part> {
  const cells = new Map<string, Cell>()
  for (const peer of bench.wishes.peers) {
    const tally: Tally = { acknowledged: 0, lost: 0 }
    const done = await bench.attempt(`survive, ${peer.name}`, async () => {
      for (let round = 0; round < TRIES; round++) await tryOnce(bench, peer, { round, tally })
      return tally
    })
    if (!done) continue
    const { acknowledged, lost } = done
    bench.say(`survive, ${peer.name}: ${lost} of ${acknowledged} lost`)
    const text = `${cell(lost, 0).text} of ${cell(acknowledged, 0).text}`
    cells.set(peer.name, { value: lost / acknowledged, text })
  }
  return {
    title: 'What survives kill -9',
    explained:
      `${TRIES} tries: up to ${JOBS.toLocaleString('en')} values one after the other, each to another job, then ` +
      'SIGKILL right after the last acknowledgement. A server that writes every few seconds loses it all when it is ' +
      'younger than that.',
    rows: [
      {
        measure: 'acknowledged values that are lost',
        better: 'less',
        cells,
        bar: { is: 'value', atMost: 0 },
      },
    ],
  }
}

async function tryOnce(
  bench: Bench,
  peer: Peer,
  { round, tally }: { round: number; tally: Tally },
): Promise<void> {
  const place = await bench.place(JOBS)
  const first = bench.keep(await peer.start(place))
  const acknowledged = new Map<number, number>()
  try {
    await deliverFor(first, round, acknowledged)
  } finally {
    await bench.stop(first)
  }
  const second = bench.keep(await peer.start(place))
  try {
    const found = await second.latest()
    for (const [job, value] of acknowledged) {
      tally.acknowledged++
      if (found.get(job) !== value) tally.lost++
    }
  } finally {
    await bench.remove(second, place)
  }
}

async function deliverFor(running: Running, round: number, acknowledged: Map<number, number>): Promise<void> {
  const until = performance.now() + DELIVERING_MS
  for (let job = 1; job <= JOBS && performance.now() < until; job++) {
    const value = job + (round + 1) / 8
    await send(running, running.delivery({ job, at: null, value }))
    acknowledged.set(job, value)
  }
}
