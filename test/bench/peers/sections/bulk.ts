import type { Bench } from '../bench.ts'
import { checkStored, introduce, meanOf } from '../bench.ts'
import { WARM_UP_S } from '../contestant.ts'
import type { BulkForm, Peer, Running } from '../peer.ts'
import { replay, writeRequests } from '../replay.ts'
import type { Load, Replay } from '../replay.ts'
import { deliveries } from '../samples.ts'
import { cell } from '../table.ts'
import type { Cell, Part, Row } from '../table.ts'

const CONNECTIONS = 8
const SIZES = [10, 100, 1_000] as const
type Size = (typeof SIZES)[number]

/** A server that takes bulk in one form. */
type Contestant = {
  readonly peer: Peer
  readonly form: BulkForm
  readonly running: Running
  readonly directory: string
  acknowledged: number
}
type Loads = { readonly peer: Peer; readonly form: BulkForm; readonly size: Size; readonly loads: Load[] }

/** Many values a request, each of another job, all servers in turn, round after round. Each form has a server to itself:
 * none does the work that another has left. */
export async function bulk(bench: Bench): Promise<Part> {
  const contestants: Contestant[] = []
  const measured: Loads[] = []
  for (const peer of bench.wishes.peers) {
    await bench.attempt(`bulk, ${peer.name}`, async () => {
      const first = await enter(bench, peer)
      for (const index of first.running.bulk.keys()) {
        const one = index === 0 ? first : await enter(bench, peer)
        const form = one.running.bulk[index]
        if (form) contestants.push({ ...one, peer, form })
      }
    })
  }
  for (const size of SIZES) measured.push(...(await measure(bench, contestants, size)))
  for (const { peer, form, running, acknowledged } of contestants) {
    await bench.attempt(`bulk, ${peer.name} (${form.name}): reading back`, () =>
      checkStored(peer, running, { acknowledged, jobs: bench.wishes.jobs }),
    )
  }
  return partOf(bench, measured)
}

async function enter(bench: Bench, peer: Peer): Promise<Omit<Contestant, 'peer' | 'form'>> {
  const { jobs } = bench.wishes
  const place = await bench.place(jobs)
  const running = bench.keep(await peer.start(place))
  const acknowledged = await introduce(peer, running, jobs)
  return { running, directory: place.directory, acknowledged }
}

async function measure(
  bench: Bench,
  contestants: readonly Contestant[],
  size: Size,
): Promise<readonly Loads[]> {
  const entries = await Promise.all(contestants.map((contestant) => entryOf(bench, contestant, size)))
  for (const { contestant, name, replay: of } of entries) {
    await bench.attempt(name, async () => {
      const { acknowledged } = await replay(of, WARM_UP_S)
      contestant.acknowledged += size * acknowledged
    })
  }
  for (let round = 0; round < bench.wishes.rounds; round++) {
    for (const { contestant, name, replay: of, loads } of entries) {
      await bench.attempt(name, async () => {
        const all = await bench.load(name, of)
        contestant.acknowledged += all.reduce((sum, { acknowledged }) => sum + size * acknowledged, 0)
        loads.push(...all.slice(0, 1))
      })
    }
  }
  return entries.map(({ contestant: { peer, form }, loads }) => ({ peer, form, size, loads }))
}

async function entryOf(bench: Bench, contestant: Contestant, size: Size) {
  const { peer, form, running, directory } = contestant
  const path = await writeRequests(
    directory,
    deliveries(bench.wishes.jobs, size).map((samples) => form.request(samples)),
  )
  const name = `bulk of ${size}, ${peer.name} (${form.name})`
  const of: Replay = { running, path, connections: CONNECTIONS, sent: 0 }
  const loads: Load[] = []
  return { contestant, name, replay: of, loads }
}

function partOf({ wishes }: Bench, measured: readonly Loads[]): Part {
  const forms = Math.max(
    1,
    ...measured.map(({ peer, form }) => formsOf(measured, peer).indexOf(form.name) + 1),
  )
  const rows = SIZES.flatMap((size) =>
    Array.from({ length: forms }, (_, index) => index).flatMap((index) => rowsOf(measured, size, index)),
  )
  return {
    title: 'Bulk',
    explained:
      `each value of another of ${wishes.jobs.toLocaleString('en')} jobs, ${CONNECTIONS} connections, closed loop. ` +
      'To Tidemark in columns, and as a list of whole deliveries; to VictoriaMetrics and InfluxDB as lines of text, ' +
      'to Prometheus by remote write.',
    rows,
  }
}

/** A peer with one form shows it beside each form of another. */
function rowsOf(measured: readonly Loads[], size: Size, index: number): readonly Row[] {
  const chosen = measured.filter(({ peer, form, size: of, loads }) => {
    const forms = formsOf(measured, peer)
    return of === size && loads.length > 0 && forms[Math.min(index, forms.length - 1)] === form.name
  })
  // Not the median: what one load leaves to be merged or moved, another one has to do.
  const cells = (pick: (load: Load) => number, digits: number): ReadonlyMap<string, Cell> =>
    new Map(chosen.map(({ peer, loads }) => [peer.name, cell(meanOf(loads, pick), digits)]))
  const ours = measured.flatMap(({ peer, form }) => (peer.debian === null ? [form.name] : []))
  const name = [...new Set(ours)][index]
  const how = `${size.toLocaleString('en')} values a request${name === undefined ? '' : ` (${name})`}`
  return [
    {
      measure: `samples a second, ${how}`,
      better: 'more',
      cells: cells((load) => load.perSecond * size, 0),
      bar: { is: 'ratio', atLeast: 0.5 },
    },
    {
      measure: `CPU µs a sample, ${how}`,
      better: 'less',
      cells: cells((load) => load.cpuUs / size, 2),
    },
  ]
}

function formsOf(measured: readonly Loads[], peer: Peer): readonly string[] {
  return [...new Set(measured.flatMap((one) => (one.peer === peer ? [one.form.name] : [])))]
}
