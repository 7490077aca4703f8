import { afterEach, beforeEach, expect, test } from 'bun:test'

import { backUpWhenDue, listBackups } from '../../src/content/backups/service.ts'
import { sweepBlobs } from '../../src/content/blobs/service.ts'
import { backupSettingsOf, backupVariables } from '../../src/ports/backup-settings.ts'
import { precededBy } from '../hosts/interleaved.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import * as z from 'zod'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The commits of a scheduled backup: old snapshots are deleted, one is made, the blob is marked, and the snapshot is deleted. */
const SNAPSHOT_DELETED = 4

let opened: Awaited<ReturnType<typeof openPorts>>
beforeEach(async () => {
  const backups = { everyMs: DAY_MS, isOfEverything: true, keep: 2, passphrase: 'of the operator' }
  opened = await openPorts({ backups })
})
afterEach(() => opened.close())

const kept = async () =>
  (await listBackups(administratorOf(opened.ports), { limit: 10 })).items.map(({ id, origin }) => [
    id,
    origin,
  ])

test('a backup is made when the latest is old enough, and as many as wanted are kept', async () => {
  const { ports, clock } = opened
  await backUpWhenDue(ports)
  await backUpWhenDue(ports)
  expect(await kept()).toEqual([[1, 'scheduled']])
  clock.at += DAY_MS - 1
  await backUpWhenDue(ports)
  expect(await kept()).toHaveLength(1)
  for (let day = 0; day < 3; day++) {
    clock.at += DAY_MS
    await backUpWhenDue(ports)
  }
  expect(await kept()).toEqual([
    [4, 'scheduled'],
    [3, 'scheduled'],
  ])
  clock.at += HOUR_MS + 1
  await sweepBlobs(ports)
  const blobs = await ports.blobs.list('backups/')
  expect(blobs.map((key) => key.slice(0, 'backups/20260304T090000Z-'.length))).toEqual([
    'backups/20260305T085959Z-',
    'backups/20260306T085959Z-',
  ])
  expect(opened.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
})

test('a backup is kept also if its snapshot cannot be deleted', async () => {
  const full = () => Promise.reject(new Error('The disk is full.'))
  await backUpWhenDue(precededBy(opened.ports, full, SNAPSHOT_DELETED))
  expect(await kept()).toEqual([[1, 'scheduled']])
  expect(opened.logs.join('\n')).toContain('backups: deleting a snapshot failed')
})

test('what fails is told to the log, tried again, and leaves nothing', async () => {
  const { ports, clock } = opened
  const away = { ...ports, blobs: { ...ports.blobs, put: () => Promise.reject(new Error('away')) } }
  await backUpWhenDue(away)
  expect(opened.logs.join('\n')).toContain('backups: scheduled backup failed')
  expect(await kept()).toEqual([])
  await backUpWhenDue(ports)
  expect(await kept()).toEqual([[1, 'scheduled']])
  clock.at += HOUR_MS + 1
  await sweepBlobs(ports)
  expect(await ports.blobs.list('backups/')).toHaveLength(1)
})

test('a clock that was set back does not stop them, and nobody who wants none has any', async () => {
  const { ports, clock } = opened
  await backUpWhenDue(ports)
  clock.at -= DAY_MS
  await backUpWhenDue(ports)
  expect(await kept()).toHaveLength(2)
  clock.at += 9 * DAY_MS
  await backUpWhenDue({ ...ports, settings: { ...ports.settings, backups: null } })
  expect(await kept()).toHaveLength(2)
})

test('a schedule needs a passphrase, an hour at least and one to keep', () => {
  const read = (values: object) => backupSettingsOf(z.object(backupVariables).parse(values))
  const passphrase = { TIDEMARK_BACKUP_PASSPHRASE: 'of the operator' }
  expect(read({})).toBeNull()
  expect(read({ ...passphrase, TIDEMARK_BACKUP_EVERY: 'PT1H', TIDEMARK_BACKUP_KEEP: '1' })).toMatchObject({
    everyMs: HOUR_MS,
    keep: 1,
    isOfEverything: true,
  })
  for (const wrong of [
    { TIDEMARK_BACKUP_EVERY: 'PT1H' },
    { ...passphrase, TIDEMARK_BACKUP_EVERY: 'PT59M' },
    { ...passphrase, TIDEMARK_BACKUP_EVERY: 'P1D', TIDEMARK_BACKUP_KEEP: '0' },
    { ...passphrase, TIDEMARK_BACKUP_EVERY: 'P1D', TIDEMARK_BACKUP_KEEP: '1001' },
    { TIDEMARK_BACKUP_EVERY: 'P1D', TIDEMARK_BACKUP_PASSPHRASE: 'too short!!' },
  ])
    expect(() => read(wrong)).toThrow()
})
