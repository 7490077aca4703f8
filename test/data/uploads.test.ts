import { afterAll, beforeAll, expect, test } from 'bun:test'

import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { saveUpload, UPLOAD_MAX_BYTES } from '../../src/data/uploads/service.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { rejection } from '../contract/rejection.ts'

const MEBIBYTE = 1024 * 1024

let world: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  world = await openPorts()
})
afterAll(() => world.close())

/** So many bytes, of which one chunk is in memory. */
async function* bytes(count: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const chunk = new Uint8Array(MEBIBYTE)
  for (let left = count; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length))
}

test('an upload has 1 GiB, and not a byte more', async () => {
  expect(UPLOAD_MAX_BYTES).toBe(1024 * MEBIBYTE)
  // A store that counts what it gets.
  let stored = 0
  const blobs = {
    ...world.ports.blobs,
    put: async (_: string, sent: Uint8Array | ReadableStream<Uint8Array>) => {
      stored = 0
      for await (const chunk of sent as ReadableStream<Uint8Array>) stored += chunk.length
    },
  }
  const context = administratorOf({ ...world.ports, blobs })
  const body = dataSourceBody.parse({ name: 'files', type: 'csv' })
  const { id } = (await createDataSource(context, body)).view
  const { sizeBytes } = await saveUpload(context, id, bytes(UPLOAD_MAX_BYTES))
  expect([sizeBytes, stored]).toEqual([UPLOAD_MAX_BYTES, UPLOAD_MAX_BYTES])
  const refused = await rejection(saveUpload(context, id, bytes(UPLOAD_MAX_BYTES + 1)))
  expect(refused).toMatchObject({ code: 'too_large' })
  expect(stored).toBe(UPLOAD_MAX_BYTES)
})
