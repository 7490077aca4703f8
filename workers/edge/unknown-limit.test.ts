import { expect, test } from 'bun:test'

import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { Database } from '../../src/ports/database.ts'
import { UnknownLimit } from './unknown-limit.ts'

const JOB = 7
const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** The storage of an object, and a database that may be away and counts the reports. */
function newParts() {
  const held = new Map<string, unknown>()
  const kv = {
    put: (key: string, value: unknown) => held.set(key, value),
    get: (key: string) => held.get(key),
  }
  const told: string[] = []
  const parts = { isAway: false, told, held }
  const tell = (what: string) =>
    parts.isAway ? Promise.reject(new Error('away')) : Promise.resolve(told.push(what))
  const database = {
    run: () => tell('unknown'),
    delete: () => ({ where: () => tell('known') }),
  } as unknown as Database
  const open = () => new UnknownLimit({ kv } as unknown as DurableObjectStorage, () => database, LOG)
  return { ...parts, parts, open }
}

test('a change is reported once, also after an eviction of the object', async () => {
  const { told, open } = newParts()
  const limit = open()
  expect(limit.report(() => undefined)).toBeNull()
  expect(await limit.report(() => JOB)).toBe(true)
  expect(limit.report(() => JOB)).toBeNull()
  expect(open().report(() => JOB)).toBeNull()
  expect(await open().report(() => undefined)).toBe(true)
  expect(told).toEqual(['unknown', 'known'])
})

test('reports follow each other, and the last one is of the last state', async () => {
  const { told, open } = newParts()
  const limit = open()
  let unknown: number | undefined = JOB
  const first = limit.report(() => unknown)
  await first
  unknown = undefined
  const second = limit.report(() => unknown)
  unknown = JOB
  const third = limit.report(() => unknown)
  expect(await Promise.all([second, third])).toEqual([true, null])
  expect(told).toEqual(['unknown'])
})

test('a report that failed, or whose object ended, is made again', async () => {
  const { told, parts, held, open } = newParts()
  const limit = open()
  parts.isAway = true
  expect(await limit.report(() => JOB)).toBe(false)
  parts.isAway = false
  expect(await open().report(() => JOB)).toBe(true)
  expect(told).toEqual(['unknown'])
  // It ended after the first write of a report that the limit is known.
  held.set('unknown limit', -JOB)
  expect(await open().report(() => JOB)).toBe(true)
  held.set('unknown limit', -JOB)
  expect(await open().report(() => undefined)).toBe(true)
  expect(told).toEqual(['unknown', 'unknown', 'known'])
})
