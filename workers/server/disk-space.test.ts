import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Log } from '../../src/ports/log.ts'
import { openLibsql } from './libsql.ts'
import { watchDiskSpace } from './disk-space.ts'
import { valuesInLibsql } from './values.ts'

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const GIB = 2 ** 30

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidemark-room-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

test('bytes that are about to be stored count at once, twice, until the disk was measured again', async () => {
  const room = await watchDiskSpace(dataDir, SILENT, () => Promise.resolve(0))
  const before = room.bytes
  room.spend(100 * GIB)
  room.spend(1)
  expect(room.bytes).toBe(before - 200 * GIB - 2)
  while (room.bytes < before - 100 * GIB) await Bun.sleep(10)
  await room.close()
})

test('bytes that are spent during a measurement of the disk count until the next one', async () => {
  const looked = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let looks = 0
  const room = watchDiskSpace(dataDir, SILENT, () => looked[looks++]?.promise ?? Promise.resolve(0))
  looked[0]?.resolve(0)
  const watched = await room
  while (looks < 2) await Bun.sleep(10)
  const before = watched.bytes
  watched.spend(100 * GIB)
  looked[1]?.resolve(0)
  await Bun.sleep(0)
  expect(watched.bytes).toBeLessThan(before - 199 * GIB)
  while (watched.bytes < before - 199 * GIB) await Bun.sleep(10)
  await watched.close()
})

test('a commit tells the bytes of its texts and bodies before it is stored', async () => {
  const file = await openLibsql(`file:${join(dataDir, 'kept.db')}`)
  const told: number[] = []
  const values = valuesInLibsql(file, { onCommit: (bytes) => told.push(bytes), onBroken: () => undefined })
  await values.commit([{ sql: 'create table kept (a, b, c)', cells: [] }])
  await values.commit([
    { sql: 'insert into kept values (?, ?, ?)', cells: ['text', new Uint8Array(10), 7] },
    { sql: 'insert into kept values (?, ?, ?)', cells: [null, 'abc', 1] },
  ])
  expect(told).toEqual([0, 17])
  await file.close()
})
