import { requestFiguresOf } from '../../http/request-figures.ts'
import type { RequestFigures } from '../../http/request-figures.ts'
import { Histogram } from '../../lib/histogram.ts'
import type { EngineFigures } from '../../ports/ingest-health.ts'
import type { Ports } from '../../ports/index.ts'
import type { TraceFigures } from '../../ports/traces.ts'
import type { ScriptHealth } from '../health/schema.ts'
import { RELEASE } from '../health/service.ts'
import type { Figure, Sample } from './figures.ts'

/** The figures that rooms report. `app.ts` collects them, so that this room knows no other. */
export type FigureReports = {
  readonly scripts: (ports: Ports) => Promise<ScriptHealth>
  readonly rooms: readonly ((ports: Ports) => Promise<Figure>)[]
}

const STATUS_CLASSES = [2, 3, 4, 5]

/** The figures of this process and of the installation. Where jobs live in other processes, the figures of the storage
 * engine are missing, and requests are the requests of one isolate. */
export async function readFigures(
  ports: Ports,
  { scripts, rooms }: FigureReports,
): Promise<readonly Figure[]> {
  const engine = ports.ingestHealth.figures()
  return [
    release(),
    ...requestFigures(requestFiguresOf(ports)),
    ...(engine ? engineFigures(engine) : []),
    ...(await Promise.all(rooms.map((room) => room(ports)))),
    ...scriptFigures(await scripts(ports)),
    ...(ports.traces ? [traceFigure(ports.traces.figures())] : []),
  ]
}

function release(): Figure {
  const { tidemark: version, interface: api } = RELEASE
  const samples = [{ labels: { version, interface: api }, value: 1 }]
  return { name: 'tidemark_build_info', help: 'The release of the service.', type: 'gauge', samples }
}

function requestFigures({ counts, durations }: RequestFigures): readonly Figure[] {
  return [
    {
      name: 'tidemark_http_requests_total',
      help: 'Responses by the kind of the request and the class of the status.',
      type: 'counter',
      samples: Object.entries(counts).flatMap(([kind, byDigit]) =>
        STATUS_CLASSES.map((digit) => ({
          labels: { kind, status: `${digit}xx` },
          value: byDigit[digit] ?? 0,
        })),
      ),
    },
    {
      name: 'tidemark_http_request_duration_seconds',
      help: 'The time until a response begins, by the kind of the request.',
      type: 'histogram',
      samples: Object.entries(durations).flatMap(([kind, histogram]) => histogramSamples(kind, histogram)),
    },
  ]
}

function histogramSamples(kind: string, histogram: Histogram): readonly Sample[] {
  const { count, sumS } = histogram
  const bounded = histogram.cumulative().map((value, index) => ({
    suffix: '_bucket',
    labels: { kind, le: String(Histogram.BOUNDS_S[index]) },
    value,
  }))
  return [
    ...bounded,
    { suffix: '_bucket', labels: { kind, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { kind }, value: sumS },
    { suffix: '_count', labels: { kind }, value: count },
  ]
}

function engineFigures({
  jobs,
  storedValues,
  commits,
  unflushed,
  overdueMs,
}: EngineFigures): readonly Figure[] {
  return [
    gauge('tidemark_jobs', 'Webhook jobs of the storage engine.', jobs),
    counter('tidemark_values_stored_total', 'Values that became durable since the start.', storedValues),
    counter('tidemark_commits_total', 'Commits of the write-ahead log since the start.', commits),
    gauge(
      'tidemark_unflushed_values',
      'Durable values that no flush has moved into segments.',
      unflushed.samples,
    ),
    gauge('tidemark_wal_rows', 'Rows of the write-ahead log that no flush has moved.', unflushed.rows),
    gauge(
      'tidemark_wal_bytes',
      'Characters of the write-ahead log that no flush has moved.',
      unflushed.sizeBytes,
    ),
    gauge(
      'tidemark_deadline_lateness_seconds',
      'By how much the earliest timeout is overdue.',
      overdueMs / 1000,
    ),
  ]
}

function scriptFigures({ runners, refusing, waiting, waitingSeconds }: ScriptHealth): readonly Figure[] {
  return [
    {
      name: 'tidemark_runners',
      help: 'Script runners by whether they accept jobs.',
      type: 'gauge',
      samples: [
        { labels: { accepts: 'yes' }, value: runners },
        { labels: { accepts: 'no' }, value: refusing },
      ],
    },
    gauge('tidemark_runs_waiting', 'Script runs that wait for a runner.', waiting),
    gauge('tidemark_runs_waiting_seconds', 'How long the oldest waiting run has waited.', waitingSeconds),
  ]
}

function traceFigure(figures: TraceFigures): Figure {
  return {
    name: 'tidemark_trace_spans_total',
    help: 'Spans that were sent, and spans that were dropped.',
    type: 'counter',
    samples: Object.entries(figures).map(([outcome, value]) => ({ labels: { outcome }, value })),
  }
}

function gauge(name: string, help: string, value: number): Figure {
  return { name, help, type: 'gauge', samples: [{ value }] }
}

function counter(name: string, help: string, value: number): Figure {
  return { name, help, type: 'counter', samples: [{ value }] }
}
