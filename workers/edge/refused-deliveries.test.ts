import { expect, mock, test } from 'bun:test'

import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { RefusedDelivery } from '../../src/domain/refused-delivery.ts'
import { StoredRefusals } from './refused-deliveries.ts'

/** The part of the storage of an object that outlives the object. */
function newStorage() {
  const held = new Map<string, unknown>()
  const put = mock((key: string, value: unknown) => void held.set(key, structuredClone(value)))
  const kv = { put, get: (key: string) => held.get(key) }
  return { put, storage: { kv } as unknown as DurableObjectStorage }
}

const refusal = (at: number, isStranger = false): RefusedDelivery => ({
  at,
  code: 'invalid',
  detail: '',
  errors: [],
  sender: { userId: 1, username: 'a', tokenName: null, address: null, agent: null },
  excerpt: null,
  isStranger,
})

test('an object stores its refusals at most once a minute, and has the stored ones after an eviction', () => {
  const { storage, put } = newStorage()
  const refusals = new StoredRefusals(storage)
  expect(refusals.list(3)).toEqual([])
  refusals.record(3, refusal(1))
  for (let at = 2; at < 1_000; at++) refusals.record(3, refusal(at, at % 2 === 0))
  expect(put).toHaveBeenCalledTimes(1)
  expect(refusals.list(3).length).toBe(60)
  const next = new StoredRefusals(storage)
  expect(next.list(3)).toEqual([refusal(1)])
  next.record(3, refusal(1_000, true))
  expect(new StoredRefusals(storage).list(3)).toEqual([refusal(1_000, true), refusal(1)])
})
