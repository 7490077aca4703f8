import { Histogram } from '../lib/histogram.ts'
import { stopwatch } from '../ports/clock.ts'
import type { Ports } from '../ports/index.ts'

/** Single deliveries, bulk deliveries, and all other requests. */
export type RequestKind = 'delivery' | 'bulk' | 'other'

/** The responses of this process or isolate since its start. */
export class RequestFigures {
  readonly durations: Readonly<Record<RequestKind, Histogram>> = {
    delivery: new Histogram(),
    bulk: new Histogram(),
    other: new Histogram(),
  }
  /** By kind, then by the first digit of the status. */
  readonly counts: Readonly<Record<RequestKind, number[]>> = {
    delivery: noCounts(),
    bulk: noCounts(),
    other: noCounts(),
  }

  record(kind: RequestKind, status: number, durationMs: number): void {
    this.durations[kind].observe(durationMs)
    const counts = this.counts[kind]
    const digit = Math.trunc(status / 100)
    counts[digit] = (counts[digit] ?? 0) + 1
  }
}

function noCounts(): number[] {
  return [0, 0, 0, 0, 0, 0]
}

const known = new WeakMap<Ports, RequestFigures>()

/** The figures of the process or isolate with these ports. */
export function requestFiguresOf(ports: Ports): RequestFigures {
  const figures = known.get(ports) ?? new RequestFigures()
  known.set(ports, figures)
  return figures
}

/** Records the duration and the status of a response when it begins to leave. */
export async function recorded(
  ports: Ports,
  kind: RequestKind,
  response: Response | Promise<Response>,
): Promise<Response> {
  const elapsedMs = stopwatch(ports.clock)
  const answer = await response
  requestFiguresOf(ports).record(kind, answer.status, elapsedMs())
  return answer
}
