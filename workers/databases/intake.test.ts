import { expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'

import { Intake } from './intake.ts'

const received = (chunks: readonly number[], maxBytes: number, read: (chunk: Uint8Array) => void) => {
  const stream = new PassThrough()
  const intake = new Intake(maxBytes)
  const failures: unknown[] = []
  stream.on('error', (error) => failures.push(error))
  intake.watch(stream)
  stream.on('data', read)
  for (const bytes of chunks) stream.emit('data', new Uint8Array(bytes) as never)
  return { intake, stream, failures }
}

test('counts the bytes since it was asked last', () => {
  const { intake, stream } = received([3, 4], 10, () => undefined)
  expect(intake.taken()).toBe(7)
  expect(intake.taken()).toBe(0)
  expect(stream.destroyed).toBe(false)
})

test('closes the connection above the limit, and not at it', async () => {
  expect(received([6, 4], 10, () => undefined).stream.destroyed).toBe(false)
  const { stream, failures } = received([6, 5], 10, () => undefined)
  await Bun.sleep(0)
  expect(stream.destroyed).toBe(true)
  expect(failures).toMatchObject([{ code: 'query_too_large' }])
})

test('closes the connection with the error of a driver that cannot read it', async () => {
  const { failures } = received([1], 10, () => {
    throw new RangeError('offset')
  })
  await Bun.sleep(0)
  expect(failures).toEqual([new RangeError('offset')])
})
