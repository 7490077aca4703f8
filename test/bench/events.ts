import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { connectAdministrator, logIn, PASSWORD } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { Ear } from '../events/ear.ts'
import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { cpuSecondsOf, machine, median, residentBytesOf, tableOf } from './measure.ts'

/**
 * What readers of events cost the Bun host: memory for each of a thousand, the time until all of them have heard of a
 * change, and what a delivery costs while nobody, somebody, or somebody of the same job reads. Fails unless every reader
 * hears everything, once and in order.
 */
const { values: options } = parseArgs({
  options: {
    readers: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '100' },
    deliveries: { type: 'string', default: '3200' },
  },
})

const READERS_OF_USER = 100
const SENDERS = 32
const ROUNDS = 3

type Speaker = Awaited<ReturnType<typeof connectAdministrator>>
type World = { readonly host: HostProcess; readonly speaker: Speaker; readonly jobs: readonly number[] }

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-events-'))
  const host = await startProcess({ command: [...AS_SERVICE, 'workers/bun/main.ts'], dataDir })
  process.stdout.write(`${machine()}\n`)
  try {
    const world = await makeWorld(host)
    process.stdout.write(`\n${tableOf(await costsOf(world))}\n`)
    process.stdout.write(`\n${tableOf([await manyReaders(world)])}\n`)
  } finally {
    host.signal('SIGTERM')
    await host.exited
    await rm(dataDir, { recursive: true })
  }
}

async function makeWorld(host: HostProcess): Promise<World> {
  const speaker = await connectAdministrator({
    name: 'bun',
    url: host.url,
    logs: host.logs,
    key: new Uint8Array(32),
    setupLink: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  })
  const create = async (path: string, json: object) =>
    (await good<{ id: number }>(speaker.request('POST', path, { json }))).id
  const device = await create('/devices?parentId=1', { name: 'read' })
  const job = (name: string) =>
    create(`/jobs?parentId=${device}`, {
      name,
      parameters: { returnValue: [{ valueName: 'load' }] },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 9 }] } },
    })
  return { host, speaker, jobs: [await job('one'), await job('another')] }
}

async function deliver({ host, speaker }: World, job: number, load: number): Promise<void> {
  const answer = await fetch(`${host.url}/webcollector/jobs/${job}/values`, {
    method: 'POST',
    headers: { 'x-session-id': speaker.sessionId, 'content-type': 'application/json' },
    body: JSON.stringify({ returnValue1: load, errorCode: 0 }),
  })
  if (answer.status !== 200) throw new Error(`A delivery was answered ${answer.status}.`)
  await answer.text()
}

async function open({ host }: World, path: string, sessionId: string): Promise<Ear> {
  const answer = await fetch(host.url + path, { headers: { 'x-session-id': sessionId } })
  if (answer.status !== 200) throw new Error(`A stream was answered ${answer.status}: ${await answer.text()}`)
  return new Ear(answer.body).until(({ heard }) => heard.length === 1)
}

/** CPU of a delivery that changes no state. Nobody may have read before the first, for as long as a hub stays awake. */
async function costsOf(world: World) {
  const [job = 0, another = 0] = world.jobs
  // Until everything is compiled that will be.
  for (let warm = 0; warm < ROUNDS; warm++) await deliverMany(world, job)
  const nobody = await costOf(world, null)
  const others = await costOf(world, `/events?jobId=${another}`)
  const own = await costOf(world, `/events?jobId=${job}`)
  const row = (title: string, micros: number) => ({
    'a delivery while': title,
    'CPU µs': micros.toFixed(1),
    'of the first': `${((micros / nobody) * 100).toFixed(0)} %`,
  })
  return [
    row('nobody reads', nobody),
    row('the values of another job are read', others),
    row('its values are read', own),
  ]
}

/** The middle of some rounds, µs. */
async function costOf(world: World, path: string | null): Promise<number> {
  const [job = 0] = world.jobs
  const ear = path === null ? null : await open(world, path, world.speaker.sessionId)
  const micros: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cpuSecondsOf(world.host.pid)
    await deliverMany(world, job)
    const spent = (await cpuSecondsOf(world.host.pid)) - before
    micros.push((spent / Number(options.deliveries)) * 1e6)
  }
  await ear?.leave()
  return median(micros)
}

async function deliverMany(world: World, job: number): Promise<void> {
  const each = Number(options.deliveries) / SENDERS
  const send = async () => {
    for (let count = 0; count < each; count++) await deliver(world, job, 1)
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
}

async function manyReaders(world: World) {
  const count = Number(options.readers)
  const changes = Number(options.changes)
  const [job = 0] = world.jobs
  const residentBefore = await residentBytesOf(world.host.pid)
  const ears = await openAll(world, count)
  const residentAfter = await residentBytesOf(world.host.pid)
  const cpuBefore = await cpuSecondsOf(world.host.pid)
  const begin = performance.now()
  for (let change = 0; change < changes; change++) await deliver(world, job, change % 2 === 0 ? 99 : 1)
  await Promise.all(ears.map((ear) => ear.until(({ heard }) => heard.length >= 1 + 3 * changes)))
  const seconds = (performance.now() - begin) / 1000
  const cpu = (await cpuSecondsOf(world.host.pid)) - cpuBefore
  const [first] = ears
  const wanted = JSON.stringify(first?.heard.slice(1))
  const isInOrder = first?.heard.every(
    ({ id }, index, all) => index === 0 || isLater(id, all[index - 1]?.id ?? ''),
  )
  const same = ears.filter(({ heard }) => JSON.stringify(heard.slice(1)) === wanted).length
  if (same !== count || isInOrder !== true)
    throw new Error(`Of ${count} readers ${same} heard the same in order.`)
  const told = count * 3 * changes
  return {
    readers: count,
    'KiB each': ((residentAfter - residentBefore) / 1024 / count).toFixed(1),
    'events told': told,
    'in order': same,
    seconds: seconds.toFixed(1),
    'CPU µs an event': ((cpu / told) * 1e6).toFixed(1),
  }
}

function isLater(id: string, before: string): boolean {
  const [[epoch = 0, seq = 0], [epochBefore = 0, seqBefore = 0]] = [id, before].map((one) =>
    one.split('-').map(Number),
  ) as [number[], number[]]
  return epoch === epochBefore ? seq > seqBefore : epoch > epochBefore
}

async function openAll(world: World, count: number): Promise<readonly Ear[]> {
  const { speaker } = world
  const ears: Ear[] = []
  for (let from = 0; from < count; from += READERS_OF_USER) {
    const user = { username: `reader ${from}`, password: PASSWORD }
    await good(speaker.request('POST', '/users', { json: { ...user, role: 'dashboard_viewer' } }))
    const sessionId = await logIn(speaker, user)
    const some = Array.from({ length: Math.min(READERS_OF_USER, count - from) }, () =>
      open(world, '/events?kind=state', sessionId),
    )
    ears.push(...(await Promise.all(some)))
  }
  return ears
}

await main()
