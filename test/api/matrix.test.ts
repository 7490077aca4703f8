import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { HOST_NAMES, startHost } from '../hosts/start.ts'
import { connect } from './client.ts'
import type { Client } from './client.ts'
import { ABOVE, CHANGES } from './matrix/above.ts'
import { CASES } from './matrix/cases.ts'
import { HIDDEN } from './matrix/hidden.ts'
import { ASKERS, of, readReviewed, tryCase, oneAsker } from './matrix/run.ts'
import { makeWorld } from './matrix/world.ts'
import type { World } from './matrix/world.ts'
import { EVERY_ROW } from './suite.ts'

const START_MAX_MS = 180_000
const CASE_MAX_MS = 180_000

const reviewed = await readReviewed()

test('every route that needs a right on an object has a case, and every case a route', () => {
  const needing = [...reviewed].filter(([, { right }]) => right !== null).map(([route]) => route)
  expect(needing.length).toBeGreaterThan(40)
  expect(needing.filter((route) => !CASES.some((one) => one.route === route))).toEqual([])
  expect(CASES.map(({ route }) => route).filter((route) => !needing.includes(route))).toEqual([])
})

describe.each(HOST_NAMES)('rights on objects on %s', (name) => {
  const isWhole = name === 'bun' || EVERY_ROW
  const sampleOf = <One>(all: readonly One[], each: number) =>
    isWhole ? all : all.filter((_, index) => index % each === 0)
  let client: Client
  let world: World

  beforeAll(async () => {
    client = await connect(await startHost(name))
    world = await makeWorld(client)
  }, START_MAX_MS)
  afterAll(() => client.host.close())

  for (const { title, run } of sampleOf([...ABOVE, ...CHANGES, ...HIDDEN], 3))
    test(title, () => run(client, world), CASE_MAX_MS)

  for (const one of sampleOf(CASES, 12)) {
    const title = `${one.route}${one.title === undefined ? '' : ` ${one.title}`}`
    const route = of(reviewed, one.route)
    // Both hosts run the same bundle: who may call is decided above the ports. The Bun host tries every role.
    const askers = isWhole ? ASKERS : oneAsker(route)
    test(
      `${title}, as ${askers.length} askers on own, readable and foreign objects`,
      async () => {
        const { wrong, answers } = await tryCase(client, world, { one, reviewed: route, askers })
        expect(wrong).toEqual([])
        expect(answers).toBe(3 * (isWhole ? 6 : 1))
      },
      CASE_MAX_MS,
    )
  }
})
