import { residentBytesOf } from '../../measure.ts'
import type { Bench } from '../bench.ts'
import { DAY_MS, MINUTE_MS } from '../peer.ts'
import type { Peer } from '../peer.ts'
import { settled } from '../replay.ts'
import { inLanes, send } from '../requests.ts'
import { seriesOf } from '../samples.ts'
import type { Shape } from '../samples.ts'
import { cell } from '../table.ts'
import type { Cell, Part, Row } from '../table.ts'

const EXTENTS = [
  { jobs: 10_000, samples: 100 },
  { jobs: 100, samples: 10_000 },
] as const
const SHAPES: readonly Shape[] = ['gauge', 'counter', 'constant']
const JITTERS_MS = [0, 1_000] as const
/** Long enough ago for everything to go cold. */
const AGE_MS = 60 * DAY_MS
/** How many servers are filled at once: nothing here is a matter of time. */
const LANES = 6
const MEMORY = { jobs: 1_000, samples: 1_000, apartMs: 1_000 } as const

type Extent = (typeof EXTENTS)[number]
type Kind = { readonly extent: Extent; readonly shape: Shape; readonly jitterMs: number }

/** What a million samples take: on the disk once everything is packed, and in memory while they come in. */
export async function size(bench: Bench): Promise<Part> {
  const measured = kinds().map((kind) => ({ kind, cells: new Map<string, Cell>() }))
  const fillings = measured.flatMap(({ kind, cells }) =>
    bench.wishes.peers.map((peer) => async () => {
      const each = await bench.attempt(`size, ${nameOf(kind)}, ${peer.name}`, () =>
        bytesOf(bench, peer, kind),
      )
      if (each === null) return
      bench.say(`size, ${nameOf(kind)}, ${peer.name}: ${each.toFixed(2)} bytes a sample`)
      cells.set(peer.name, cell(each, 2))
    }),
  )
  await inLanes(fillings, LANES, (fill) => fill())
  const rows: Row[] = measured.map(({ kind, cells }) => ({
    measure: `bytes a sample, ${nameOf(kind)}`,
    better: 'less',
    cells,
    bar: { is: 'ratio', atMost: 1 },
  }))
  rows.push(await memoryRow(bench))
  return {
    title: 'Size',
    explained:
      'a sample a minute, with up to 1 s of jitter or none: a gauge with two decimals (a daily wave and noise), a ' +
      'counter, a constant. Bytes on the disk once everything is packed, without write-ahead logs and free pages. ' +
      'Memory: by how much the resident memory of a new server has grown when it has just taken a million values of ' +
      `${MEMORY.jobs.toLocaleString('en')} jobs in bulk.`,
    rows,
  }
}

function kinds(): readonly Kind[] {
  return EXTENTS.flatMap((extent) =>
    SHAPES.flatMap((shape) => JITTERS_MS.map((jitterMs) => ({ extent, shape, jitterMs }))),
  )
}

function nameOf({ extent, shape, jitterMs }: Kind): string {
  const { jobs, samples } = extent
  const regularity = jitterMs === 0 ? 'regular' : 'jittered'
  return `${jobs.toLocaleString('en')} × ${samples.toLocaleString('en')}, ${shape}, ${regularity}`
}

/** On the disk, for each sample; null where no history is kept. */
async function bytesOf(bench: Bench, peer: Peer, { extent, shape, jitterMs }: Kind): Promise<number | null> {
  if (!peer.fill) return null
  const { jobs, samples: count } = extent
  const beginAt = Math.floor((Date.now() - AGE_MS) / MINUTE_MS) * MINUTE_MS
  const series = Array.from({ length: jobs }, (_, index) =>
    seriesOf({ job: index + 1, count, beginAt, jitterMs, shape }),
  )
  const place = await bench.place(jobs, null)
  const { running, bytes } = await peer.fill(place, series)
  await bench.remove(bench.keep(running), place)
  return bytes / (jobs * count)
}

async function memoryRow(bench: Bench): Promise<Row> {
  const cells = new Map<string, Cell>()
  for (const peer of bench.wishes.peers) {
    const growth = await bench.attempt(`memory, ${peer.name}`, () => memoryOf(bench, peer))
    if (growth === null) continue
    bench.say(`memory, ${peer.name}: ${Math.round(growth / 2 ** 20)} MiB`)
    cells.set(peer.name, cell(growth / 2 ** 20, 0))
  }
  return { measure: 'memory a million samples, MiB', better: 'less', cells }
}

/** By how much the resident memory grows with a million samples, in bytes; null where there is no bulk. */
async function memoryOf(bench: Bench, peer: Peer): Promise<number | null> {
  const place = await bench.place(MEMORY.jobs)
  const running = bench.keep(await peer.start(place))
  try {
    const [form] = running.bulk
    if (!form) return null
    await settled(running.pid)
    const before = await residentBytesOf(running.pid)
    const beginAt = Date.now() - MEMORY.samples * MEMORY.apartMs
    for (let index = 0; index < MEMORY.samples; index++) {
      const at = beginAt + index * MEMORY.apartMs
      const samples = Array.from({ length: MEMORY.jobs }, (_, job) => ({
        job: job + 1,
        at,
        value: (job * index) % 1_000,
      }))
      await send(running, form.request(samples))
    }
    return (await residentBytesOf(running.pid)) - before
  } finally {
    await bench.remove(running, place)
  }
}
