import { postJson } from '../../../http/json-client.ts'
import type { Ports } from '../../../ports/index.ts'
import type { TraceSettings } from '../../../ports/trace-settings.ts'
import type { Place, Span, TraceFigures, TraceParent, Traces } from '../../../ports/traces.ts'
import { RELEASE } from '../../health/service.ts'
import { otlpOf } from '../otlp.ts'
import type { PlacedSpan } from '../otlp.ts'

/** The most spans that wait; more are dropped. */
export const WAITING_MAX = 4_096
/** The most spans of a request. */
export const BATCH_MAX = 512
/** How long spans wait for others. */
const DELAY_MS = 1_000
const SEND_MAX_MS = 10_000
/** A send of this age is lost: on Workers the platform can end it with the request that began it. */
const LOST_MS = 30_000
const WARN_MS = 60_000
const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
/** The values of the last four bytes of a trace id, which decide whether a trace is recorded. */
const CHANCES = 2 ** 32

type Host = Pick<Ports, 'clock' | 'inBackground' | 'log' | 'network' | 'secrets'>

/** Records spans for the endpoint of the settings; null where the settings name none. */
export function openTraces(settings: TraceSettings | null, host: Host): Traces | null {
  return settings && new SpanQueue(settings, host)
}

/** Spans that wait to be sent, in memory. */
class SpanQueue implements Traces {
  readonly #settings: TraceSettings
  readonly #host: Host
  #waiting: PlacedSpan[] = []
  /** When the send that is under way was ordered; null without one. */
  #orderedAt: number | null = null
  #sent = 0
  #dropped = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(settings: TraceSettings, host: Host) {
    this.#settings = settings
    this.#host = host
  }

  place(parent: TraceParent | null): Place | null {
    if (parent?.isSampled === false) return null
    const random = this.#host.secrets.random(TRACE_ID_BYTES + SPAN_ID_BYTES)
    if (!parent && !this.#isChosen(random)) return null
    return {
      traceId: parent?.traceId ?? random.subarray(0, TRACE_ID_BYTES).toHex(),
      spanId: random.subarray(TRACE_ID_BYTES).toHex(),
      parent,
    }
  }

  record(place: Place, span: Span): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped++
      return
    }
    this.#waiting.push({ place, span })
    this.#order()
  }

  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX)
      const failure = await this.#send(batch)
      if (failure === null) this.#sent += batch.length
      else {
        this.#dropped += batch.length
        this.#warn(failure, batch.length)
        return
      }
    }
  }

  figures(): TraceFigures {
    return { sent: this.#sent, dropped: this.#dropped }
  }

  #isChosen(random: Uint8Array<ArrayBuffer>): boolean {
    const { ratio } = this.#settings
    return ratio >= 1 || new DataView(random.buffer).getUint32(TRACE_ID_BYTES - 4) < ratio * CHANCES
  }

  /** Sends the waiting spans a second later, together with the spans that come until then. */
  #order(): void {
    const now = this.#host.clock.now()
    if (this.#orderedAt !== null && now - this.#orderedAt < LOST_MS) return
    this.#orderedAt = now
    const sending = this.#sendLater()
    this.#host.inBackground?.(sending)
  }

  async #sendLater(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS))
    await this.flush()
    this.#orderedAt = null
    // Spans behind a failed request, and spans that came after the last one.
    if (this.#waiting.length > 0) this.#order()
  }

  /** @returns the failure; null where the spans were taken */
  async #send(batch: readonly PlacedSpan[]): Promise<string | null> {
    const { url, headers } = this.#settings
    const json = otlpOf(batch, { 'service.name': 'tidemark', 'service.version': RELEASE.tidemark })
    try {
      const signal = AbortSignal.timeout(SEND_MAX_MS)
      const response = await postJson(this.#host.network, url, { json, headers, signal })
      await response.body?.cancel()
      return response.ok ? null : `status ${response.status}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #warn(failure: string, spans: number): void {
    const now = this.#host.clock.now()
    if (now - this.#warnedAt < WARN_MS) return
    this.#warnedAt = now
    this.#host.log.warn('traces: sending spans failed; they are lost', {
      failure,
      spans,
      url: this.#settings.url,
    })
  }
}
