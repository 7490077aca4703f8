import type { Place, Span, TraceParent } from '../../ports/traces.ts'

export type PlacedSpan = { readonly place: Place; readonly span: Span }

/** The kinds and the status of spans, as OTLP numbers them
 * (https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto). */
const KINDS: Readonly<Record<Span['kind'], number>> = { internal: 1, server: 2, client: 3 }
const STATUS_ERROR = 2
/** The trace flags: the span is sampled, and it is known whether its parent is remote. */
const FLAGS_LOCAL = 0x101
const FLAGS_REMOTE = 0x301

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: number }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

/** The body of a request with spans in the JSON of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export function otlpOf(spans: readonly PlacedSpan[], resource: Span['attributes']): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'tidemark' }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf({ place, span }: PlacedSpan): object {
  const { traceId, spanId, parent } = place
  const { name, kind, startedAt, endedAt, attributes, failure } = span
  return {
    traceId,
    spanId,
    ...(parent && parentOf(parent)),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanosecondsOf(startedAt),
    endTimeUnixNano: nanosecondsOf(endedAt),
    attributes: attributesOf(attributes),
    status: failure === null ? { code: 0 } : { code: STATUS_ERROR, message: failure },
    flags: parent ? FLAGS_REMOTE : FLAGS_LOCAL,
  }
}

function parentOf({ spanId, state }: TraceParent): object {
  return { parentSpanId: spanId, ...(state === '' ? {} : { traceState: state }) }
}

/** As a text: a number of JSON is not exact beyond 2^53. */
function nanosecondsOf(ms: number): string {
  return `${ms}000000`
}

function attributesOf(
  attributes: Span['attributes'],
): readonly { readonly key: string; readonly value: Value }[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function valueOf(value: string | number | boolean): Value {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
}
