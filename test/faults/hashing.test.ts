import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../hosts/process.ts'
import { killAll } from './process-tree.ts'

const RACE = `${import.meta.dir}/hashing-race.ts`

test('who would wait without end for an idle processor is hashed with a share of a busy one', async () => {
  expect(await raceWith('100')).toBe('impatient')
})

test('control: without a share of a busy processor, whoever has less to do is hashed first', async () => {
  expect(await raceWith('1000000000')).toBe('patient')
})

test('at the edge others are answered during a hash; control: during one of the platform they are not', async () => {
  const [beside, instead] = [await answeredDuring('whole'), await answeredDuring('eager-hashes')]
  expect(beside).toBeGreaterThan(5 * instead)
}, 60_000)

/** How many requests an edge host answers, one after the other, while it hashes five wrong passwords. */
async function answeredDuring(name: string): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-hashing-'))
  const host = await startProcess({ command: ['bun', 'test/faults/edge-host.ts', name], dataDir })
  let answered = 0
  for (let tried = 0; tried < 5; tried++) {
    const body = JSON.stringify({ username: 'nobody', password: 'a wrong password' })
    const headers = { 'content-type': 'application/json' }
    let isHashed = false
    const login = fetch(`${host.url}/session/login`, { method: 'POST', headers, body, keepalive: false })
    const hashed = login.then(({ status }) => {
      expect(status).toBe(401)
      isHashed = true
    })
    while (!isHashed) {
      await (await fetch(`${host.url}/healthz`)).text()
      answered++
    }
    await hashed
  }
  await killAll(host)
  await rm(dataDir, { recursive: true })
  return answered
}

async function raceWith(patienceMs: string): Promise<string> {
  const race = Bun.spawn(['taskset', '-c', '0', process.execPath, RACE, patienceMs], { stderr: 'inherit' })
  return new Response(race.stdout).text()
}
