import { useEffect, useState } from 'preact/hooks'

import { send, urlOf } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { appendLines, readBlocks } from './log.ts'
import type { LogLine } from './log.ts'

const RETRY_MS = 2_000
/** Lines are painted at most four times a second. */
const PAINT_MS = 250

type Log = {
  readonly lines: readonly LogLine[]
  readonly hasEnded: boolean
  readonly failure: Failure | null
}

/** Follows the log of a run until the run ends. A stream that breaks begins again behind the last line. */
export function useLog(script: string, jobId: string, onEnd: () => void): Log {
  const [log, setLog] = useState<Log>({ lines: [], hasEnded: false, failure: null })
  useEffect(() => {
    const abort = new AbortController()
    void follow({ script, jobId, signal: abort.signal, onEnd, change: (edit) => setLog(edit) })
    return () => abort.abort()
  }, [script, jobId])
  return log
}

type Following = {
  readonly script: string
  readonly jobId: string
  readonly signal: AbortSignal
  readonly onEnd: () => void
  readonly change: (edit: (log: Log) => Log) => void
}

async function follow({ script, jobId, signal, onEnd, change }: Following): Promise<void> {
  let lines: readonly LogLine[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  const paint = (hasEnded: boolean): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (!signal.aborted) change(() => ({ lines, hasEnded, failure: null }))
  }
  while (!signal.aborted) {
    try {
      const query = { follow: true, offset: lines.at(-1)?.n ?? 0 }
      const url = urlOf('/scripts/{script}/jobs/{jobId}/log', { path: { script, jobId }, query })
      const answer = await send('GET', url, { signal, headers: { accept: 'text/event-stream' } })
      for await (const events of eventsOf(answer)) {
        lines = appendLines(
          lines,
          events.flatMap((event) => (event.kind === 'line' ? [event.line] : [])),
        )
        if (events.some(({ kind }) => kind === 'end')) {
          paint(true)
          return onEnd()
        }
        timer ??= setTimeout(() => paint(false), PAINT_MS)
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = asFailure(error)
      change((log) => ({ ...log, failure }))
      if (failure.isGone) return
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function* eventsOf(answer: Response): AsyncGenerator<ReturnType<typeof readBlocks>['events'], void> {
  const parts = (answer.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream() as never,
  ) as unknown
  let text = ''
  for await (const part of parts as AsyncIterable<string>) {
    const { events, rest } = readBlocks(text + part)
    text = rest
    yield events
  }
}
