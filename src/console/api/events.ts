import { effect, signal } from '@preact/signals'

import { API_BASE, send } from './client.ts'
import { asFailure } from './failure.ts'
import { isSignedIn, sessionStatus } from './session.ts'

export type EventKind = 'state' | 'alarm' | 'value' | 'script'
export type ServerEvent = { readonly kind: EventKind; readonly data: Readonly<Record<string, unknown>> }
type Listener = (event: ServerEvent) => void

/** `live`: events arrive. `catching-up`: the stream is being opened. `paused`: the user paused painting. */
export type LiveStatus = 'catching-up' | 'live' | 'paused' | 'offline'
export const liveStatus = signal<LiveStatus>('catching-up')
/** When the last event or comment of the stream arrived, in ms since 1970. */
export const lastEventAt = signal<number | null>(null)
/** The events that wait while painting is paused. */
export const waitingEvents = signal(0)
const isPaused = signal(false)

/** A hidden page closes its stream after this time, or as soon as another tab opens one: by HTTP/1.1 a browser has six
 * connections to a host, which the streams of six tabs would hold. */
const HIDDEN_MS = 5 * 60_000
const RECONNECT_MIN_MS = 1_000
const RECONNECT_MAX_MS = 15_000
/** The service sends at least a comment each 15 seconds. */
const SILENCE_MS = 40_000
const PAINT_MS = 250
/** Behind a proxy that holds the stream back, the page reads the events that have passed at this pace, so many times before it tries
 * the stream again. */
const POLL_MS = 15_000
const POLLS = 20
/** The jobs of one stream, as the API bounds them. */
const JOBS_MAX = 100

const listeners = new Map<Listener, ReadonlySet<EventKind>>()
/** How many parts of the page need the values of a job. */
const watchedJobs = new Map<number, number>()
/** Jobs of a stream that was refused because one of them was deleted or is not readable any more. */
let unreadableJobs: ReadonlySet<number> = new Set()
type GapListener = (jobId: number | null) => void
const afterGap = new Set<GapListener>()
let queue: ServerEvent[] = []
let paint: ReturnType<typeof setTimeout> | null = null
let stream: AbortController | null = null
let lastEventId: string | null = null
let reopenTimer: ReturnType<typeof setTimeout> | null = null

/** Calls the listener for each event of these kinds, at most four batches a second. Returns a function that stops it. */
export function onEvents(kinds: readonly EventKind[], listener: Listener): () => void {
  listeners.set(listener, new Set(kinds))
  return () => listeners.delete(listener)
}

/** Calls the listener when events may have been missed: the values of one job, or any event (null). Returns a function that
 * stops it. */
export function onGap(listener: GapListener): () => void {
  afterGap.add(listener)
  return () => afterGap.delete(listener)
}

/** Asks for the values of jobs as they are delivered. Returns a function that stops asking. */
export function watchJobs(ids: readonly number[]): () => void {
  for (const id of ids) watchedJobs.set(id, (watchedJobs.get(id) ?? 0) + 1)
  reopen()
  return () => {
    for (const id of ids) {
      const left = (watchedJobs.get(id) ?? 1) - 1
      if (left > 0) watchedJobs.set(id, left)
      else watchedJobs.delete(id)
    }
    reopen()
  }
}

/** Stops or continues painting. Events still arrive and are counted. */
export function pauseUpdates(paused: boolean): void {
  isPaused.value = paused
  if (!paused) {
    waitingEvents.value = 0
    liveStatus.value = stream === null ? 'offline' : 'live'
    flush()
  } else liveStatus.value = 'paused'
}

/** Opens the stream while a user is signed in and the page is visible. The stream opens before the user is read, so that a screen
 * reads its data after that and needs no second read. */
export function startEvents(): void {
  effect(() => {
    if (sessionStatus.value === 'entering' || sessionStatus.value === 'in') void keepOpen()
    else if (sessionStatus.value === 'out') stream?.abort()
  })
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiddenTimer)
    if (document.hidden) hiddenTimer = setTimeout(() => stream?.abort('hidden'), HIDDEN_MS)
    else if (stream === null) void keepOpen()
  })
  tabs.addEventListener('message', () => document.hidden && stream?.abort('hidden'))
  addEventListener('online', () => void keepOpen())
  // The stream of a network that is gone may stay open in silence.
  addEventListener('offline', () => stream?.abort('offline'))
}

/** Opens the stream again after a moment, when the jobs that the page watches changed. */
function reopen(): void {
  unreadableJobs = new Set()
  if (stream === null) return
  reopenTimer ??= setTimeout(() => {
    reopenTimer = null
    stream?.abort('jobs')
  }, 50)
}

/** The tabs of this browser, which are notified of each stream that opens. */
const tabs = new BroadcastChannel('tidemark.streams')
let isKeeping = false
async function keepOpen(): Promise<void> {
  if (isKeeping) return
  isKeeping = true
  let wait = RECONNECT_MIN_MS
  let polls = 0
  while (isSignedIn() || sessionStatus.value === 'entering') {
    const end = await readStream(polls > 0, () => (wait = RECONNECT_MIN_MS))
    if (end === 'hidden') break
    if (end === 'jobs') continue
    if (end === 'held back') polls = POLLS
    else if (polls > 0 && end === 'ended') {
      polls -= 1
      await pause(POLL_MS)
      if (document.hidden) break
    } else {
      liveStatus.value = navigator.onLine && wait === RECONNECT_MIN_MS ? 'catching-up' : 'offline'
      await pause(wait * (0.75 + Math.random() / 2))
      wait = Math.min(wait * 2, RECONNECT_MAX_MS)
    }
  }
  isKeeping = false
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Reads one stream to its end, and says why it ended: `held back` if nothing of it arrived.
 * @param once reads the events that have passed, without those to come */
async function readStream(once: boolean, opened: () => void): Promise<string> {
  const abort = new AbortController()
  stream = abort
  let silence = setTimeout(() => abort.abort('held back'), SILENCE_MS)
  try {
    const watched = [...watchedJobs.keys()].filter((id) => !unreadableJobs.has(id)).slice(0, JOBS_MAX)
    const jobs = watched.map((id) => `&jobId=${id}`)
    const path = `/events?kind=state&kind=alarm&kind=script&kind=value${once ? '&once=true' : ''}${jobs.join('')}`
    const answer = await send('GET', path, {
      signal: abort.signal,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      },
    })
    opened()
    tabs.postMessage('opened')
    if (!isPaused.value) liveStatus.value = 'live'
    const parts = (answer.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as never,
    ) as unknown
    let text = ''
    for await (const part of parts as AsyncIterable<string>) {
      clearTimeout(silence)
      silence = setTimeout(() => abort.abort('silence'), SILENCE_MS)
      lastEventAt.value = Date.now()
      const blocks = (text + part).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) receive(block)
    }
    return 'ended'
  } catch (error) {
    if (abort.signal.aborted) return String(abort.signal.reason)
    const { code, status } = asFailure(error)
    if (status === 404 && unreadableJobs.size === 0) {
      // The stream goes on without the jobs, and what the page shows is read again.
      unreadableJobs = new Set(watchedJobs.keys())
      for (const listener of afterGap) listener(null)
    }
    return code
  } finally {
    clearTimeout(silence)
    stream = null
  }
}

function receive(block: string): void {
  let kind = ''
  let data = ''
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) kind = line.slice(7)
    else if (line.startsWith('data: ')) data += line.slice(6)
    else if (line.startsWith('id: ')) lastEventId = line.slice(4)
  }
  if (kind === '') return
  const content = (data === '' ? {} : JSON.parse(data)) as Readonly<Record<string, unknown>>
  // Data that was read before the first stream opened may lack a change.
  if (kind === 'gap' || (kind === 'ready' && content['resumed'] !== true)) {
    const jobId = content['jobId']
    for (const listener of afterGap) listener(typeof jobId === 'number' ? jobId : null)
    return
  }
  if (kind === 'ready') return
  if (isPaused.value) waitingEvents.value += 1
  queue.push({ kind: kind as EventKind, data: content })
  paint ??= setTimeout(flush, PAINT_MS)
}

function flush(): void {
  paint = null
  if (isPaused.value) return
  const events = queue
  queue = []
  for (const event of events)
    for (const [listener, kinds] of listeners) if (kinds.has(event.kind)) listener(event)
}

/** The folder of the API, for links that a browser opens without this page. */
export const apiUrl = (url: string): string => API_BASE + url
