import type { Clock } from './clock.ts'

/** The span of a caller, from a request (https://www.w3.org/TR/trace-context/). */
export type TraceParent = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** The field `tracestate`; empty where the caller sent none. */
  readonly state: string
}

/** A piece of work that has ended. Times are epoch ms. */
export type Span = {
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Why the work failed; null where it did not. Never has secrets. */
  readonly failure: string | null
}

/** The place of a span in a trace. */
export type Place = {
  readonly traceId: string
  readonly spanId: string
  /** Null for work that no caller traces. */
  readonly parent: TraceParent | null
}

export type TraceFigures = { readonly sent: number; readonly dropped: number }

/** Records spans and sends them in the background. */
export interface Traces {
  /** A place for the span of work that begins; null where it is not to be recorded. */
  place(parent: TraceParent | null): Place | null
  /** Never waits and never throws. Past a bound of waiting spans, spans are dropped and counted. */
  record(place: Place, span: Span): void
  /** Sends the spans that wait; resolves when they are sent or given up. */
  flush(): Promise<void>
  /** The spans since the start. */
  figures(): TraceFigures
}

type Tracing = { readonly traces: Traces | null; readonly clock: Clock }

/** Does some work, and records a span of it where spans are recorded.
 * @param attributesOf what the result adds to the attributes, and why it is a failure */
export async function traced<Result>(
  { traces, clock }: Tracing,
  about: Pick<Span, 'name' | 'kind' | 'attributes'>,
  work: () => Promise<Result>,
  attributesOf: (result: Result) => Partial<Pick<Span, 'attributes' | 'failure'>> = () => ({}),
): Promise<Result> {
  const place = traces?.place(null)
  if (!traces || !place) return work()
  const startedAt = clock.now()
  const record = ({ attributes = {}, failure = null }: Partial<Pick<Span, 'attributes' | 'failure'>>) =>
    traces.record(place, {
      ...about,
      attributes: { ...about.attributes, ...attributes },
      failure,
      startedAt,
      endedAt: clock.now(),
    })
  try {
    const result = await work()
    record(attributesOf(result))
    return result
  } catch (error) {
    record({ failure: error instanceof Error ? error.name : 'Error' })
    throw error
  }
}
