import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { AS_SERVICE, startProcess } from '../../hosts/process.ts'
import { COLLECTOR, FIRST_JOB_ID, READER, writeInstallation } from '../installation.ts'
import { DAY_MS, HOUR_MS } from './peer.ts'
import type { History, Peer, Place, Request, Running, Sample, Signal } from './peer.ts'
import { inLanes, send, TIME_IN_DIGITS } from './requests.ts'
import { fillTidemark } from './tidemark-history.ts'

const LANES = 32
const JSON_HEADERS = { 'content-type': 'application/json' }

/** Tidemark on Bun, each value through session, validation and thresholds onto stable storage. */
export const tidemark: Peer = {
  name: 'Tidemark',
  debian: null,
  keeps: 'every',
  jobsMax: Infinity,
  start: (place) => start(place, 'whole'),
  async fill(place, series) {
    const bytes = await fillTidemark(join(place.directory, 'data'), place.jobs, series)
    return { running: await start(place, 'whole'), bytes }
  },
}

/** The same server as it answers an empty POST. */
export const floor: Peer = {
  ...tidemark,
  name: 'an empty POST to Tidemark',
  async start(place) {
    const running = await start(place, 'floor')
    const empty: Request = { method: 'POST', path: '/floor', headers: {}, body: '' }
    return { ...running, delivery: () => empty }
  },
}

async function start({ directory, jobs, core }: Place, kind: 'whole' | 'floor'): Promise<Running> {
  const dataDir = join(directory, 'data')
  if (!existsSync(dataDir)) {
    await writeInstallation(dataDir, { count: jobs, timeout: 'PT12H', at: Date.now() - HOUR_MS })
  }
  const host = await startProcess({
    command: [
      ...(core === null ? [] : ['taskset', '-c', core]),
      ...AS_SERVICE,
      join(import.meta.dir, '../host.ts'),
      kind,
    ],
    dataDir,
    // Days that begin where those of the peers do.
    environment: { TIDEMARK_TIME_ZONE: 'UTC' },
  })
  const { url, pid } = host
  const stop = async (name: Signal = 'SIGTERM') => {
    host.signal(name)
    await host.exited
  }
  const sessions = Promise.all([signIn(url, COLLECTOR), signIn(url, READER)])
  const [collector, reader] = await sessions.catch(async (error: unknown) => {
    await stop('SIGKILL')
    throw error
  })
  const summaries = () => summariesOf(url, reader, jobs)
  return {
    url,
    pid,
    stop,
    delivery: ({ job, value }) => ({
      method: 'POST',
      path: `/webcollector/jobs/${idOf(job)}/values`,
      headers: { ...JSON_HEADERS, ...collector },
      body: JSON.stringify({ returnValue1: value, errorCode: 0 }),
    }),
    bulk: [
      { name: 'rounds', request: (samples) => bulk(collector, roundsBody(samples)) },
      { name: 'series', request: (samples) => bulk(collector, seriesBody(samples)) },
      { name: 'deliveries', request: (samples) => bulk(collector, deliveriesBody(samples)) },
    ],
    history: historyOf(reader, jobs),
    stored: async () => (await summaries()).values().reduce((sum, { count }) => sum + count, 0),
    async latest() {
      return new Map((await summaries()).entries().map(([job, { last }]) => [job, last]))
    },
  }
}

type SessionHeader = Readonly<{ 'x-session-id': string }>

async function signIn(url: string, who: { username: string; password: string }): Promise<SessionHeader> {
  const text = await send(
    { url },
    { method: 'POST', path: '/session/login', headers: JSON_HEADERS, body: JSON.stringify(who) },
  )
  return { 'x-session-id': (JSON.parse(text) as { sessionId: string }).sessionId }
}

function idOf(job: number): number {
  return FIRST_JOB_ID + job - 1
}

function bulk(session: SessionHeader, body: string): Request {
  return { method: 'POST', path: '/webcollector/values', headers: { ...JSON_HEADERS, ...session }, body }
}

/** In columns; samples of one job that follow each other share theirs. */
function seriesBody(samples: readonly Sample[]): string {
  const jobs = new Map<number, { at: string[]; values: number[] }>()
  for (const { job, at, value } of samples) {
    const column = jobs.getOrInsertComputed(job, () => ({ at: [], values: [] }))
    column.at.push(at === null ? TIME_IN_DIGITS : String(at))
    column.values.push(value)
  }
  const series = [...jobs].map(
    ([job, { at, values }]) =>
      `{"jobId":${idOf(job)},"key":"returnValue1","timestamps":[${at.join(',')}],"values":[${values.join(',')}]}`,
  )
  return `{"series":[${series.join(',')}]}`
}

/** In columns of all jobs; samples of one instant that follow each other share theirs. */
function roundsBody(samples: readonly Sample[]): string {
  const rounds = new Map<number | null, { ids: number[]; values: number[] }>()
  for (const { job, at, value } of samples) {
    const column = rounds.getOrInsertComputed(at, () => ({ ids: [], values: [] }))
    column.ids.push(idOf(job))
    column.values.push(value)
  }
  const texts = [...rounds].map(
    ([at, { ids, values }]) =>
      `{"key":"returnValue1","timestamp":${at ?? TIME_IN_DIGITS},"jobIds":[${ids.join(',')}],"values":[${values.join(',')}]}`,
  )
  return `{"rounds":[${texts.join(',')}]}`
}

function deliveriesBody(samples: readonly Sample[]): string {
  const deliveries = samples.map(({ job, at, value }) => ({
    jobId: idOf(job),
    ...(at === null ? {} : { timestamp: new Date(at).toISOString() }),
    returnValue1: value,
    errorCode: 0,
  }))
  return JSON.stringify({ deliveries })
}

type Answer = {
  readonly values?: readonly { readonly value: number | null }[]
  readonly aggregate: { readonly count: number; readonly last: number | null }
}

function historyOf(session: SessionHeader, jobs: number): History {
  return {
    requests({ of, beginAt, endAt, bucketMs }) {
      const query = new URLSearchParams({
        timestamp_begin: new Date(beginAt).toISOString(),
        timestamp_end: new Date(endAt).toISOString(),
        scale: bucketMs === DAY_MS ? 'P1D' : `PT${bucketMs / 1000}S`,
      })
      if (of === 'first') return [read(session, 1, query)]
      for (let job = 2; job <= jobs; job++) query.append('jobId', String(idOf(job)))
      return [{ method: 'GET', path: `/value-history?${query.toString()}`, headers: session, body: '' }]
    },
    means: (answers) =>
      answers
        .flatMap((text) => JSON.parse(text) as Answer | readonly Answer[])
        .flatMap(({ values = [] }) => values.flatMap(({ value }) => value ?? [])),
  }
}

function read(session: SessionHeader, job: number, query: URLSearchParams): Request {
  return {
    method: 'GET',
    path: `/jobs/${idOf(job)}/value-history?${query.toString()}`,
    headers: session,
    body: '',
  }
}

/** How many values of the last day each job has that has any, and the last one. */
async function summariesOf(
  url: string,
  session: SessionHeader,
  jobs: number,
): Promise<ReadonlyMap<number, { count: number; last: number }>> {
  const summaries = new Map<number, { count: number; last: number }>()
  await inLanes(
    Array.from({ length: jobs }, (_, index) => index + 1),
    LANES,
    async (job) => {
      const answer = await send({ url }, read(session, job, new URLSearchParams({ values: 'false' })))
      const { aggregate } = JSON.parse(answer) as Answer
      if (aggregate.last !== null) summaries.set(job, { count: aggregate.count, last: aggregate.last })
    },
  )
  return summaries
}
