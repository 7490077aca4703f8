import { expect, test } from 'bun:test'

import { startEdgeProcess } from '../edge-process.ts'

const RACE = `${import.meta.dir}/../hashing-race.ts`

test('who would wait without end for an idle processor is hashed with a share of a busy one', async () => {
  expect(await raceWith('100')).toBe('impatient')
}, 180_000)

test('control: without a share of a busy processor, whoever has less to do is hashed first', async () => {
  expect(await raceWith('1000000000')).toBe('patient')
}, 180_000)

test('at the edge others are answered during a hash; control: during one of the platform they are not', async () => {
  const [beside, instead] = [await answeredDuring('whole'), await answeredDuring('eager-hashes')]
  expect(beside).toBeGreaterThan(5 * instead)
}, 180_000)

/** How many requests an edge host answers, one after the other, while it hashes five wrong passwords. */
async function answeredDuring(name: string): Promise<number> {
  const edge = await startEdgeProcess(name)
  const { url } = edge.host
  let answered = 0
  for (let tried = 0; tried < 5; tried++) {
    const body = JSON.stringify({ username: 'nobody', password: 'a wrong password' })
    const headers = { 'content-type': 'application/json' }
    let isHashed = false
    const login = fetch(`${url}/session/login`, { method: 'POST', headers, body, keepalive: false })
    const hashed = login.then(({ status }) => {
      expect(status).toBe(401)
      isHashed = true
    })
    while (!isHashed) {
      await (await fetch(`${url}/healthz`)).text()
      answered++
    }
    await hashed
  }
  await edge.end()
  return answered
}

async function raceWith(patienceMs: string): Promise<string> {
  const race = Bun.spawn(['taskset', '-c', '0', process.execPath, RACE, patienceMs], { stderr: 'inherit' })
  return new Response(race.stdout).text()
}
