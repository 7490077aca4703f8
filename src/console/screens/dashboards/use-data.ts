import { useEffect, useRef, useState } from 'preact/hooks'

import { call, jsonOf, send, urlOf } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { onEvents, onGap } from '../../api/events.ts'
import { asFailure } from '../../api/failure.ts'
import type { Failure } from '../../api/failure.ts'
import { merged, pauseOf, RETRY_MS } from './answers.ts'
import type { DashboardData, TimeRange, Values, WidgetAnswer } from './dashboard.ts'

/** After an event the data are read again at most this often. */
const EVENT_PACE_MS = 2_000
/** Dashboards that were opened together do not ask together. */
const JITTER = 0.1

export type Asked = {
  readonly id: number
  readonly values: Values
  readonly timeRange: TimeRange | null
  readonly page: string | null
  readonly width: Readonly<Record<string, number>>
  /** The secret of a public link, which stands in place of a login. */
  readonly token?: string
}

export type BoardData = {
  /** The values that the parameters have; null before the first answer. */
  readonly params: Values | null
  /** The last answer of each widget. Of unchanged data the former answer stays. */
  readonly widgets: Readonly<Record<string, WidgetAnswer>>
  readonly failure: Failure | null
  readonly readAt: number | null
  readonly isLoading: boolean
  readonly reload: () => void
}

type State = Pick<BoardData, 'params' | 'widgets' | 'failure' | 'readAt' | 'isLoading'>
const EMPTY: State = { params: null, widgets: {}, failure: null, readAt: null, isLoading: true }

/** Reads the data of all widgets of a page in one call, when it is opened, at its pace, after changes of states and alarms, and after a
 * gap in the stream of events.
 * @param asked null: nothing is read yet */
export function useData(asked: Asked | null): BoardData {
  const [state, setState] = useState<State>(EMPTY)
  const reading = useRef<(() => void) | null>(null)
  const key = JSON.stringify(asked)
  useEffect(() => {
    if (asked === null) return
    const stop = startReading(asked, setState, (read) => (reading.current = read))
    return () => {
      stop()
      reading.current = null
    }
  }, [key])
  return { ...state, reload: () => reading.current?.() }
}

function startReading(
  asked: Asked,
  setState: (change: (state: State) => State) => void,
  offer: (read: () => void) => void,
): () => void {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let soon: ReturnType<typeof setTimeout> | null = null
  let latest: Readonly<Record<string, WidgetAnswer>> = {}
  let asks = 0
  let answered = 0
  const later = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(
      () => (document.hidden ? later(ms) : void read()),
      ms * (1 + JITTER * (2 * Math.random() - 1)),
    )
  }
  const read = async (): Promise<void> => {
    clearTimeout(timer)
    const ask = ++asks
    // An answer that comes after the answer to a later request is too old.
    const isOver = (): boolean => abort.signal.aborted || ask < answered
    setState((now) => ({ ...now, isLoading: true }))
    try {
      const data = await readData(asked, latest, abort.signal)
      if (isOver()) return
      answered = ask
      latest = merged(latest, data.widgets)
      const shown = latest
      setState(() => ({
        params: data.params,
        widgets: shown,
        failure: null,
        readAt: Date.now(),
        isLoading: false,
      }))
      later(pauseOf(data))
    } catch (error) {
      if (isOver()) return
      setState((now) => ({ ...now, failure: asFailure(error), isLoading: false }))
      later(RETRY_MS)
    }
  }
  const stopEvents = onEvents(['state', 'alarm'], () => {
    soon ??= setTimeout(() => {
      soon = null
      void read()
    }, EVENT_PACE_MS)
  })
  const stopGaps = onGap((jobId) => void (jobId === null && read()))
  offer(() => void read())
  void read()
  return () => {
    stopEvents()
    stopGaps()
    abort.abort()
    clearTimeout(timer)
    if (soon !== null) clearTimeout(soon)
  }
}

async function readData(
  asked: Asked,
  latest: Readonly<Record<string, WidgetAnswer>>,
  signal: AbortSignal,
): Promise<DashboardData> {
  const { token, values } = asked
  if (token === undefined) return call('post', '/dashboards/{id}/data', requestOf(asked, latest, signal))
  const query = Object.fromEntries(Object.entries(values).map(([name, value]) => [`p.${name}`, value]))
  const url = urlOf('/public/dashboards/{token}/data', { path: { token }, query })
  return (await jsonOf(await send('GET', url, { signal }))) as DashboardData
}

function requestOf(
  { id, values, timeRange, page, width }: Asked,
  latest: Readonly<Record<string, WidgetAnswer>>,
  signal: AbortSignal,
): Call<'/dashboards/{id}/data', 'post'> {
  const etags = Object.fromEntries(
    Object.entries(latest).flatMap(([widget, { etag }]) => (etag === undefined ? [] : [[widget, etag]])),
  )
  return {
    path: { id: String(id) },
    body: {
      params: { ...values },
      etags,
      width: { ...width },
      ...(timeRange && { timeRange }),
      ...(page !== null && { page }),
    },
    signal,
  }
}
