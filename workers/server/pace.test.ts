import { expect, test } from 'bun:test'

import { createApp } from '../../src/app.ts'
import type { Handle } from '../../src/app.ts'
import { openPorts } from '../../test/hosts/ports.ts'
import { spreadOverTurns } from './pace.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The requests that began, in order: `d` for a delivery, numbers for the others. */
function track() {
  const begun: string[] = []
  const answer = (name: string) => {
    begun.push(name)
    return Promise.resolve(new Response(name))
  }
  const nameOf = (request: Request) => new URL(request.url).pathname.slice(1)
  const others = spreadOverTurns((request) => answer(nameOf(request)))
  const ask = (name: string) => (name === 'd' ? answer('d') : others(new Request(`http://localhost/${name}`)))
  return { begun, ask }
}

test('of a burst four begin in a turn, in order, and a delivery waits for none of them', async () => {
  const { begun, ask } = track()
  const names = Array.from({ length: 10 }, (_, at) => String(at))
  const answers = names.map((name) => ask(name))
  expect(begun).toEqual(names.slice(0, 4))
  const delivered = ask('d')
  expect(begun.at(-1)).toBe('d')
  await turn()
  expect(begun.length).toBe(1 + 8)
  // A new request comes behind the waiting ones.
  const late = ask('late')
  await turn()
  await turn()
  expect(begun.filter((name) => name !== 'd')).toEqual([...names, 'late'])
  const texts = await Promise.all([...answers, delivered, late].map(async (answer) => (await answer).text()))
  expect(texts).toEqual([...names, 'd', 'late'])
})

test('after a quiet turn four begin at once again', async () => {
  const { begun, ask } = track()
  const askOften = (times: number) => Array.from({ length: times }, async (_, at) => ask(String(at)))
  await Promise.all(askOften(4))
  await turn()
  await turn()
  const answers = askOften(5)
  expect(begun.length).toBe(4 + 4)
  await Promise.all(answers)
  expect(begun.length).toBe(4 + 5)
})

test('the application paces everything but single deliveries, and sends everything but deliveries', async () => {
  const opened = await openPorts()
  const paced: string[] = []
  const sent: string[] = []
  const noting = (paths: string[]) => (handle: Handle) => (request: Request) => {
    paths.push(new URL(request.url).pathname)
    return handle(request)
  }
  const { fetch } = createApp(opened.ports, { spread: noting(paced), send: noting(sent) })
  const ask = async (method: string, path: string) =>
    (await fetch(new Request(`http://localhost${path}`, { method }))).status
  expect(await ask('GET', '/healthz')).toBe(200)
  expect(await ask('POST', '/webcollector/jobs/3/values')).toBe(401)
  expect(await ask('POST', '/webcollector/values')).toBe(401)
  expect(paced).toEqual(['/healthz', '/webcollector/values'])
  expect(sent).toEqual(['/healthz'])
  await opened.close()
})
