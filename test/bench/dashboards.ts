import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

import { Session } from '../faults/session.ts'
import type { Body } from '../faults/session.ts'
import { startCountingEdge } from '../hosts/request-counts.ts'
import { startProcess } from '../hosts/process.ts'
import { cpuMsOfWorkerd, cpuSecondsOf, machine, median, tableOf } from './measure.ts'

/**
 * The data of a dashboard in one request: 40 widgets over 40 jobs and 8 data queries beside the slowest of these alone, the
 * same without changes, 500 walls that refresh every 5 seconds, and 20 widgets of jobs on workerd.
 */
const JOBS = 32
const QUERIES = 8
const ROUNDS = 15
const WALLS = 500
const REFRESH_MS = 5_000
const WALLS_MS = 15_000
const EDGE_JOBS = 20
/** Requests before the measurement, in which code is compiled. */
const WARM_ROUNDS = 5

type Host = { readonly url: string; readonly session: Session }

async function made({ url, session }: Host, path: string, body: Body): Promise<number> {
  const answer = await session.send(url, path, body)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return Number(((await answer.json()) as { id: unknown }).id)
}

async function makeJobs(host: Host, count: number): Promise<number[]> {
  const device = await made(host, '/devices?parentType=group&parentId=1', { name: 'bench' })
  const ids: number[] = []
  for (let index = 0; index < count; index++) {
    const body = { name: `job ${index}`, parameters: { returnValue: [{ valueName: 'value' }] } }
    const id = await made(host, `/jobs?parentType=device&parentId=${device}`, body)
    await host.session.deliver(host.url, id, { returnValue1: index, errorCode: 0 })
    ids.push(id)
  }
  return ids
}

async function makeQueries(host: Host): Promise<number[]> {
  const { url, session } = host
  const source = await made(host, '/dataSources', { name: 'bench', type: 'csv' })
  const rows = Array.from({ length: 1_000 }, (_, index) => `${index},${index % 7}`).join('\n')
  const upload = await fetch(`${url}/dataSources/${source}/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'x-session-id': session.id },
    body: `id,amount\n${rows}\n`,
  })
  const { id: file } = (await upload.json()) as { id: string }
  await session.send(url, `/dataSources/${source}/import`, { upload: file, table: 'orders' })
  const ids: number[] = []
  for (let index = 0; index < QUERIES; index++) {
    const text = `SELECT amount, count(*) AS n FROM orders WHERE id % ${index + 1} = 0 GROUP BY amount`
    const id = await made(host, '/dataQueries', { name: `bench ${index}`, dataSourceId: source, text })
    await session.send(url, `/dataQueries/${id}/publish`, {})
    ids.push(id)
  }
  return ids
}

const ofJob = (jobId: number) => ({ kind: 'value', source: { type: 'job', jobId } })
const ofQuery = (dataQueryId: number) => ({ kind: 'table', dataQueryId })

function makeBoard(host: Host, widgets: readonly object[]): Promise<number> {
  const byId = Object.fromEntries(widgets.map((widget, index) => [`w${index}`, widget]))
  return made(host, '/dashboards', { name: 'Bench', definition: { widgets: byId } })
}

/** A width that no request had before, so that no answer is shared. */
let width = 0

type Data = { readonly widgets: Record<string, { readonly status: number; readonly etag?: string }> }

async function read(
  { url, session }: Host,
  board: number,
  body: Body = {},
): Promise<{ ms: number; data: Data }> {
  const beganAt = performance.now()
  const answer = await session.send(url, `/dashboards/${board}/data`, { width: { w0: ++width }, ...body })
  const data = (await answer.json()) as Data
  return { ms: performance.now() - beganAt, data }
}

async function medianOf(run: () => Promise<{ ms: number }>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push((await run()).ms)
  return median(times)
}

async function onBun(): Promise<Record<string, string | number>[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-dashboards-'))
  const service = await startProcess({ command: ['bun', 'workers/bun/main.ts'], dataDir })
  try {
    const host = { url: service.url, session: await Session.open(service.url) }
    const queries = await makeQueries(host)
    const board = await makeBoard(host, [...(await makeJobs(host, JOBS)).map(ofJob), ...queries.map(ofQuery)])
    const { data } = await read(host, board)
    const cpuBefore = await cpuSecondsOf(service.pid)
    const whole = await medianOf(() => read(host, board))
    const cpu = (((await cpuSecondsOf(service.pid)) - cpuBefore) * 1_000) / ROUNDS
    let slowest = 0
    for (const index of queries.keys()) {
      const alone = { widgets: [`w${JOBS + index}`] }
      slowest = Math.max(slowest, await medianOf(() => read(host, board, alone)))
    }
    const etags = Object.fromEntries(Object.entries(data.widgets).map(([id, { etag }]) => [id, etag ?? '']))
    const same = await read(host, board, { etags })
    const unchanged = Object.values(same.data.widgets).filter(({ status }) => status === 304).length
    const cores = await walls(host, service.pid, { board, etags })
    return [
      { measure: 'one request for 40 widgets, median', value: `${whole.toFixed(1)} ms` },
      { measure: 'one request for 40 widgets, CPU of the service', value: `${cpu.toFixed(1)} ms` },
      { measure: 'the slowest of the 8 data queries alone, median', value: `${slowest.toFixed(1)} ms` },
      { measure: 'ratio', value: (whole / slowest).toFixed(2) },
      { measure: 'widgets that are 304 without a change', value: unchanged },
      { measure: `${WALLS} walls, every 5 s`, value: `${(cores * 100).toFixed(0)} % of a core` },
    ]
  } finally {
    service.signal('SIGTERM')
    await service.exited
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The cores that a service needs for walls with the same dashboard. */
async function walls(
  { url, session }: Host,
  pid: number,
  { board, etags }: { readonly board: number; readonly etags: Body },
): Promise<number> {
  const [cpu, beganAt] = [await cpuSecondsOf(pid), performance.now()]
  const wall = async (index: number) => {
    await Bun.sleep((index * REFRESH_MS) / WALLS)
    while (performance.now() - beganAt < WALLS_MS) {
      const answer = await session.send(url, `/dashboards/${board}/data`, { etags })
      await answer.arrayBuffer()
      await Bun.sleep(REFRESH_MS)
    }
  }
  await Promise.all(Array.from({ length: WALLS }, (_, index) => wall(index)))
  return ((await cpuSecondsOf(pid)) - cpu) / ((performance.now() - beganAt) / 1_000)
}

async function onWorkerd(): Promise<Record<string, string | number>[]> {
  const edge = await startCountingEdge()
  try {
    const host = { url: edge.host.url, session: await Session.open(edge.host.url) }
    const board = await makeBoard(host, (await makeJobs(host, EDGE_JOBS)).map(ofJob))
    for (let round = 0; round < WARM_ROUNDS; round++) await read(host, board)
    const before = await cpuMsOfWorkerd()
    const ms = await medianOf(() => read(host, board))
    const cpu = ((await cpuMsOfWorkerd()) - before) / ROUNDS
    return [
      { measure: `${EDGE_JOBS} widgets of jobs on workerd, median`, value: `${ms.toFixed(1)} ms` },
      {
        measure: `${EDGE_JOBS} widgets of jobs on workerd, CPU of each request`,
        value: `${cpu.toFixed(1)} ms`,
      },
    ]
  } finally {
    await edge.host.close()
  }
}

console.log(machine())
console.log(`Load of the machine: ${loadavg()[0]?.toFixed(1)}`)
console.log(tableOf(await onBun()))
console.log(tableOf(await onWorkerd()))
