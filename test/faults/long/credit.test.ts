import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../../hosts/process.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'
import type { Body } from '../session.ts'
import { readUntil } from '../../until.ts'

const BUN = ['bun', 'workers/bun/main.ts']
const EDGE = ['bun', 'test/faults/edge-host.ts', 'light-hashes']
/** About three seconds of a year. */
const LIMIT = 99.99999

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-credit-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

test.each([
  ['the Bun host', BUN],
  ['the edge', EDGE],
])(
  '%s that was killed while a credit ran out says when that was, and does so by itself',
  async (_, command) => {
    const before = await startProcess({ command, dataDir })
    const session = await Session.open(before.url)
    const [job = 0] = await session.createJobs(before.url, 1)
    const create = async (path: string, body: Body) =>
      Number(((await (await session.send(before.url, path, body)).json()) as Body)['id'])
    const slo = await create('/slos?parentId=1', { name: 'slo' })
    await link(session, before.url, `/slo/${slo}`, { id: job, stateOverrides: { warning: 'major' } })
    const slc = await create('/slcs?parentId=1', { name: 'slc', limit: LIMIT, duration: 'year' })
    await link(session, before.url, `/slc/${slc}`, { id: slo })
    const told = await session.deliver(before.url, job, { returnValue1: 1, errorCode: 7 })
    expect(told.status).toBe(200)
    const begunAt = (await changesOf(session, before.url, `/slos/${slo}`)).at(-1)?.at ?? 0
    const { creditTotal } = (await session.get(before.url, `/slcs/${slc}`))['values'] as {
      creditTotal: number
    }
    expect(await changesOf(session, before.url, `/slcs/${slc}`)).toEqual([])
    await killAll(before)
    await Bun.sleep(Math.max(0, begunAt + creditTotal * 1000 + 500 - Date.now()))

    const after = await startProcess({ command, dataDir })
    const changes = await readUntil(
      () => changesOf(session, after.url, `/slcs/${slc}`),
      ({ length }) => length >= 2,
    )
    await killAll(after)
    const majorAt = begunAt + Math.round(creditTotal * 1000) + 1
    expect(changes.map(({ to }) => to)).toEqual(['minor', 'major'])
    expect(changes.at(-1)?.at).toBe(majorAt)
  },
  180_000,
)

async function link(session: Session, url: string, parent: string, child: Body): Promise<void> {
  const answer = await fetch(`${url}${parent}/children`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-session-id': session.id },
    body: JSON.stringify({ items: [child] }),
  })
  expect(answer.status).toBe(200)
}

async function changesOf(session: Session, url: string, object: string) {
  const { transitions } = await session.get(url, `${object}/state-history`)
  return (transitions as { timestamp: string; to: string }[]).map(({ timestamp, to }) => ({
    at: Date.parse(timestamp),
    to,
  }))
}
