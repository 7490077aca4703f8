import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { Lru } from './lru.ts'

const act = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  weight: fc.option(fc.integer({ min: 0, max: 5 })),
})
const bounds = fc.record({
  weightMax: fc.integer({ min: 0, max: 9 }),
  countMax: fc.integer({ min: 0, max: 4 }),
})

test('holds what was asked for last, as much as it may', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), bounds, (acts, { weightMax, countMax }) => {
      const lru = new Lru<number>(weightMax, countMax)
      let held: { name: string; value: number; weight: number }[] = []
      const weigh = () => held.reduce((sum, { weight }) => sum + weight, 0)
      acts.forEach(({ name, weight }, value) => {
        const known = held.find((one) => one.name === name)
        if (weight === null) expect(lru.get(name)).toBe(known?.value ?? null)
        else lru.set(name, value, weight)
        const now = weight === null ? known : { name, value, weight }
        held = [...held.filter((one) => one.name !== name), ...(now ? [now] : [])]
        while (weigh() > weightMax || held.length > countMax) held.shift()
        expect(lru.weight).toBe(weigh())
      })
      for (const { name, value } of held) expect(lru.get(name)).toBe(value)
    }),
  )
})
