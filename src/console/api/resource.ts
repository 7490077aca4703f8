import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

import { jsonOf, send, urlOf } from './client.ts'
import type { Answer, Route, Target } from './client.ts'
import { onEvents } from './events.ts'
import type { EventKind } from './events.ts'
import { asFailure } from './failure.ts'
import type { Failure } from './failure.ts'

/** Answers older than this are read again when a screen shows them. */
const FRESH_MS = 3_000
/** After an event a resource is read again at most this often. */
const EVENT_PACE_MS = 1_000
const RETRY_MS = 1_500
const KEPT_MAX = 200
const KEPT_MS = 5 * 60_000

/** The state of a resource: the last good data stay while a newer answer is read or failed. */
export type Loaded<T> = {
  readonly data: T | undefined
  readonly etag: string | undefined
  /** Why the last read failed; null after a good one. */
  readonly failure: Failure | null
  readonly isLoading: boolean
  /** When the data were confirmed last, in ms since 1970; null before the first answer. */
  readonly readAt: number | null
}

/** A change that the page shows before the answers of the service have it. */
type Change = {
  readonly prefix: string
  readonly apply: (data: unknown) => unknown
  /** Whether the service has made it: an answer that is asked for from now on has it. */
  isMade: boolean
}

type Entry = {
  readonly url: string
  readonly state: Signal<Loaded<unknown>>
  /** The last answer, without the changes that are shown with it. */
  answered: unknown
  changes: readonly Change[]
  users: number
  /** When a component asked for the entry last, or the last one left it, in ms since 1970. */
  usedAt: number
  reading: Promise<void> | null
  abort: AbortController | null
  timer: ReturnType<typeof setTimeout> | null
  /** A newer answer is due than the last one, or than the one that is being read. */
  isStale: boolean
}

const EMPTY: Loaded<never> = {
  data: undefined,
  etag: undefined,
  failure: null,
  isLoading: false,
  readAt: null,
}
const entries = new Map<string, Entry>()

export type Resource<T> = Loaded<T> & { readonly reload: () => void }

/** Reads a route of the API and keeps the answer for the screens that show it: the last answer at once, then a newer one.
 * @param target null: nothing is read yet
 * @param refresh the kinds of events after which the resource is read again */
export function useGet<R extends Route>(
  route: R,
  target: Target<R> | null,
  refresh: readonly EventKind[] = [],
): Resource<Answer<R>> {
  const url = target === null ? null : urlOf(route, target)
  return useUrl<Answer<R>>(url, refresh)
}

/** Reads several targets of a route. */
export function useGets<R extends Route>(
  route: R,
  targets: readonly Target<R>[],
): readonly Resource<Answer<R>>[] {
  const urls = targets.map((target) => urlOf(route, target))
  const all = useMemo(() => urls.map(entryOf), [urls.join(' ')])
  useEffect(() => {
    all.forEach(enter)
    return () => all.forEach(leave)
  }, [all])
  return all.map((entry) => resourceOf<Answer<R>>(entry))
}

/** Reads a URL below the folder of the API, such as a page of a list. */
export function useUrl<T>(url: string | null, refresh: readonly EventKind[] = []): Resource<T> {
  const entry = useMemo(() => (url === null ? null : entryOf(url)), [url])
  const kinds = refresh.join(' ')
  useEffect(() => {
    if (entry === null) return
    enter(entry)
    const stop = kinds === '' ? undefined : onEvents(kinds.split(' ') as EventKind[], () => readSoon(entry))
    return () => {
      stop?.()
      leave(entry)
    }
  }, [entry, kinds])
  return resourceOf<T>(entry)
}

function resourceOf<T>(entry: Entry | null): Resource<T> {
  const loaded = (entry?.state.value ?? EMPTY) as Loaded<T>
  // Skeletons, not an empty screen, in the render before the effect begins to read.
  const isLoading = loaded.isLoading || (entry !== null && loaded.readAt === null && loaded.failure === null)
  return { ...loaded, isLoading, reload: () => entry && readAnew(entry) }
}

/** Whether a resource is being read for the first time: there is neither an answer nor a failure. */
export function isUnread({ isLoading, readAt, failure }: Resource<unknown>): boolean {
  return isLoading && readAt === null && failure === null
}

/** A resource without data until each other resource has an answer or a failure, so that a view of all of them is drawn once. */
export function together<T>(resource: Resource<T>, ...others: readonly Resource<unknown>[]): Resource<T> {
  return others.some(isUnread) ? { ...resource, data: undefined } : resource
}

/** The lists that are shown and read page by page. */
const lists = new Set<{ readonly url: string; readonly reload: () => void }>()

/** Calls the function when a list with this URL is invalidated. Returns a function that stops it. */
export function onInvalidated(url: string, reload: () => void): () => void {
  const list = { url, reload }
  lists.add(list)
  return () => lists.delete(list)
}

/** Reads all shown resources again whose URL begins with one of the prefixes, and forgets the others. */
export function invalidate(...prefixes: readonly string[]): void {
  for (const { url, reload } of lists) if (prefixes.some((prefix) => url.startsWith(prefix))) reload()
  for (const [url, entry] of entries) {
    if (!prefixes.some((prefix) => url.startsWith(prefix))) continue
    if (entry.users > 0) readAnew(entry)
    else entries.delete(url)
  }
}

/** Forgets a deleted resource, such as `/scripts/3`, and the resources below it. A page that still shows them does not read them
 * again. */
export function forget(deleted: string): void {
  for (const url of entries.keys())
    if (url.startsWith(deleted) && '/?'.includes(url.charAt(deleted.length))) entries.delete(url)
}

/** Reads the resources that a screen shows again, after a gap in the stream of events. Other resources are read again when a screen
 * shows them. */
export function invalidateShown(): void {
  for (const entry of entries.values())
    if (entry.users > 0) readAnew(entry)
    else entry.isStale = true
}

/** The changes that the service is making. */
const underway = new Set<Change>()
/** The last change of each prefix; settles when the change has ended. */
const lastChanges = new Map<string, Promise<unknown>>()

/** Begins a change of resources when the ones before it have ended: a user may be faster than the service.
 * @throws what the work throws */
export function inTurn<R>(prefix: string, work: () => Promise<R>): Promise<R> {
  const made = (lastChanges.get(prefix) ?? Promise.resolve()).then(work)
  lastChanges.set(
    prefix,
    made.catch(() => undefined),
  )
  return made
}

/** Makes a change of resources in turn, and shows it at once. Answers that were asked for before it was made are shown with it;
 * the caller reads the resources again afterwards. A refusal takes the change back.
 * @param change applied to each answer anew
 * @throws what the work throws */
export async function patched<T, R>(
  prefix: string,
  change: (data: T) => T,
  work: () => Promise<R>,
): Promise<R> {
  const one: Change = { prefix, apply: change as Change['apply'], isMade: false }
  underway.add(one)
  for (const entry of entries.values())
    if (entry.url.startsWith(prefix)) showChanges(entry, [...entry.changes, one])
  try {
    return await inTurn(prefix, work)
  } catch (error) {
    for (const entry of entries.values()) showChanges(entry, without(entry, [one]))
    throw error
  } finally {
    one.isMade = true
    underway.delete(one)
  }
}

const without = ({ changes }: Entry, left: readonly Change[]): readonly Change[] =>
  changes.filter((one) => !left.includes(one))

function showChanges(entry: Entry, changes: readonly Change[]): void {
  if (changes.length === 0 && entry.changes.length === 0) return
  entry.changes = changes
  entry.state.value = { ...entry.state.value, data: changedData(entry) }
}

const changedData = ({ answered, changes }: Entry): unknown =>
  answered === undefined ? undefined : changes.reduce<unknown>((data, { apply }) => apply(data), answered)

function entryOf(url: string): Entry {
  const known = entries.get(url)
  const entry = known ?? {
    url,
    state: signal(EMPTY),
    answered: undefined,
    changes: [...underway].filter(({ prefix }) => url.startsWith(prefix)),
    users: 0,
    usedAt: 0,
    reading: null,
    abort: null,
    timer: null,
    isStale: false,
  }
  entry.usedAt = Date.now()
  entries.set(url, entry)
  if (!known) dropUnused()
  return entry
}

/** A page that stays open for days asks for ever new spans of time: what no screen shows is forgotten. */
function dropUnused(): void {
  const old = Date.now() - KEPT_MS
  for (const [url, { users, usedAt }] of entries)
    if (users === 0 && (usedAt < old || entries.size > KEPT_MAX)) entries.delete(url)
}

function isFresh({ state, isStale }: Entry): boolean {
  const { readAt, failure } = state.value
  return !isStale && failure === null && readAt !== null && Date.now() - readAt < FRESH_MS
}

function enter(entry: Entry): void {
  entry.users += 1
  if (!isFresh(entry)) void read(entry)
}

function leave(entry: Entry): void {
  entry.users -= 1
  if (entry.users > 0) return
  entry.usedAt = Date.now()
  entry.isStale ||= entry.timer !== null || entry.reading !== null
  if (entry.timer !== null) clearTimeout(entry.timer)
  entry.timer = null
  if (entry.reading === null) return
  // The next user of the entry reads anew, and does not wait for a read that was given up.
  entry.abort?.abort()
  entry.abort = null
  entry.reading = null
  entry.state.value = { ...entry.state.value, isLoading: false }
}

function readSoon(entry: Entry): void {
  entry.timer ??= setTimeout(() => {
    entry.timer = null
    if (entry.users > 0) readAnew(entry)
  }, EVENT_PACE_MS)
}

/** Reads an entry after a change. A read that has begun may have missed the change: another one follows it. */
function readAnew(entry: Entry): void {
  if (entry.reading === null) void read(entry)
  else entry.isStale = true
}

/** Reads an entry; a read that has begun serves all components that enter meanwhile. */
function read(entry: Entry): Promise<void> {
  if (entry.reading === null) {
    const abort = new AbortController()
    entry.abort = abort
    entry.isStale = false
    entry.reading = readOnce(entry, abort.signal).finally(() => {
      if (entry.abort !== abort) return
      entry.reading = null
      if (entry.isStale && entry.users > 0) void read(entry)
    })
  }
  return entry.reading
}

async function readOnce(entry: Entry, stop: AbortSignal, isRetry = false): Promise<void> {
  const { state, url } = entry
  state.value = { ...state.value, isLoading: true }
  const made = entry.changes.filter(({ isMade }) => isMade)
  try {
    const { etag } = state.value
    const answer = await send('GET', url, {
      signal: stop,
      ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
    })
    const isSame = answer.status === 304
    if (!isSame) entry.answered = await jsonOf(answer)
    entry.changes = without(entry, made)
    state.value = {
      data: changedData(entry),
      etag: isSame ? etag : (answer.headers.get('etag') ?? undefined),
      failure: null,
      isLoading: false,
      readAt: Date.now(),
    }
  } catch (error) {
    if (stop.aborted) return
    const failure = asFailure(error)
    if (!isRetry && (failure.status === 0 || failure.status >= 500)) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      return stop.aborted ? undefined : readOnce(entry, stop, true)
    }
    state.value = { ...state.value, failure, isLoading: false }
  }
}
